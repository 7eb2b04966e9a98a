// A vector in linear memory.
#ifndef CATLASS_LAYOUT_VECTOR_HPP
#define CATLASS_LAYOUT_VECTOR_HPP

#include "catlass/catlass.hpp"
#include "catlass/detail/alignment.hpp"
#include "catlass/layout/strided.hpp"
#include "catlass/numeric_size.hpp"

namespace Catlass::layout {

struct VectorLayout : public detail::Strided<1> {
    using TensorCoord = Coord<RANK, Index>;

    CATLASS_HOST_DEVICE VectorLayout(Index size = 0) : VectorLayout(MakeCoord(size), MakeCoord(LongIndex(1))) {}
    CATLASS_HOST_DEVICE VectorLayout(Shape shape, Stride stride) : Strided(shape, stride) {}

    /// Length rounded up to whole 32-byte blocks.
    template <class Element>
    CATLASS_HOST_DEVICE static VectorLayout MakeLayoutInUb(TensorCoord const &tileShape)
    {
        constexpr uint32_t ELE_NUM_PER_BLK = BytesToBits(BYTE_PER_BLK) / SizeOfBits<Element>::value;
        return VectorLayout{RoundUp<ELE_NUM_PER_BLK>(tileShape[0])};
    }

    CATLASS_HOST_DEVICE LongIndex GetOffset(TensorCoord const &coord) const { return stride_[0] * coord[0]; }

    CATLASS_HOST_DEVICE VectorLayout GetTileLayout(TensorCoord const &tileShape) const
    {
        return VectorLayout(tileShape, stride_);
    }
};

}  // namespace Catlass::layout

#endif  // CATLASS_LAYOUT_VECTOR_HPP
