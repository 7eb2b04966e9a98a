// The base of RowMajor, ColumnMajor and VectorLayout: a shape and a stride per dimension, in elements.
#ifndef CATLASS_LAYOUT_STRIDED_HPP
#define CATLASS_LAYOUT_STRIDED_HPP

#include "catlass/catlass.hpp"
#include "catlass/coord.hpp"

namespace Catlass::layout::detail {

template <int RANK_> struct Strided {
    static constexpr int RANK = RANK_;
    using Index = uint32_t;
    using LongIndex = int64_t;
    using Shape = Coord<RANK, Index>;
    using Stride = Coord<RANK, LongIndex>;

    CATLASS_HOST_DEVICE Strided(Shape const &shape, Stride const &stride) : shape_(shape), stride_(stride) {}

    CATLASS_HOST_DEVICE Shape shape() const { return shape_; }
    CATLASS_HOST_DEVICE Shape &shape() { return shape_; }
    CATLASS_HOST_DEVICE Index shape(int idx) const { return shape_[idx]; }
    CATLASS_HOST_DEVICE Index &shape(int idx) { return shape_[idx]; }

    CATLASS_HOST_DEVICE Stride stride() const { return stride_; }
    CATLASS_HOST_DEVICE Stride &stride() { return stride_; }
    CATLASS_HOST_DEVICE LongIndex stride(int idx) const { return stride_[idx]; }
    CATLASS_HOST_DEVICE LongIndex &stride(int idx) { return stride_[idx]; }

protected:
    Shape shape_;
    Stride stride_;
};

}  // namespace Catlass::layout::detail

#endif  // CATLASS_LAYOUT_STRIDED_HPP
