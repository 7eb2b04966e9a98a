// Row and column of a matrix.
#ifndef CATLASS_MATRIX_COORD_HPP
#define CATLASS_MATRIX_COORD_HPP

#include "catlass/coord.hpp"

namespace Catlass {

template <uint32_t ROW_ = 1, uint32_t COLUMN_ = 1> struct MatrixShape {
    static constexpr uint32_t ROW = ROW_;
    static constexpr uint32_t COLUMN = COLUMN_;
    static constexpr int64_t COUNT = int64_t{ROW} * COLUMN;

    CATLASS_HOST_DEVICE static Coord<2> ToCoord() { return MakeCoord(ROW, COLUMN); }
};

struct MatrixCoord : public Coord<2, uint32_t> {
    using Index = uint32_t;
    using Base = Coord<2, Index>;
    using LongIndex = typename Base::LongIndex;

    static constexpr uint32_t ROW_INDEX = 0;
    static constexpr uint32_t COLUMN_INDEX = 1;

    CATLASS_HOST_DEVICE MatrixCoord() {}
    CATLASS_HOST_DEVICE MatrixCoord(Base const &coord) : Base(coord) {}
    CATLASS_HOST_DEVICE MatrixCoord(Index row, Index column) : Base(MakeCoord(row, column)) {}
    CATLASS_HOST_DEVICE MatrixCoord(LongIndex row, LongIndex column)
        : MatrixCoord(static_cast<Index>(row), static_cast<Index>(column))
    {}

    CATLASS_HOST_DEVICE Index const &row() const { return At(ROW_INDEX); }
    CATLASS_HOST_DEVICE Index &row() { return At(ROW_INDEX); }
    CATLASS_HOST_DEVICE Index const &column() const { return At(COLUMN_INDEX); }
    CATLASS_HOST_DEVICE Index &column() { return At(COLUMN_INDEX); }

    CATLASS_HOST_DEVICE MatrixCoord operator+(Base const &b) const { return Base::operator+(b); }
    CATLASS_HOST_DEVICE MatrixCoord &operator+=(Base const &b)
    {
        Base::operator+=(b);
        return *this;
    }
};

}  // namespace Catlass

#endif  // CATLASS_MATRIX_COORD_HPP
