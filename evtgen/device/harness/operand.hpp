// Operands of the GEMM of a program of `evtgen verify`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "catlass/layout/layout.hpp"
#include "machine/elements.hpp"
#include "matrices.hpp"

namespace harness {

/// An operand with its elements and its layout.
template <class Element, class Layout> struct Operand : Matrices {
    Layout layout;  // of each matrix

    /// gaps: of all matrices together; whole blocks behind one of fractals.
    Operand(uint32_t rows, uint32_t columns, uint32_t pad, size_t parts, size_t gaps, Place const* place)
        : Matrices(
              parts, gaps / std::max<size_t>(parts, 1) * (IS_FRACTAL ? BLOCK : 1), place,
              8 * sizeof(Element) / TOGETHER),
          layout(LayoutOf(rows, columns, pad))
    {
        if constexpr (!IS_FRACTAL) { layout = place == nullptr ? layout : Layout(rows, columns, place->lines); }
    }

    static constexpr size_t TOGETHER = machine::kPacked<Element>;  // in a byte
    static constexpr uint32_t BLOCK = Catlass::BYTE_PER_C0 / sizeof(Element) * TOGETHER;
    static constexpr bool IS_FRACTAL = Layout::RANK == 4;

    /// Of a matrix whose rows, columns, or lines of fractals are that far apart.
    static Layout LayoutOf(uint32_t rows, uint32_t columns, uint32_t pad)
    {
        namespace layout = Catlass::layout;
        if constexpr (std::is_same_v<Layout, layout::RowMajor>) {
            return Layout(rows, columns, columns + pad);
        } else if constexpr (std::is_same_v<Layout, layout::ColumnMajor>) {
            return Layout(rows, columns, rows + pad);
        } else {
            constexpr bool BY_ROWS = std::is_same_v<Layout, layout::zN>;
            Layout whole = Layout::template MakeLayout<Element>(rows, columns);
            whole.stride(BY_ROWS ? 3 : 1) = int64_t{RoundUp<16>((BY_ROWS ? rows : columns) + pad)} * BLOCK;
            return whole;
        }
    }

    int64_t Size() const override
    {
        int64_t size = 0;
        for (int i = 0; i < Layout::RANK; ++i) {
            size = std::max(size, static_cast<int64_t>(layout.shape(i)) * layout.stride(i));
        }
        return size;
    }

    int64_t Offset(uint32_t row, uint32_t column) const override
    {
        return layout.GetOffset(Catlass::MatrixCoord{row, column});
    }
};

}  // namespace harness
