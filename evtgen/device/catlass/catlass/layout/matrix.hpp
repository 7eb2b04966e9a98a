// Matrices in memory: row by row, column by column, or by fractals of 16 blocks of 32 bytes.
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
    {}
    CATLASS_HOST_DEVICE RowMajor(Shape shape, Stride stride) : Strided(shape, stride) {}

    template <class Element> CATLASS_HOST_DEVICE static RowMajor MakeLayout(Index rows, Index cols)
    {
        return RowMajor(rows, cols);
    }

    /// Rows start on 32-byte blocks, as the vector unit requires.
    template <class Element> CATLASS_HOST_DEVICE static RowMajor MakeLayoutInUb(MatrixCoord const &shape)
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
    {}
    CATLASS_HOST_DEVICE ColumnMajor(Shape shape, Stride stride) : Strided(shape, stride) {}

    template <class Element> CATLASS_HOST_DEVICE static ColumnMajor MakeLayout(Index rows, Index cols)
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

namespace detail {

/// The base of zN and nZ: rows and columns of the matrix, and in each dimension two lengths and two strides, within a
/// fractal and from fractal to fractal. Dimensions 0 and 1 are those of rows, 2 and 3 those of columns.
template <class Self> struct Fractals : public Strided<4> {
    static constexpr int ORG_SHAPE_RANK = 2;
    using OrgShape = Coord<ORG_SHAPE_RANK, Index>;

    CATLASS_HOST_DEVICE Fractals(OrgShape const &orgShape, Shape const &shape, Stride const &stride)
        : Strided<4>(shape, stride), orgShape_(orgShape)
    {}

    CATLASS_HOST_DEVICE LongIndex GetOffset(MatrixCoord const &coord) const
    {
        return coord.row() / shape_[0] * stride_[1] + coord.row() % shape_[0] * stride_[0] +
               coord.column() / shape_[2] * stride_[3] + coord.column() % shape_[2] * stride_[2];
    }

    CATLASS_HOST_DEVICE Self GetTileLayout(MatrixCoord const &tileShape) const
    {
        return Self(tileShape,
                    MakeCoord(shape_[0], CeilDiv(tileShape.row(), shape_[0]), shape_[2],
                              CeilDiv(tileShape.column(), shape_[2])),
                    stride_);
    }

    CATLASS_HOST_DEVICE Index orgShape(int idx) const { return orgShape_[idx]; }
    CATLASS_HOST_DEVICE Index &orgShape(int idx) { return orgShape_[idx]; }

private:
    OrgShape orgShape_;
};

}  // namespace detail

/// A block of 32 bytes is a part of a row. In a fractal blocks follow one another down the rows, and so do fractals; then
/// come those of the next columns.
struct zN : public detail::Fractals<zN> {
    CATLASS_HOST_DEVICE zN(Index orgRows = 0, Index orgCols = 0, Index rowsInFractal = 0, Index rowsByFractal = 0,
                           Index colsInFractal = 0, Index colsByFractal = 0, LongIndex strideRowsInFractal = 0,
                           LongIndex strideRowsByFractal = 0, LongIndex strideColsInFractal = 0,
                           LongIndex strideColsByFractal = 0)
        : zN(MakeCoord(orgRows, orgCols), MakeCoord(rowsInFractal, rowsByFractal, colsInFractal, colsByFractal),
             MakeCoord(strideRowsInFractal, strideRowsByFractal, strideColsInFractal, strideColsByFractal))
    {}
    CATLASS_HOST_DEVICE zN(OrgShape orgShape, Shape shape, Stride stride) : Fractals(orgShape, shape, stride) {}

    template <class Element> CATLASS_HOST_DEVICE static zN MakeLayout(Index orgRows, Index orgCols)
    {
        constexpr uint32_t ELE_NUM_PER_C0 = BytesToBits(BYTE_PER_C0) / SizeOfBits<Element>::value;
        Index const rowFractals = CeilDiv<C0_NUM_PER_FRACTAL>(orgRows);
        LongIndex const strideCols = LongIndex(rowFractals) * C0_NUM_PER_FRACTAL * ELE_NUM_PER_C0;
        return zN(orgRows, orgCols, C0_NUM_PER_FRACTAL, rowFractals, ELE_NUM_PER_C0, CeilDiv<ELE_NUM_PER_C0>(orgCols),
                  ELE_NUM_PER_C0, C0_NUM_PER_FRACTAL * ELE_NUM_PER_C0, 1, strideCols);
    }
};

/// That of the transposed matrix: a block is a part of a column, and fractals follow one another along the columns.
struct nZ : public detail::Fractals<nZ> {
    CATLASS_HOST_DEVICE nZ(Index orgRows = 0, Index orgCols = 0, Index rowsInFractal = 0, Index rowsByFractal = 0,
                           Index colsInFractal = 0, Index colsByFractal = 0, LongIndex strideRowsInFractal = 0,
                           LongIndex strideRowsByFractal = 0, LongIndex strideColsInFractal = 0,
                           LongIndex strideColsByFractal = 0)
        : nZ(MakeCoord(orgRows, orgCols), MakeCoord(rowsInFractal, rowsByFractal, colsInFractal, colsByFractal),
             MakeCoord(strideRowsInFractal, strideRowsByFractal, strideColsInFractal, strideColsByFractal))
    {}
    CATLASS_HOST_DEVICE nZ(OrgShape orgShape, Shape shape, Stride stride) : Fractals(orgShape, shape, stride) {}

    template <class Element> CATLASS_HOST_DEVICE static nZ MakeLayout(Index orgRows, Index orgCols)
    {
        constexpr uint32_t ELE_NUM_PER_C0 = BytesToBits(BYTE_PER_C0) / SizeOfBits<Element>::value;
        Index const colFractals = CeilDiv<C0_NUM_PER_FRACTAL>(orgCols);
        LongIndex const strideRows = LongIndex(colFractals) * C0_NUM_PER_FRACTAL * ELE_NUM_PER_C0;
        return nZ(orgRows, orgCols, ELE_NUM_PER_C0, CeilDiv<ELE_NUM_PER_C0>(orgRows), C0_NUM_PER_FRACTAL, colFractals,
                  1, strideRows, ELE_NUM_PER_C0, C0_NUM_PER_FRACTAL * ELE_NUM_PER_C0);
    }
};

}  // namespace Catlass::layout

#endif  // CATLASS_LAYOUT_MATRIX_HPP
