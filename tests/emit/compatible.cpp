// What programs for other visitor frameworks expect: default layouts, other names of operators, operators that take the
// count last, initialize_workspace, a tile as large as UB, two block epilogues in one kernel. D = (C + X) * X - C.
#include <cstdio>
#include <cstring>
#include <vector>

#include "kernel_operator.h"

#include "catlass/arch/arch.hpp"

// A Catlass with a visitor framework declares this in its dispatch_policy.hpp, and has other headers which name it.
namespace Catlass::Epilogue {
struct EpilogueAtlasA2Visitor {
    using ArchTag = Arch::AtlasA2;
};
}  // namespace Catlass::Epilogue

#include "catlass/gemm/kernel/matmul_visitor.hpp"
#include "catlass/epilogue/fusion/fusion.hpp"
#include "machine/launch.hpp"
#include "machine/memory.hpp"

using namespace Catlass;
namespace Fusion = Catlass::Epilogue::Fusion;

/// The count comes last, and dst is not constant.
template <class T>
struct TimesX {
    CATLASS_DEVICE
    void operator()(
        AscendC::LocalTensor<T>& dst, AscendC::LocalTensor<T> const& a, AscendC::LocalTensor<T> const& b,
        uint32_t count) const
    {
        AscendC::Mul(dst, a, b, count);
    }
};

using Load = Fusion::VisitorAccLoad<float>;
using LoadX = Fusion::VisitorAuxLoad<float>;
using Sum = Fusion::TreeVisitor<Fusion::VisitorCompute<Fusion::Add, float>, Load, LoadX>;
using Product = Fusion::TreeVisitor<Fusion::VisitorCompute<TimesX, float>, Sum, LoadX>;
using Difference = Fusion::TreeVisitor<Fusion::VisitorCompute<Fusion::SubOp, float>, Product, Load>;
using EVT = Fusion::TreeVisitor<Fusion::VisitorAuxStore<float>, Difference>;

using Type = Gemm::GemmType<float, layout::RowMajor>;
constexpr uint32_t ALL_OF_UB = Epilogue::EpilogueAtlasA2Visitor::ArchTag::UB_SIZE / 5 / 2 / sizeof(float) / 32 * 32;
using BlockEpilogue =
    Epilogue::Block::BlockEpilogue<Epilogue::EpilogueAtlasA2Visitor, Type, tla::Int<ALL_OF_UB>, EVT>;
static_assert(EVT::UbBytes(ALL_OF_UB) * 2 > 192 * 1024 - 256 - 8 * 1024, "more than AscendC leaves free");
static_assert(EVT::UbBytes(BlockEpilogue::COMPUTE_LENGTH) * 2 <= 192 * 1024 - 256 - 8 * 1024);

constexpr uint32_t M = 96, N = 256;

uint8_t* Upload(std::vector<float> const& host)
{
    size_t const size = host.size() * sizeof(float);
    auto* const device = static_cast<uint8_t*>(machine::AllocateGlobal(size));
    machine::WriteGlobal(device, host.data(), size);
    return device;
}

int main()
{
    std::vector<float> c(M * N), x(M * N), d(M * N);
    for (uint32_t i = 0; i < M * N; ++i) {
        c[i] = static_cast<float>(i % 7);
        x[i] = static_cast<float>(i % 11);
    }
    uint8_t* const deviceC = Upload(c);
    uint8_t* const deviceX = Upload(x);
    uint8_t* const deviceD = Upload(d);
    layout::RowMajor const matrix{M, N};
    GemmCoord const problem{M, N, 1};
    EVT::Arguments const arguments{
        {{{{}, {deviceX, matrix}, {}}, {deviceX, matrix}, {}}, {}, {}}, {deviceD, matrix}};
    if (!EVT::can_implement(problem, arguments)
        || EVT::initialize_workspace(problem, arguments, nullptr) != Status::kSuccess) {
        return 2;
    }
    BlockEpilogue::Params const params{EVT::to_underlying_arguments(problem, arguments, nullptr)};
    machine::Launch("compatible", 1, machine::KernelKind::AivOnly, [&](machine::Role) {
        if (AscendC::GetBlockIdx() != 0) {
            return;
        }
        Arch::Resource<Arch::AtlasA2> resource;
        AscendC::GlobalTensor<float> gmC;
        gmC.SetGlobalBuffer(reinterpret_cast<float*>(deviceC));
        GemmCoord const half{M / 2, N, 1};
        for (uint32_t i = 0; i < 2; ++i) {
            BlockEpilogue epilogue(resource, params);
            epilogue(half, GemmCoord{i, 0, 0}, half, gmC[i * M / 2 * N], matrix);
        }
    });
    machine::ReadGlobal(d.data(), deviceD, d.size() * sizeof(float));
    for (uint32_t i = 0; i < M * N; ++i) {
        if (d[i] != (c[i] + x[i]) * x[i] - c[i]) {
            std::printf("element %u is %f\n", i, static_cast<double>(d[i]));
            return 1;
        }
    }
    return 0;
}
