// The vector mask: the active lanes of a repeat. It belongs to the core and is used by calls with isSetMask = false.
#pragma once

#include "../../machine/vector.hpp"
#include "types.h"

namespace AscendC {

inline void SetMaskNorm() { machine::SetMaskCounts(false); }
inline void SetMaskCount() { machine::SetMaskCounts(true); }
/// All lanes.
inline void ResetMask() { machine::SetMask(~uint64_t{0}, ~uint64_t{0}); }

template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow)
{
    machine::SetMask(maskHigh, maskLow);
}

/// Normal mode: the first `len` lanes of each repeat. Counter mode: `len` elements in all.
template <typename T, MaskMode mode = MaskMode::NORMAL> inline void SetVectorMask(int32_t len, Site site = Here())
{
    if constexpr (mode == MaskMode::COUNTER) {
        machine::Lanes const lanes = machine::Lanes::Count(len);
        machine::Active(lanes, "SetVectorMask", site);
        machine::SetMask(0, lanes.count);
    } else {
        machine::Lanes const lanes = machine::Lanes::First(static_cast<uint64_t>(len), 1, sizeof(T));
        machine::Active(lanes, "SetVectorMask", site);
        machine::SetMask(lanes.mask[1], lanes.mask[0]);
    }
}

namespace detail {

/// The lanes of a call with repeats. `mask` is a number, the first lanes of each repeat, or an array, a bit per lane: the
/// pages list both forms of each call. Without isSetMask the core's own mask counts.
template <bool isSetMask = true, typename Mask>
machine::Lanes LanesOf(Mask mask, uint32_t repeat, uint32_t elementBytes)
{
    if constexpr (!isSetMask) {
        return machine::Lanes::OfCore(repeat, elementBytes);
    } else if constexpr (std::is_pointer_v<Mask>) {
        return machine::Lanes::Masked(mask, repeat, elementBytes);
    } else {
        return machine::Lanes::First(static_cast<uint64_t>(mask), repeat, elementBytes);
    }
}

}  // namespace detail

}  // namespace AscendC
