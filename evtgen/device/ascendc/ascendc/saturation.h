// Modes for results that their type does not have: bits of the CTRL register (pages of SetCtrlSpr, SetSaturationFlag).
#pragma once

#include "../../machine/registers.hpp"
#include "../../machine/vector.hpp"
#include "types.h"

namespace AscendC {

enum class SaturationMode : uint8_t { FLOAT, FLOAT8, INT, CAST };

namespace detail {

/// Of the bits that an architecture has, not the ones of atomic stores and of hifloat8_t.
template <int8_t first, int8_t last> constexpr bool SetsControl()
{
    using namespace machine::control;
    constexpr bool more = first == kNan || first == kIntegers || first == kCasts || first == kGlobal;
    return first == last && (first == kFloats || (more && kArch.saturatesByCall));
}

template <SaturationMode mode> constexpr uint32_t BitOf()
{
    using namespace machine::control;
    static_assert(mode != SaturationMode::FLOAT8 || kArch.saturatesByCall, "no floats of 8 bits on this architecture");
    return mode == SaturationMode::FLOAT    ? kFloats
           : mode == SaturationMode::FLOAT8 ? kNan
           : mode == SaturationMode::INT    ? kIntegers
                                            : kCasts;
}

}  // namespace detail

template <int8_t startBit, int8_t endBit> inline void SetCtrlSpr(int64_t value, Site site = Here())
{
    static_assert(detail::SetsControl<startBit, endBit>(), "the CPU model does not have these bits of CTRL here");
    if (static_cast<uint64_t>(value) >> (endBit - startBit + 1) != 0) {
        machine::RefuseParameter("SetCtrlSpr", "the value has more bits than startBit to endBit", site);
        return;
    }
    machine::SetControl("SetCtrlSpr", startBit, endBit, static_cast<uint64_t>(value), site);
}

template <int8_t startBit, int8_t endBit> inline int64_t GetCtrlSpr()
{
    static_assert(detail::SetsControl<startBit, endBit>(), "the CPU model does not have these bits of CTRL here");
    return static_cast<int64_t>(machine::Control(startBit, endBit));
}

#if CATLASS_ARCH == 3510
/// Floats saturate then: the default of bit 48 is 0.
template <int8_t startBit, int8_t endBit> inline void ResetCtrlSpr()
{
    static_assert(detail::SetsControl<startBit, endBit>(), "the CPU model does not have these bits of CTRL here");
    machine::ResetControl(startBit, endBit);
}
#endif

/// AscendC has INT too, which the page does not list.
template <SaturationMode mode> inline void SetSaturationFlag(bool enableSat, Site site = Here())
{
    constexpr uint32_t bit = detail::BitOf<mode>();
    machine::SetControl("SetSaturationFlag", bit, bit, enableSat == (mode == SaturationMode::INT) ? 1 : 0, site);
}

template <SaturationMode mode> inline bool GetSaturationFlag()
{
    constexpr uint32_t bit = detail::BitOf<mode>();
    return (machine::Control(bit, bit) != 0) == (mode == SaturationMode::INT);
}

}  // namespace AscendC
