// CreateVecIndex: rising numbers. The core has no instruction for it: S writes the first data block (by mask, the first
// repeat), and V adds to what is there.
#pragma once

#include "arith.h"
#include "pipe.h"

namespace AscendC {

namespace detail {

template <typename T> void WaitForScalar(Site site)
{
    TEventID const id = GetTPipePtr()->template FetchEventID<HardEvent::S_V>(site);
    SetFlag<HardEvent::S_V>(id, site);
    WaitFlag<HardEvent::S_V>(id, site);
}

/// dst[to] = dst[from] + step for `count` elements, in one repeat.
template <typename T>
void Continue(
    LocalTensor<T> const& dst, uint32_t to, uint32_t from, uint32_t step, uint32_t count, uint16_t blockStride,
    Site site)
{
    if (count != 0) {
        Adds(
            dst[to], dst[from], static_cast<T>(step), uint64_t{count}, 1,
            UnaryRepeatParams(blockStride, blockStride, DEFAULT_REPEAT_STRIDE, DEFAULT_REPEAT_STRIDE), site);
        PipeBarrier<PIPE_V>(site);
    }
}

/// The first `count` elements of a repeat: the first block by S, the others each from the one before.
template <typename T>
void IndexRepeat(LocalTensor<T> const& dst, T const& firstValue, uint32_t count, uint16_t blockStride, Site site)
{
    constexpr uint32_t perBlock = ONE_BLK_SIZE / sizeof(T);
    for (uint32_t i = 0; i < ::min(count, perBlock); ++i) {
        dst.SetValue(i, static_cast<T>(firstValue + static_cast<T>(i)), site);
    }
    WaitForScalar<T>(site);
    for (uint32_t block = 1; block * perBlock < count; ++block) {
        Continue(
            dst, block * perBlock * blockStride, (block - 1) * perBlock * blockStride, perBlock,
            ::min(count - block * perBlock, perBlock), blockStride, site);
    }
}

}  // namespace detail

template <typename T>
inline void CreateVecIndex(LocalTensor<T> dst, const T& firstValue, uint32_t count, Site site = Here())
{
    ASCENDC_TAKES(CreateVecIndex, T);
    constexpr uint32_t perRepeat = ONE_REPEAT_BYTE_SIZE / sizeof(T);
    if (count == 0) { return; }
    detail::IndexRepeat(dst, firstValue, ::min(count, perRepeat), 1, site);
    for (uint32_t at = perRepeat; at < count; at += perRepeat) {
        detail::Continue(dst, at, at - perRepeat, perRepeat, ::min(count - at, perRepeat), 1, site);
    }
}

template <typename T>
inline void CreateVecIndex(
    LocalTensor<T>& dst, const T& firstValue, uint64_t mask, uint8_t repeatTime, uint16_t dstBlkStride,
    uint8_t dstRepStride, Site site = Here())
{
    ASCENDC_TAKES(CreateVecIndex, T);
    constexpr uint32_t perRepeat = ONE_REPEAT_BYTE_SIZE / sizeof(T);
    detail::Lanes const lanes = detail::Lanes::First(mask, repeatTime, sizeof(T));
    if (!machine::Active(lanes, "CreateVecIndex", site) || repeatTime == 0) { return; }
    uint32_t const stride = uint32_t{dstRepStride} * ONE_BLK_SIZE / sizeof(T);
    detail::IndexRepeat(dst, firstValue, static_cast<uint32_t>(mask), dstBlkStride, site);
    for (uint32_t r = 1; r < repeatTime; ++r) {
        detail::Continue(dst, r * stride, (r - 1) * stride, perRepeat, static_cast<uint32_t>(mask), dstBlkStride, site);
    }
}

template <typename T>
inline void CreateVecIndex(
    LocalTensor<T>& dst, const T& firstValue, uint64_t mask[], uint8_t repeatTime, uint16_t dstBlkStride,
    uint8_t dstRepStride, Site site = Here())
{
    ASCENDC_TAKES(CreateVecIndex, T);
    constexpr uint32_t perRepeat = ONE_REPEAT_BYTE_SIZE / sizeof(T);
    constexpr uint32_t perBlock = ONE_BLK_SIZE / sizeof(T);
    detail::Lanes const lanes = detail::Lanes::Masked(mask, repeatTime, sizeof(T));
    if (!machine::Active(lanes, "CreateVecIndex", site) || repeatTime == 0) { return; }
    for (uint32_t e = 0; e < perRepeat; ++e) {
        if (lanes.Has(0, e)) {
            dst.SetValue(
                e / perBlock * perBlock * dstBlkStride + e % perBlock, static_cast<T>(firstValue + static_cast<T>(e)),
                site);
        }
    }
    detail::WaitForScalar<T>(site);
    uint32_t const stride = uint32_t{dstRepStride} * ONE_BLK_SIZE / sizeof(T);
    for (uint32_t r = 1; r < repeatTime; ++r) {
        Adds(
            dst[r * stride], dst[(r - 1) * stride], static_cast<T>(perRepeat), mask, 1,
            UnaryRepeatParams(dstBlkStride, dstBlkStride, DEFAULT_REPEAT_STRIDE, DEFAULT_REPEAT_STRIDE), site);
        PipeBarrier<PIPE_V>(site);
    }
}

}  // namespace AscendC
