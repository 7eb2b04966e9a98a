// D = C + X + row and its column sums, with VisitStage::ALL or with the three stages and no flags: program all|stages
#include "kernel_operator.h"
#include "catlass/epilogue/fusion/fusion.hpp"
#include "catlass/gemm_coord.hpp"
#include "machine/launch.hpp"
#include "machine/memory.hpp"
#include <cstdio>
#include <cstring>
#include <vector>
using namespace Catlass;
using namespace Catlass::Epilogue::Fusion;
using RowMajor = layout::RowMajor;

// D = C + X + row, row_out += its column sums; C, X, row are small whole numbers
using Sum = TreeVisitor<VisitorCompute<Plus, float>, VisitorAccLoad<float>, VisitorAuxLoad<float, RowMajor>,
                        VisitorRowBroadcast<float, RowMajor>>;
using Stored = TreeVisitor<VisitorAuxStore<float, RowMajor>, Sum>;
using Visitor = TreeVisitor<VisitorRowReduce<Plus, float, RowMajor>, Stored>;

constexpr uint32_t M = 13, N = 37, ROWS = 5;

void Kernel(Visitor::Params const& params, uint8_t* c, bool all)
{
    Arch::Resource<Arch::AtlasA2> resource;
    uint32_t ubOffset = 0;
    Visitor visitor{params};
    auto callbacks = visitor.get_callbacks(resource, ubOffset, tla::Int<ROWS * 40 + 24>{});
    AscendC::GlobalTensor<float> gmC;
    gmC.SetGlobalBuffer(reinterpret_cast<float*>(c));
    callbacks.begin_epilogue();
    callbacks.begin_block(gmC, RowMajor{M, N});
    for (uint32_t row = 0; row < M; row += ROWS) {
        MatrixCoord offset{row, 0u};
        MatrixCoord shape{row + ROWS < M ? ROWS : M - row, N};
        uint32_t count = shape.row() * 40;
        if (all) {
            callbacks.visit(offset, offset, shape, count);
        } else {
            callbacks.visit(offset, offset, shape, count, VisitStage::LOAD);
            callbacks.visit(offset, offset, shape, count, VisitStage::COMPUTE);
            callbacks.visit(offset, offset, shape, count, VisitStage::STORE);
        }
    }
    callbacks.end_epilogue();
    AscendC::PipeBarrier<PIPE_ALL>();
}

uint8_t* Upload(std::vector<float> const& host)
{
    size_t size = host.size() * sizeof(float);
    auto* device = static_cast<uint8_t*>(machine::AllocateGlobal(size));
    machine::WriteGlobal(device, host.data(), size);
    return device;
}

int main(int, char** argv)
{
    std::vector<float> c(M * N), x(M * N), row(N), d(M * N), rowOut(N);
    for (uint32_t i = 0; i < M * N; ++i) {
        c[i] = static_cast<float>(i % 7);
        x[i] = static_cast<float>(i % 11);
    }
    for (uint32_t j = 0; j < N; ++j) {
        row[j] = static_cast<float>(j);
    }
    uint8_t* gmC = Upload(c);
    uint8_t* gmD = Upload(d);
    uint8_t* gmRowOut = Upload(rowOut);
    RowMajor matrix{M, N}, vector{1, N};
    GemmCoord problem{M, N, 1};
    Visitor::Arguments arguments{
        {{{}, {Upload(x), matrix}, {Upload(row), vector}, {}}, {gmD, matrix}}, {gmRowOut, vector, 0.0f}};
    if (!Visitor::can_implement(problem, arguments)) {
        return 2;
    }
    auto params = Visitor::to_underlying_arguments(problem, arguments, nullptr);
    bool all = std::strcmp(argv[1], "all") == 0;
    machine::Launch("stages", 1, machine::KernelKind::AivOnly, [&](machine::Role) {
        if (AscendC::GetBlockIdx() == 0) {
            Kernel(params, gmC, all);
        }
    });
    machine::ReadGlobal(d.data(), gmD, d.size() * sizeof(float));
    machine::ReadGlobal(rowOut.data(), gmRowOut, rowOut.size() * sizeof(float));
    for (uint32_t j = 0; j < N; ++j) {
        float sum = 0;
        for (uint32_t i = 0; i < M; ++i) {
            float expected = c[i * N + j] + x[i * N + j] + row[j];
            sum += expected;
            if (d[i * N + j] != expected) {
                return 1;
            }
        }
        if (rowOut[j] != sum) {
            return 1;
        }
    }
    return 0;
}
