// Names the copies of a BlockMmad. The stand-in moves no data between cube memories, so these are tags.
#ifndef CATLASS_GEMM_TILE_TILE_COPY_HPP
#define CATLASS_GEMM_TILE_TILE_COPY_HPP

#include "catlass/catlass.hpp"
#include "catlass/gemm/helper.hpp"

namespace Catlass::Gemm::Tile {

template <class ArchTag, class AType, class BType, class CType, class BiasType = void>
struct TileCopy {
    using ElementA = typename AType::Element;
    using ElementB = typename BType::Element;
    using ElementAccumulator =
        typename Gemm::helper::ElementAccumulatorSelector<ElementA, ElementB>::ElementAccumulator;

    struct CopyGmToL1A {};
    struct CopyGmToL1B {};
    struct CopyL1ToL0A {};
    struct CopyL1ToL0B {};
    struct CopyL0CToGm {};
    struct BiasTypeSelector {};
    struct CopyGmToL1Bias {};
    struct CopyL1ToBT {};
};

}  // namespace Catlass::Gemm::Tile

#endif  // CATLASS_GEMM_TILE_TILE_COPY_HPP
