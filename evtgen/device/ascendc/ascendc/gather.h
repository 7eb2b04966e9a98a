// Gathers: by offsets, and by a mask.
#pragma once

#include "../../machine/gather.hpp"
#include "../../machine/registers.hpp"
#include "arith.h"

namespace AscendC {

/// Strides of the destination in data blocks; a block stride of 0 means 1 (Gatherb page).
struct GatherRepeatParams {
    GatherRepeatParams() = default;
    GatherRepeatParams(uint8_t dstBlkStrideIn, uint8_t dstRepStrideIn)
        : dstRepStride(dstRepStrideIn), dstBlkStride(dstBlkStrideIn)
    {}

    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;
    uint8_t dstBlkStride = DEFAULT_BLK_STRIDE;
    uint8_t src0BlkStride = DEFAULT_BLK_STRIDE;
    uint8_t src1BlkStride = DEFAULT_BLK_STRIDE;
    uint8_t src0RepStride = DEFAULT_REPEAT_STRIDE;
    uint8_t src1RepStride = DEFAULT_REPEAT_STRIDE;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
};

/// Strides in data blocks (GatherMask page).
struct GatherMaskParams {
    GatherMaskParams() = default;
    GatherMaskParams(
        uint8_t src0BlockStrideIn, uint16_t repeatTimesIn, uint16_t src0RepeatStrideIn, uint8_t src1RepeatStrideIn)
        : src0BlockStride(src0BlockStrideIn), repeatTimes(repeatTimesIn), src0RepeatStride(src0RepeatStrideIn),
          src1RepeatStride(src1RepeatStrideIn)
    {}

    uint8_t src0BlockStride = DEFAULT_BLK_STRIDE;
    uint16_t repeatTimes = 0;
    uint16_t src0RepeatStride = DEFAULT_REPEAT_STRIDE;
    uint8_t src1RepeatStride = DEFAULT_REPEAT_STRIDE;
};

namespace detail {

/// The source moved by `base` bytes: offsets count from there.
template <Form form, typename T>
void GatherLanes(
    LocalTensor<T> const& dst, LocalTensor<T> const& src, LocalTensor<uint32_t> const& offsets, uint32_t base,
    uint32_t repeatStride, Lanes const& lanes, Site site)
{
    ASCENDC_TAKES(Gather, T, form);
    if (base > src.GetLength() || base % sizeof(T) != 0) {
        machine::RefuseParameter("Gather", "srcBaseAddr does not lie on an element of the source", site);
        return;
    }
    Operand from = In(src);
    from.data = static_cast<uint8_t*>(from.data) + base;
    machine::RecordGather("Gather", In(dst, 1, repeatStride), from, src.GetLength() - base, In(offsets), lanes, site);
}

template <typename T>
void GatherMaskRepeats(
    LocalTensor<T> const& dst, LocalTensor<T> const& src, Operand const& mask, uint8_t pattern, bool reduceMode,
    uint32_t count, GatherMaskParams const& p, uint64_t& rsvdCnt, Site site)
{
    ASCENDC_TAKES(GatherMask, T);
    Operand bits = mask;
    bits.repeatStride = p.src1RepeatStride;
    // Without counting, each repeat is 256 bytes whatever the mask says.
    machine::RecordGatherMask(
        "GatherMask", In(dst), In(src, p.src0BlockStride, p.src0RepeatStride), bits, pattern,
        reduceMode ? count : ONE_REPEAT_BYTE_SIZE / static_cast<uint32_t>(sizeof(T)), p.repeatTimes, site);
    rsvdCnt = machine::CurrentRegisters().kept;
    machine::SetMaskCounts(false);  // as the page says of the mode afterwards
}

}  // namespace detail

template <typename T>
inline void Gather(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
    const uint32_t srcBaseAddr, const uint32_t count, Site site = Here())
{
    detail::GatherLanes<detail::Form::Count>(dst, src, srcOffset, srcBaseAddr, 8, detail::Lanes::Count(count), site);
}

template <typename T, typename Mask>
inline void Gather(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
    const uint32_t srcBaseAddr, Mask mask, const uint8_t repeatTime, const uint16_t dstRepStride, Site site = Here())
{
    detail::GatherLanes<detail::Form::Repeats>(
        dst, src, srcOffset, srcBaseAddr, dstRepStride, detail::LanesOf(mask, repeatTime, sizeof(T)), site);
}

/// Eight data blocks per repeat.
template <typename T>
inline void Gatherb(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& offset, const uint8_t repeatTime,
    const GatherRepeatParams& repeatParams, Site site = Here())
{
    ASCENDC_TAKES(Gatherb, T);
    uint32_t const blockStride = repeatParams.dstBlkStride == 0 ? 1 : repeatParams.dstBlkStride;
    machine::RecordGatherBlocks(
        "Gatherb", detail::In(dst, blockStride, repeatParams.dstRepStride), detail::In(src), src.GetLength(),
        detail::In(offset), repeatTime, site);
}

/// By the bits of a tensor; its elements are as wide as those that it chooses.
template <typename T, typename U>
inline void GatherMask(
    const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<U>& src1Pattern, const bool reduceMode,
    const uint32_t mask, const GatherMaskParams& gatherMaskParams, uint64_t& rsvdCnt, Site site = Here())
{
    static_assert(
        sizeof(U) == sizeof(T) && detail::IsOneOf<U, uint16_t, uint32_t>,
        "GatherMask: the mask is uint16_t for elements of two bytes, uint32_t for four");
    detail::GatherMaskRepeats(dst, src0, detail::In(src1Pattern), 0, reduceMode, mask, gatherMaskParams, rsvdCnt, site);
}

/// By a pattern, 1 to 7.
template <typename T>
inline void GatherMask(
    const LocalTensor<T>& dst, const LocalTensor<T>& src0, const uint8_t src1Pattern, const bool reduceMode,
    const uint32_t mask, const GatherMaskParams& gatherMaskParams, uint64_t& rsvdCnt, Site site = Here())
{
    if (src1Pattern < 1 || src1Pattern > 7) {
        machine::RefuseParameter("GatherMask", "src1Pattern is not within 1 and 7", site);
        return;
    }
    detail::GatherMaskRepeats(dst, src0, {}, src1Pattern, reduceMode, mask, gatherMaskParams, rsvdCnt, site);
}

}  // namespace AscendC
