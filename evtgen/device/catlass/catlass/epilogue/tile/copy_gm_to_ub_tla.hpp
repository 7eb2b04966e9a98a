// Copies a tile from GM to UB, both tensors of tla. Rows start where the UB tensor's stride says, which is a whole number
// of 32-byte blocks; the bytes between the end of a row and the next block are undefined afterwards.
#ifndef CATLASS_EPILOGUE_TILE_COPY_GM_TO_UB_TLA_HPP
#define CATLASS_EPILOGUE_TILE_COPY_GM_TO_UB_TLA_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "tla/layout.hpp"
#include "tla/tensor.hpp"

namespace Catlass::Epilogue::Tile {

template <class ArchTag, class TensorSrc, class TensorDst, class = void> struct CopyGm2UbTla {
    static_assert(DEPENDENT_FALSE<TensorSrc>, "no copy from GM to UB for tensors of these layouts");
};

template <class ArchTag, class Element, class LayoutSrc, class LayoutDst, class CoordSrc, class CoordDst>
struct CopyGm2UbTla<
    ArchTag, tla::Tensor<AscendC::GlobalTensor<Element>, LayoutSrc, CoordSrc, AscendC::TPosition::GM>,
    tla::Tensor<AscendC::LocalTensor<Element>, LayoutDst, CoordDst, AscendC::TPosition::VECCALC>,
    std::enable_if_t<tla::detail::isRowMajor<LayoutSrc>::value && tla::detail::isRowMajor<LayoutDst>::value>> {
    static constexpr uint32_t ELE_NUM_PER_BLK = BYTE_PER_BLK / sizeof(Element);

    CATLASS_DEVICE CopyGm2UbTla() = default;

    template <class TensorDst, class TensorSrc>
    CATLASS_DEVICE void operator()(TensorDst const &dstTensor, TensorSrc const &srcTensor)
    {
        uint32_t const rows = tla::get<0>(srcTensor.originShape());
        uint32_t const columns = tla::get<1>(srcTensor.originShape());
        // The gap in GM counts bytes, the gap in UB counts 32-byte blocks.
        AscendC::DataCopyExtParams const copyParams(
            static_cast<uint16_t>(rows), static_cast<uint32_t>(columns * sizeof(Element)),
            static_cast<uint32_t>((tla::get<0>(srcTensor.stride()) - columns) * sizeof(Element)),
            static_cast<uint32_t>((tla::get<0>(dstTensor.stride()) - columns) / ELE_NUM_PER_BLK), 0);
        AscendC::DataCopyPad(dstTensor.data()[dstTensor.layout()(dstTensor.coord())],
                             srcTensor.data()[srcTensor.layout()(srcTensor.coord())], copyParams,
                             AscendC::DataCopyPadExtParams<Element>(false, 0, 0, 0));
    }
};

template <class ArchTag, class Element, class LayoutSrc, class LayoutDst, class CoordSrc, class CoordDst>
struct CopyGm2UbTla<
    ArchTag, tla::Tensor<AscendC::GlobalTensor<Element>, LayoutSrc, CoordSrc, AscendC::TPosition::GM>,
    tla::Tensor<AscendC::LocalTensor<Element>, LayoutDst, CoordDst, AscendC::TPosition::VECCALC>,
    std::enable_if_t<tla::detail::isVector<LayoutSrc>::value && tla::detail::isVector<LayoutDst>::value>> {
    CATLASS_DEVICE CopyGm2UbTla() = default;

    template <class TensorDst, class TensorSrc>
    CATLASS_DEVICE void operator()(TensorDst const &dstTensor, TensorSrc const &srcTensor)
    {
        uint32_t const length = tla::get<0>(srcTensor.shape());
        AscendC::DataCopyExtParams const copyParams(1, static_cast<uint32_t>(length * sizeof(Element)), 0, 0, 0);
        AscendC::DataCopyPad(dstTensor.data()[dstTensor.layout()(dstTensor.coord())],
                             srcTensor.data()[srcTensor.layout()(srcTensor.coord())], copyParams,
                             AscendC::DataCopyPadExtParams<Element>(false, 0, 0, 0));
    }
};

}  // namespace Catlass::Epilogue::Tile

#endif  // CATLASS_EPILOGUE_TILE_COPY_GM_TO_UB_TLA_HPP
