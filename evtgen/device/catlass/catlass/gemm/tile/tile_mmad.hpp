// Names the multiply-accumulate of a BlockMmad; a tag in the stand-in.
#ifndef CATLASS_GEMM_TILE_TILE_MMAD_HPP
#define CATLASS_GEMM_TILE_TILE_MMAD_HPP

#include "catlass/catlass.hpp"

namespace Catlass::Gemm::Tile {

template <class ArchTag, class AType, class BType, class BiasType = void>
struct TileMmad {};

}  // namespace Catlass::Gemm::Tile

#endif  // CATLASS_GEMM_TILE_TILE_MMAD_HPP
