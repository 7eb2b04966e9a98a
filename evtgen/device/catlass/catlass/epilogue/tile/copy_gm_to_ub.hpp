// Copies a tile from GM to UB. Rows start on the 32-byte blocks that the UB layout gives them; the bytes between the
// end of a row and the next block are undefined afterwards.
#ifndef CATLASS_EPILOGUE_TILE_TILE_COPY_GM_TO_UB_HPP
#define CATLASS_EPILOGUE_TILE_TILE_COPY_GM_TO_UB_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/layout/layout.hpp"

namespace Catlass::Epilogue::Tile {

template <class ArchTag, class GmType> struct CopyGm2Ub {
    static_assert(DEPENDENT_FALSE<GmType>, "no copy from GM to UB for this layout");
};

template <class ArchTag, typename Element> struct CopyGm2Ub<ArchTag, Gemm::GemmType<Element, layout::RowMajor>> {
    using LayoutSrc = layout::RowMajor;
    using LayoutDst = layout::RowMajor;
    static constexpr uint32_t ELE_NUM_PER_BLK = BYTE_PER_BLK / sizeof(Element);

    CATLASS_DEVICE CopyGm2Ub() = default;

    CATLASS_DEVICE void operator()(AscendC::LocalTensor<Element> const &dstTensor,
                                   AscendC::GlobalTensor<Element> const &srcTensor, layout::RowMajor const &layoutDst,
                                   layout::RowMajor const &layoutSrc)
    {
        // The gap in GM counts bytes, the gap in UB counts 32-byte blocks.
        uint32_t const rowBytes = layoutSrc.shape(1) * sizeof(Element);
        uint32_t const gapInGm = static_cast<uint32_t>((layoutSrc.stride(0) - layoutSrc.shape(1)) * sizeof(Element));
        uint32_t const gapInUb = static_cast<uint32_t>((layoutDst.stride(0) - layoutDst.shape(1)) / ELE_NUM_PER_BLK);
        AscendC::DataCopyExtParams const copyParams(static_cast<uint16_t>(layoutSrc.shape(0)), rowBytes, gapInGm,
                                                    gapInUb, 0);
        AscendC::DataCopyPad(dstTensor, srcTensor, copyParams, AscendC::DataCopyPadExtParams<Element>(false, 0, 0, 0));
    }
};

template <class ArchTag, typename Element> struct CopyGm2Ub<ArchTag, Gemm::GemmType<Element, layout::VectorLayout>> {
    using LayoutSrc = layout::VectorLayout;
    using LayoutDst = layout::VectorLayout;
    static constexpr uint32_t ELE_NUM_PER_BLK = BYTE_PER_BLK / sizeof(Element);

    CATLASS_DEVICE CopyGm2Ub() = default;

    CATLASS_DEVICE void operator()(AscendC::LocalTensor<Element> const &dstTensor,
                                   AscendC::GlobalTensor<Element> const &srcTensor, layout::VectorLayout const &,
                                   layout::VectorLayout const &layoutSrc)
    {
        AscendC::DataCopyExtParams const copyParams(1, layoutSrc.shape(0) * sizeof(Element), 0, 0, 0);
        AscendC::DataCopyPad(dstTensor, srcTensor, copyParams, AscendC::DataCopyPadExtParams<Element>(false, 0, 0, 0));
    }
};

}  // namespace Catlass::Epilogue::Tile

#endif  // CATLASS_EPILOGUE_TILE_TILE_COPY_GM_TO_UB_HPP
