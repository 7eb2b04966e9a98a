// The stand-in's BlockMmad on A and B of every layout and type, with gaps between their rows, in memory that ends with the
// last byte that a block may read. Prints each combination whose product is wrong; what is read outside, the model finds.
//
//   layouts BYTES   of A and of B that are missing at the end of their memory
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kernel_operator.h"  // before Catlass, which includes it for device compilers only

#include "catlass/arch/arch.hpp"
#include "catlass/arch/resource.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/layout/layout.hpp"
#include "machine/launch.hpp"

using namespace Catlass;

namespace {

// Blocks of 32: two of rows, three of columns, two of k.
constexpr uint32_t SIDE = 32;
constexpr uint32_t M = 45;
constexpr uint32_t N = 77;
constexpr uint32_t K = 53;
constexpr uint32_t PAD = 19;

size_t missing = 0;

template <class Layout>
constexpr bool FRACTAL = std::is_same_v<Layout, layout::zN> || std::is_same_v<Layout, layout::nZ>;
template <class Layout>
constexpr bool BY_ROWS = std::is_same_v<Layout, layout::RowMajor> || std::is_same_v<Layout, layout::zN>;

/// A matrix of small numbers in memory.
template <class Element_, class Layout_> struct Operand {
    using Element = Element_;
    using Layout = Layout_;

    Layout layout;
    Element* data;

    Operand(uint32_t rows, uint32_t columns, int seed) : layout(LayoutOf(rows, columns))
    {
        uint32_t const last = BY_ROWS<Layout> ? rows : columns;
        size_t size = static_cast<size_t>(layout.GetOffset(MatrixCoord{rows - 1, columns - 1})) + 1;
        if (FRACTAL<Layout>) {  // whole blocks of the last row, or column
            size_t const block = 32 / sizeof(Element);
            size_t const stride = static_cast<size_t>(layout.stride(BY_ROWS<Layout> ? 3 : 1));
            size = ((BY_ROWS<Layout> ? columns : rows) - 1) / block * stride + last * block;
        }
        std::vector<Element> host(size);
        for (uint32_t row = 0; row < rows; ++row) {
            for (uint32_t column = 0; column < columns; ++column) {
                host[static_cast<size_t>(layout.GetOffset(MatrixCoord{row, column}))] =
                    static_cast<Element>(static_cast<float>(At(row, column, seed)));
            }
        }
        size_t const bytes = size * sizeof(Element) - missing;
        data = static_cast<Element*>(machine::AllocateGlobal(bytes));
        machine::WriteGlobal(data, host.data(), bytes);
    }

    static int At(uint32_t row, uint32_t column, int seed)
    {
        return static_cast<int>((row * 7 + column * 13 + row * column) % 9) - 4 + seed;
    }

    static Layout LayoutOf(uint32_t rows, uint32_t columns)
    {
        if constexpr (FRACTAL<Layout>) {
            Layout layout = Layout::template MakeLayout<Element>(rows, columns);
            layout.stride(BY_ROWS<Layout> ? 3 : 1) += RoundUp<16>(PAD) * (32 / sizeof(Element));
            return layout;
        } else {
            return Layout(rows, columns, (BY_ROWS<Layout> ? columns : rows) + PAD);
        }
    }

    AscendC::GlobalTensor<Element> From(uint32_t row, uint32_t column) const
    {
        AscendC::GlobalTensor<Element> tensor;
        tensor.SetGlobalBuffer(data);
        return tensor[static_cast<uint64_t>(layout.GetOffset(MatrixCoord{row, column}))];
    }
};

template <class A, class B> void Multiply(char const* type)
{
    using Element = typename A::Element;
    using Sum = std::conditional_t<std::is_same_v<Element, int8_t>, int32_t, float>;
    using Tile = GemmShape<SIDE, SIDE, SIDE>;
    using BlockMmad = Gemm::Block::BlockMmad<
        Gemm::MmadAtlasA2Pingpong<false>, Tile, Tile, Gemm::GemmType<Element, typename A::Layout>,
        Gemm::GemmType<Element, typename B::Layout>, Gemm::GemmType<Sum, layout::RowMajor>>;
    A const a(M, K, 1);
    B const b(K, N, 2);
    layout::RowMajor const layoutC{M, N};
    auto* const c = static_cast<Sum*>(machine::AllocateGlobal(size_t{M} * N * sizeof(Sum)));
    machine::Launch("layouts", 1, machine::KernelKind::AicOnly, [&](machine::Role) {
        Arch::Resource<Arch::AtlasA2> resource;
        BlockMmad multiply(resource);
        for (uint32_t row = 0; row < M; row += SIDE) {
            for (uint32_t column = 0; column < N; column += SIDE) {
                AscendC::GlobalTensor<Sum> gmC;
                gmC.SetGlobalBuffer(c + layoutC.GetOffset(MatrixCoord{row, column}));
                GemmCoord const shape{std::min(SIDE, M - row), std::min(SIDE, N - column), K};
                multiply(a.From(row, 0), a.layout, b.From(0, column), b.layout, gmC, layoutC, shape);
            }
        }
    });
    std::vector<Sum> host(size_t{M} * N);
    machine::ReadGlobal(host.data(), c, host.size() * sizeof(Sum));
    for (uint32_t row = 0; row < M; ++row) {
        for (uint32_t column = 0; column < N; ++column) {
            int sum = 0;
            for (uint32_t k = 0; k < K; ++k) { sum += A::At(row, k, 1) * B::At(k, column, 2); }
            if (host[size_t{row} * N + column] != static_cast<Sum>(sum)) {
                std::printf("%s %s: (%u, %u)\n", type, __PRETTY_FUNCTION__, row, column);
                return;
            }
        }
    }
}

template <class Element, class LayoutA> void MultiplyByEvery(char const* type)
{
    using A = Operand<Element, LayoutA>;
    Multiply<A, Operand<Element, layout::RowMajor>>(type);
    Multiply<A, Operand<Element, layout::ColumnMajor>>(type);
    Multiply<A, Operand<Element, layout::zN>>(type);
    Multiply<A, Operand<Element, layout::nZ>>(type);
}

template <class Element> void MultiplyAll(char const* type)
{
    MultiplyByEvery<Element, layout::RowMajor>(type);
    MultiplyByEvery<Element, layout::ColumnMajor>(type);
    MultiplyByEvery<Element, layout::zN>(type);
    MultiplyByEvery<Element, layout::nZ>(type);
}

}  // namespace

int main(int argc, char** argv)
{
    missing = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0;
    MultiplyAll<half>("half");
    MultiplyAll<bfloat16_t>("bfloat16");
    MultiplyAll<float>("float");
    MultiplyAll<int8_t>("int8");
    return 0;
}
