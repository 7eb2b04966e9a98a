// Copies a tile from UB to GM, writing exactly the bytes of each row.
#ifndef CATLASS_EPILOGUE_TILE_TILE_COPY_UB_TO_GM_HPP
#define CATLASS_EPILOGUE_TILE_TILE_COPY_UB_TO_GM_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/layout/layout.hpp"

namespace Catlass::Epilogue::Tile {

template <class ArchTag, class GmType> struct CopyUb2Gm {
    static_assert(DEPENDENT_FALSE<GmType>, "no copy from UB to GM for this layout");
};

template <class ArchTag, typename Element> struct CopyUb2Gm<ArchTag, Gemm::GemmType<Element, layout::RowMajor>> {
    using LayoutSrc = layout::RowMajor;
    using LayoutDst = layout::RowMajor;
    static constexpr uint32_t ELE_NUM_PER_C0 = BYTE_PER_C0 / sizeof(Element);

    CATLASS_DEVICE CopyUb2Gm() = default;

    CATLASS_DEVICE void operator()(AscendC::GlobalTensor<Element> const &dstTensor,
                                   AscendC::LocalTensor<Element> const &srcTensor, layout::RowMajor const &layoutDst,
                                   layout::RowMajor const &layoutSrc)
    {
        // The gap in UB counts 32-byte blocks, the gap in GM counts bytes.
        uint32_t const rowBytes = layoutDst.shape(1) * sizeof(Element);
        uint32_t const gapInUb = static_cast<uint32_t>((layoutSrc.stride(0) - layoutSrc.shape(1)) / ELE_NUM_PER_C0);
        uint32_t const gapInGm = static_cast<uint32_t>((layoutDst.stride(0) - layoutDst.shape(1)) * sizeof(Element));
        AscendC::DataCopyExtParams const copyParams(static_cast<uint16_t>(layoutDst.shape(0)), rowBytes, gapInUb,
                                                    gapInGm, 0);
        AscendC::DataCopyPad(dstTensor, srcTensor, copyParams);
    }
};

template <class ArchTag, typename Element> struct CopyUb2Gm<ArchTag, Gemm::GemmType<Element, layout::VectorLayout>> {
    using LayoutSrc = layout::VectorLayout;
    using LayoutDst = layout::VectorLayout;
    static constexpr uint32_t ELE_NUM_PER_BLK = BYTE_PER_BLK / sizeof(Element);

    CATLASS_DEVICE CopyUb2Gm() = default;

    CATLASS_DEVICE void operator()(AscendC::GlobalTensor<Element> const &dstTensor,
                                   AscendC::LocalTensor<Element> const &srcTensor,
                                   layout::VectorLayout const &layoutDst, layout::VectorLayout const &)
    {
        AscendC::DataCopyExtParams const copyParams(1, layoutDst.shape(0) * sizeof(Element), 0, 0, 0);
        AscendC::DataCopyPad(dstTensor, srcTensor, copyParams);
    }
};

}  // namespace Catlass::Epilogue::Tile

#endif  // CATLASS_EPILOGUE_TILE_TILE_COPY_UB_TO_GM_HPP
