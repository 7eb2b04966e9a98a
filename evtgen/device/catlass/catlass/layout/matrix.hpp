// Matrices in linear memory: row by row, or column by column.
#ifndef CATLASS_LAYOUT_MATRIX_HPP
#define CATLASS_LAYOUT_MATRIX_HPP

#include "catlass/catlass.hpp"
#include "catlass/detail/alignment.hpp"
#include "catlass/layout/strided.hpp"
#include "catlass/matrix_coord.hpp"
#include "catlass/numeric_size.hpp"

namespace Catlass::layout {

struct RowMajor : public detail::Strided<2> {
    CATLASS_HOST_DEVICE RowMajor(Index rows = 0, Index cols = 0) : RowMajor(rows, cols, LongIndex(cols)) {}
    /// `ldm`: elements from one row to the next.
    CATLASS_HOST_DEVICE RowMajor(Index rows, Index cols, LongIndex ldm)
        : RowMajor(MakeCoord(rows, cols), MakeCoord(ldm, LongIndex(1)))
    {
    }
    CATLASS_HOST_DEVICE RowMajor(Shape shape, Stride stride) : Strided(shape, stride) {}

    template <class Element>
    CATLASS_HOST_DEVICE static RowMajor MakeLayout(Index rows, Index cols)
    {
        return RowMajor(rows, cols);
    }

    /// Rows start on 32-byte blocks, as the vector unit requires.
    template <class Element>
    CATLASS_HOST_DEVICE static RowMajor MakeLayoutInUb(MatrixCoord const &shape)
    {
        constexpr uint32_t ELE_NUM_PER_BLK = BytesToBits(BYTE_PER_BLK) / SizeOfBits<Element>::value;
        return RowMajor(shape.row(), shape.column(), RoundUp<ELE_NUM_PER_BLK>(shape.column()));
    }

    CATLASS_HOST_DEVICE LongIndex GetOffset(MatrixCoord const &coord) const
    {
        return stride_[0] * coord.row() + coord.column();
    }

    CATLASS_HOST_DEVICE RowMajor GetTileLayout(MatrixCoord const &tileShape) const
    {
        return RowMajor(tileShape, stride_);
    }
};

struct ColumnMajor : public detail::Strided<2> {
    CATLASS_HOST_DEVICE ColumnMajor(Index rows = 0, Index cols = 0) : ColumnMajor(rows, cols, LongIndex(rows)) {}
    /// `ldm`: elements from one column to the next.
    CATLASS_HOST_DEVICE ColumnMajor(Index rows, Index cols, LongIndex ldm)
        : ColumnMajor(MakeCoord(rows, cols), MakeCoord(LongIndex(1), ldm))
    {
    }
    CATLASS_HOST_DEVICE ColumnMajor(Shape shape, Stride stride) : Strided(shape, stride) {}

    template <class Element>
    CATLASS_HOST_DEVICE static ColumnMajor MakeLayout(Index rows, Index cols)
    {
        return ColumnMajor(rows, cols);
    }

    CATLASS_HOST_DEVICE LongIndex GetOffset(MatrixCoord const &coord) const
    {
        return coord.row() + stride_[1] * coord.column();
    }

    CATLASS_HOST_DEVICE ColumnMajor GetTileLayout(MatrixCoord const &tileShape) const
    {
        return ColumnMajor(tileShape, stride_);
    }
};

}  // namespace Catlass::layout

#endif  // CATLASS_LAYOUT_MATRIX_HPP
