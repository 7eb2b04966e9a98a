// The copies of an element-wise epilogue, by operand: C and D, and up to two sources X and Y.
#ifndef CATLASS_EPILOGUE_TILE_TILE_COPY_HPP
#define CATLASS_EPILOGUE_TILE_TILE_COPY_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/tile/copy_gm_to_ub.hpp"
#include "catlass/epilogue/tile/copy_ub_to_gm.hpp"

namespace Catlass::Epilogue::Tile {

template <class ArchTag, class... Args> struct TileCopy {
    static_assert(DEPENDENT_FALSE<ArchTag>, "TileCopy takes two to four operands");
};

template <class ArchTag, class CType, class DType> struct TileCopy<ArchTag, CType, DType> {
    using ElementC = typename CType::Element;
    using ElementD = typename DType::Element;
    using CopyGmToUbC = CopyGm2Ub<ArchTag, CType>;
    using CopyUbToGmD = CopyUb2Gm<ArchTag, DType>;
};

template <class ArchTag, class CType, class XType, class DType>
struct TileCopy<ArchTag, CType, XType, DType> : TileCopy<ArchTag, CType, DType> {
    using ElementX = typename XType::Element;
    using CopyGmToUbX = CopyGm2Ub<ArchTag, XType>;
};

template <class ArchTag, class CType, class XType, class YType, class DType>
struct TileCopy<ArchTag, CType, XType, YType, DType> : TileCopy<ArchTag, CType, XType, DType> {
    using ElementY = typename YType::Element;
    using CopyGmToUbY = CopyGm2Ub<ArchTag, YType>;
};

}  // namespace Catlass::Epilogue::Tile

#endif  // CATLASS_EPILOGUE_TILE_TILE_COPY_HPP
