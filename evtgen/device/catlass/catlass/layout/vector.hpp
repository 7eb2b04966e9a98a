// A vector in linear memory.
#ifndef CATLASS_LAYOUT_VECTOR_HPP
#define CATLASS_LAYOUT_VECTOR_HPP

#include "catlass/catlass.hpp"
#include "catlass/layout/strided.hpp"

namespace Catlass::layout {

struct VectorLayout : public detail::Strided<1> {
    using TensorCoord = Coord<RANK, Index>;

    CATLASS_HOST_DEVICE VectorLayout(Index size = 0) : VectorLayout(MakeCoord(size), MakeCoord(LongIndex(1))) {}
    CATLASS_HOST_DEVICE VectorLayout(Shape shape, Stride stride) : Strided(shape, stride) {}

    // No MakeLayoutInUb: in Catlass v1.3 to v1.6.3 it compares where it should round, so nothing may use it.

    CATLASS_HOST_DEVICE LongIndex GetOffset(TensorCoord const &coord) const { return stride_[0] * coord[0]; }

    CATLASS_HOST_DEVICE VectorLayout GetTileLayout(TensorCoord const &tileShape) const
    {
        return VectorLayout(tileShape, stride_);
    }
};

}  // namespace Catlass::layout

#endif  // CATLASS_LAYOUT_VECTOR_HPP
