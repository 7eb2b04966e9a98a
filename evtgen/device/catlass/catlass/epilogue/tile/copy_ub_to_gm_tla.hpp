// Copies a tile from UB to GM, both tensors of tla, writing exactly the bytes of each row.
#ifndef CATLASS_EPILOGUE_TILE_COPY_UB_TO_GM_TLA_HPP
#define CATLASS_EPILOGUE_TILE_COPY_UB_TO_GM_TLA_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "tla/layout.hpp"
#include "tla/tensor.hpp"

namespace Catlass::Epilogue::Tile {

template <class ArchTag, class TensorSrc, class TensorDst, class = void> struct CopyUb2GmTla {
    static_assert(DEPENDENT_FALSE<TensorSrc>, "no copy from UB to GM for tensors of these layouts");
};

template <class ArchTag, class Element, class LayoutSrc, class LayoutDst, class CoordSrc, class CoordDst>
struct CopyUb2GmTla<
    ArchTag, tla::Tensor<AscendC::LocalTensor<Element>, LayoutSrc, CoordSrc, AscendC::TPosition::VECCALC>,
    tla::Tensor<AscendC::GlobalTensor<Element>, LayoutDst, CoordDst, AscendC::TPosition::GM>,
    std::enable_if_t<tla::detail::isRowMajor<LayoutSrc>::value && tla::detail::isRowMajor<LayoutDst>::value>> {
    static constexpr uint32_t ELE_NUM_PER_C0 = BYTE_PER_C0 / sizeof(Element);

    CATLASS_DEVICE CopyUb2GmTla() = default;

    template <class TensorDst, class TensorSrc>
    CATLASS_DEVICE void operator()(TensorDst const &dstTensor, TensorSrc const &srcTensor)
    {
        uint32_t const rows = tla::get<0>(dstTensor.originShape());
        uint32_t const columns = tla::get<1>(dstTensor.originShape());
        // The gap in UB counts 32-byte blocks, the gap in GM counts bytes.
        AscendC::DataCopyExtParams const copyParams(
            static_cast<uint16_t>(rows), static_cast<uint32_t>(columns * sizeof(Element)),
            static_cast<uint32_t>((tla::get<0>(srcTensor.stride()) - columns) / ELE_NUM_PER_C0),
            static_cast<uint32_t>((tla::get<0>(dstTensor.stride()) - columns) * sizeof(Element)), 0);
        AscendC::DataCopyPad(dstTensor.data()[dstTensor.layout()(dstTensor.coord())],
                             srcTensor.data()[srcTensor.layout()(srcTensor.coord())], copyParams);
    }
};

}  // namespace Catlass::Epilogue::Tile

#endif  // CATLASS_EPILOGUE_TILE_COPY_UB_TO_GM_TLA_HPP
