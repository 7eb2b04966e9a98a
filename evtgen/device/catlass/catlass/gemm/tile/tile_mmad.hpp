// Names the multiply-accumulate of a BlockMmad; a tag in the stand-in.
#ifndef CATLASS_GEMM_TILE_TILE_MMAD_HPP
#define CATLASS_GEMM_TILE_TILE_MMAD_HPP

#include "catlass/catlass.hpp"

namespace Catlass::Gemm::Tile {

template <class ArchTag, class AType, class BType, class BiasType = void> struct TileMmad {};

#if defined(CATLASS_ARCH) && CATLASS_ARCH == 3510
template <class ArchTag, class ElementA, class LayoutTagL1A> struct TileMmadTla {};
#endif

}  // namespace Catlass::Gemm::Tile

#endif  // CATLASS_GEMM_TILE_TILE_MMAD_HPP
