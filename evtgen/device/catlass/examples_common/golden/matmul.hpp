// Reference results of matrix products, summed in the type of the result.
#ifndef EXAMPLES_COMMON_GOLDEN_MATMUL_HPP
#define EXAMPLES_COMMON_GOLDEN_MATMUL_HPP

#include <vector>

#include "catlass/gemm_coord.hpp"
#include "catlass/layout/layout.hpp"

namespace Catlass::golden {

namespace detail {

/// A * B, and f(sum, offset in the result) for every element of it.
template <class ElementA, class LayoutA, class ElementB, class LayoutB, class ElementGolden, class LayoutGolden,
          class Function>
void ForEachProduct(GemmCoord const &problemShape, std::vector<ElementA> const &dataA, LayoutA const &layoutA,
                    std::vector<ElementB> const &dataB, LayoutB const &layoutB, std::vector<ElementGolden> &dataGolden,
                    LayoutGolden const &layoutGolden, Function function)
{
    uint32_t const n = problemShape.n();
    uint32_t const k = problemShape.k();

    // Converting B once, row by row, leaves an inner loop over contiguous numbers.
    std::vector<ElementGolden> rowsOfB(static_cast<size_t>(k) * n);
    for (uint32_t l = 0; l < k; ++l) {
        for (uint32_t j = 0; j < n; ++j) {
            rowsOfB[static_cast<size_t>(l) * n + j] =
                static_cast<ElementGolden>(dataB[layoutB.GetOffset(MakeCoord(l, j))]);
        }
    }

    std::vector<ElementGolden> sums(n);
    for (uint32_t i = 0; i < problemShape.m(); ++i) {
        sums.assign(n, ElementGolden(0));
        for (uint32_t l = 0; l < k; ++l) {
            ElementGolden const a = static_cast<ElementGolden>(dataA[layoutA.GetOffset(MakeCoord(i, l))]);
            ElementGolden const *row = &rowsOfB[static_cast<size_t>(l) * n];
            for (uint32_t j = 0; j < n; ++j) { sums[j] += a * row[j]; }
        }
        for (uint32_t j = 0; j < n; ++j) {
            size_t const offset = static_cast<size_t>(layoutGolden.GetOffset(MakeCoord(i, j)));
            dataGolden[offset] = function(sums[j], offset);
        }
    }
}

}  // namespace detail

/// A * B
template <class ElementA, class LayoutA, class ElementB, class LayoutB, class ElementGolden, class LayoutGolden>
void ComputeMatmul(GemmCoord const &problemShape, std::vector<ElementA> const &dataA, LayoutA const &layoutA,
                   std::vector<ElementB> const &dataB, LayoutB const &layoutB, std::vector<ElementGolden> &dataGolden,
                   LayoutGolden const &layoutGolden)
{
    detail::ForEachProduct(problemShape, dataA, layoutA, dataB, layoutB, dataGolden, layoutGolden,
                           [](ElementGolden sum, size_t) { return sum; });
}

/// A * B + X, X laid out like the result.
template <class ElementA, class LayoutA, class ElementB, class LayoutB, class ElementX, class ElementGolden,
          class LayoutGolden>
void ComputeMatmulElemWiseAdd(GemmCoord const &problemShape, std::vector<ElementA> const &dataA, LayoutA const &layoutA,
                              std::vector<ElementB> const &dataB, LayoutB const &layoutB,
                              std::vector<ElementX> const &dataX, std::vector<ElementGolden> &dataGolden,
                              LayoutGolden const &layoutGolden)
{
    detail::ForEachProduct(
        problemShape, dataA, layoutA, dataB, layoutB, dataGolden, layoutGolden,
        [&dataX](ElementGolden sum, size_t offset) { return sum + static_cast<ElementGolden>(dataX[offset]); });
}

/// A * B + bias, one bias value per column.
template <class ElementA, class LayoutA, class ElementB, class LayoutB, class ElementGolden, class LayoutGolden,
          class ElementBias>
void ComputeMatmulBias(GemmCoord const &problemShape, std::vector<ElementA> const &dataA, LayoutA const &layoutA,
                       std::vector<ElementB> const &dataB, LayoutB const &layoutB,
                       std::vector<ElementBias> const &dataBias, std::vector<ElementGolden> &dataGolden,
                       LayoutGolden const &layoutGolden)
{
    ComputeMatmul(problemShape, dataA, layoutA, dataB, layoutB, dataGolden, layoutGolden);
    for (uint32_t i = 0; i < problemShape.m(); ++i) {
        for (uint32_t j = 0; j < problemShape.n(); ++j) {
            dataGolden[layoutGolden.GetOffset(MakeCoord(i, j))] += static_cast<ElementGolden>(dataBias[j]);
        }
    }
}

/// activation(A * B)
template <class ElementA, class LayoutA, class ElementB, class LayoutB, class ElementGolden, class LayoutGolden,
          class Activation>
void ComputeMatmulElemWiseActivation(GemmCoord const &problemShape, std::vector<ElementA> const &dataA,
                                     LayoutA const &layoutA, std::vector<ElementB> const &dataB, LayoutB const &layoutB,
                                     std::vector<ElementGolden> &dataGolden, LayoutGolden const &layoutGolden,
                                     Activation activation)
{
    detail::ForEachProduct(problemShape, dataA, layoutA, dataB, layoutB, dataGolden, layoutGolden,
                           [&activation](ElementGolden sum, size_t) { return activation(sum); });
}

}  // namespace Catlass::golden

#endif  // EXAMPLES_COMMON_GOLDEN_MATMUL_HPP
