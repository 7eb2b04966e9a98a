// A matmul whose epilogue only moves a tensor, in the types of Catlass v1.6: from GM, or from where the product is, to D.
//
//   evg_store CASE[+CASE...] M N K DEVICE
//
// `aux`, `acc` and `ub` store what a load node gives: the auxiliary tensor, the product in GM, the product in UB.
// `aux_copied`, `acc_copied` and `ub_copied` are the same with a Compute node in between. Prints of each whether D is
// right.
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue.hpp"
#include "catlass/epilogue/fusion/fusion.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/device/device_gemm.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/kernel/basic_matmul_tla_ub_visitor.hpp"
#include "catlass/gemm/kernel/basic_matmul_tla_visitor.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/status.hpp"
#include "helper.hpp"
#include "tla/layout.hpp"

using namespace Catlass;

namespace {

namespace Fusion = Epilogue::Fusion;
using ArchTag = Arch::Ascend950;
using Row = layout::RowMajor;
using Layout = Catlass::detail::TagToLayout_t<float, Row>;
using L1TileShape = tla::Shape<tla::Int<64>, tla::Int<64>, tla::Int<64>>;
using L0TileShape = tla::Shape<tla::Int<64>, tla::Int<64>, tla::Int<32>>;
using ComputeLength = tla::Int<512>;  // eight rows: four tiles of a vector core's half of a block

struct Data {
    GemmCoord problem;
    uint8_t* a;
    uint8_t* b;
    uint8_t* x;
    uint8_t* d;
};

uint8_t* Allocate(size_t count)
{
    uint8_t* pointer = nullptr;
    ACL_CHECK(aclrtMalloc(reinterpret_cast<void**>(&pointer), count * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
    return pointer;
}

uint8_t* ToDevice(std::vector<float> const& data)
{
    uint8_t* const pointer = Allocate(data.size());
    size_t const bytes = data.size() * sizeof(float);
    ACL_CHECK(aclrtMemcpy(pointer, bytes, data.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    return pointer;
}

/// One group of cores computes all blocks, one after the other.
template <bool TO_UB, class Evg>
void Run(Data const& data, typename Evg::Arguments const& epilogue)
{
    using ToGm = Gemm::Tile::PackedTileCopyTla<ArchTag, float, Row, float, Row, float, Row>;
    using ToUb = Gemm::Tile::PackedTileCopyTlaToUB<
        ArchTag, float, Row, float, Row, float, Row, void, Gemm::Tile::CopyL0CToUBMode::SPLIT_M>;
    using BlockMmad = Gemm::Block::BlockMmadTla<
        Gemm::MmadPingpong<ArchTag, true>, L1TileShape, L0TileShape, float, float, float, void,
        std::conditional_t<TO_UB, ToUb, ToGm>>;
    using BlockEpilogue =
        Epilogue::Block::BlockEpilogue<Epilogue::EpilogueVisitor<TO_UB>, ArchTag, ComputeLength, Evg, float>;
    using Scheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;
    using Kernel = std::conditional_t<
        TO_UB, Gemm::Kernel::BasicMatmulTlaUbVisitor<BlockMmad, BlockEpilogue, Scheduler>,
        Gemm::Kernel::BasicMatmulTlaVisitor<BlockMmad, BlockEpilogue, Scheduler>>;

    uint32_t const m = data.problem.m();
    uint32_t const n = data.problem.n();
    uint32_t const k = data.problem.k();
    typename Kernel::Arguments const arguments{
        data.problem, data.a, tla::MakeLayout<float, Row>(m, k), data.b, tla::MakeLayout<float, Row>(k, n),
        nullptr, {}, nullptr, epilogue};
    Gemm::Device::DeviceGemm<Kernel> matmul;
    uint8_t* const workspace = Allocate(size_t{m} * n);
    matmul.Initialize(arguments, workspace);
    matmul(nullptr, 1);
    ACL_CHECK(aclrtSynchronizeStream(nullptr));
    ACL_CHECK(aclrtFree(workspace));
}

using Store = Fusion::VisitorAuxStore<float, Layout>;
using Copy = Fusion::VisitorCompute<Fusion::Muls, float, float>;

template <bool TO_UB, class Load>
void Move(Data const& data, bool copied, typename Load::Arguments const& load)
{
    typename Store::Arguments const store{data.d, tla::MakeLayout<float, Row>(data.problem.m(), data.problem.n())};
    if (copied) {
        using Evg = Fusion::TreeVisitor<Store, Fusion::TreeVisitor<Copy, Load>>;
        Run<TO_UB, Evg>(data, {{load, {{1.0f}}}, store});
    } else {
        using Evg = Fusion::TreeVisitor<Store, Load>;
        Run<TO_UB, Evg>(data, {load, store});
    }
}

/// Computes a case. Returns whether it has the right result, or nothing if there is no such case.
std::optional<bool> Try(std::string name, uint32_t m, uint32_t n, uint32_t k)
{
    std::string const suffix = "_copied";
    bool const copied = name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix;
    name = copied ? name.substr(0, name.size() - suffix.size()) : name;

    // Small integers, whose products and sums are exact
    std::vector<float> a(size_t{m} * k);
    std::vector<float> b(size_t{k} * n);
    std::vector<float> x(size_t{m} * n);
    for (std::vector<float>* matrix : {&a, &b, &x}) {
        for (size_t i = 0; i < matrix->size(); ++i) {
            (*matrix)[i] = static_cast<float>(i * 7 % 11) - 5.0f;
        }
    }
    Data const data{{m, n, k}, ToDevice(a), ToDevice(b), ToDevice(x), Allocate(x.size())};
    if (name == "aux") {
        Move<false, Fusion::VisitorAuxLoad<float, Layout>>(data, copied, {data.x, tla::MakeLayout<float, Row>(m, n)});
    } else if (name == "acc") {
        Move<false, Fusion::VisitorAccLoad<float>>(data, copied, {});
    } else if (name == "ub") {
        Move<true, Fusion::VisitorAccLoad<float, true>>(data, copied, {});
    } else {
        return {};
    }

    std::vector<float> d(x.size());
    size_t const bytes = d.size() * sizeof(float);
    ACL_CHECK(aclrtMemcpy(d.data(), bytes, data.d, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    bool right = true;
    for (uint32_t row = 0; row < m; ++row) {
        for (uint32_t column = 0; column < n; ++column) {
            float sum = 0.0f;
            for (uint32_t i = 0; i < k; ++i) {
                sum += a[row * k + i] * b[i * n + column];
            }
            right = right && d[row * n + column] == (name == "aux" ? x[row * n + column] : sum);
        }
    }
    for (uint8_t* pointer : {data.a, data.b, data.x, data.d}) {
        ACL_CHECK(aclrtFree(pointer));
    }
    return right;
}

}  // namespace

int main(int argc, char const** argv)
{
    if (argc != 6) {
        return 2;
    }
    ACL_CHECK(aclInit(nullptr));
    ACL_CHECK(aclrtSetDevice(std::stoi(argv[5])));
    std::istringstream names(argv[1]);
    for (std::string name; std::getline(names, name, '+');) {
        std::optional<bool> const right =
            Try(name, std::stoul(argv[2]), std::stoul(argv[3]), std::stoul(argv[4]));
        if (!right) {
            return 2;
        }
        std::cout << name << (*right ? " right" : " wrong") << std::endl;
    }
    ACL_CHECK(aclrtResetDevice(std::stoi(argv[5])));
    ACL_CHECK(aclFinalize());
    return 0;
}
