// Transposing sixteen data blocks.
#ifndef EVTGEN_ASCENDC_TRANSPOSE_H
#define EVTGEN_ASCENDC_TRANSPOSE_H

#include "../../machine/transpose.hpp"
#include "arith.h"

namespace AscendC {

constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = machine::kTransposedBlocks;

/// Strides in data blocks; the halves matter to elements of one byte only.
struct TransDataTo5HDParams {
    TransDataTo5HDParams() = default;
    TransDataTo5HDParams(
        bool dstHighHalfIn, bool srcHighHalfIn, uint8_t repeatTimesIn, uint16_t dstRepStrideIn, uint16_t srcRepStrideIn)
        : dstHighHalf(dstHighHalfIn)
        , srcHighHalf(srcHighHalfIn)
        , repeatTimes(repeatTimesIn)
        , dstRepStride(dstRepStrideIn)
        , srcRepStride(srcRepStrideIn)
    {
    }

    bool dstHighHalf = false;
    bool srcHighHalf = false;
    uint8_t repeatTimes = 1;
    uint16_t dstRepStride = 0;
    uint16_t srcRepStride = 0;
};

/// Sixteen data blocks by their addresses. With one repeat the strides are added to the addresses (TransDataTo5HD page).
template <typename T>
inline void TransDataTo5HD(
    uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE], uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
    const TransDataTo5HDParams& nchwconvParams, Site site = Here())
{
    static_assert(
        detail::Takes<detail::Op::TransDataTo5HD, T>(),
        "TransDataTo5HD does not take this element type on this architecture");
    constexpr bool halves = sizeof(T) == 1;
    auto const sideOf = [&](uint64_t const* list, uint16_t stride, bool highHalf) {
        machine::BlockList side;
        side.offset = halves && highHalf ? ONE_BLK_SIZE / 2 : 0;
        side.repeatStride = uint64_t{stride} * ONE_BLK_SIZE;
        uint64_t const offset = nchwconvParams.repeatTimes == 1 ? side.repeatStride : 0;
        for (int32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
            side.blocks[i] = reinterpret_cast<uint8_t*>(list[i] + offset);
        }
        return side;
    };
    machine::RecordTranspose(
        "TransDataTo5HD", sideOf(dstList, nchwconvParams.dstRepStride, nchwconvParams.dstHighHalf),
        sideOf(srcList, nchwconvParams.srcRepStride, nchwconvParams.srcHighHalf), sizeof(T),
        halves ? ONE_BLK_SIZE / 2 : ONE_BLK_SIZE, nchwconvParams.repeatTimes, site);
}

template <typename T>
inline void TransDataTo5HD(
    const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
    const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE], const TransDataTo5HDParams& nchwconvParams,
    Site site = Here())
{
    uint64_t dst[NCHW_CONV_ADDR_LIST_SIZE];
    uint64_t src[NCHW_CONV_ADDR_LIST_SIZE];
    for (int32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
        dst[i] = dstList[i].GetPhyAddr();
        src[i] = srcList[i].GetPhyAddr();
    }
    TransDataTo5HD<T>(dst, src, nchwconvParams, site);
}

}  // namespace AscendC

#endif  // EVTGEN_ASCENDC_TRANSPOSE_H
