// Names the copies of a BlockMmad. The stand-in moves no data between cube memories, so these are tags.
#ifndef CATLASS_GEMM_TILE_TILE_COPY_HPP
#define CATLASS_GEMM_TILE_TILE_COPY_HPP

#include "catlass/catlass.hpp"

namespace Catlass::Gemm::Tile {

template <class ArchTag, class AType, class BType, class CType, class BiasType = void>
struct TileCopy {
    using ElementA = typename AType::Element;
    using ElementB = typename BType::Element;
};

}  // namespace Catlass::Gemm::Tile

#endif  // CATLASS_GEMM_TILE_TILE_COPY_HPP
