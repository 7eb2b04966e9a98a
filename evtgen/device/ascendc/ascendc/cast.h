// Conversion between element types.
#ifndef EVTGEN_ASCENDC_CAST_H
#define EVTGEN_ASCENDC_CAST_H

#include "../../machine/vector.hpp"
#include "mask.h"
#include "tensor.h"

namespace AscendC {

namespace detail {

/// The round modes that a cast from S to D has on this architecture; 0 if there is no such cast.
template <typename D, typename S>
constexpr machine::RoundingSet CastModes()
{
    return kArch.Casts(machine::ElementTypeOf<S>::value, machine::ElementTypeOf<D>::value);
}

/// The machine's name of a round mode. False for those that no cast of these headers has.
inline bool RoundingOf(RoundMode mode, machine::Rounding& rounding)
{
    switch (mode) {
        case RoundMode::CAST_NONE:
            rounding = machine::Rounding::None;
            return true;
        case RoundMode::CAST_RINT:
            rounding = machine::Rounding::Rint;
            return true;
        case RoundMode::CAST_FLOOR:
            rounding = machine::Rounding::Floor;
            return true;
        case RoundMode::CAST_CEIL:
            rounding = machine::Rounding::Ceil;
            return true;
        case RoundMode::CAST_ROUND:
            rounding = machine::Rounding::Round;
            return true;
        case RoundMode::CAST_TRUNC:
            rounding = machine::Rounding::Trunc;
            return true;
        case RoundMode::CAST_ODD:
            rounding = machine::Rounding::Odd;
            return true;
        case RoundMode::CAST_HYBRID:
        case RoundMode::UNKNOWN:
            break;
    }
    return false;
}

template <typename D, typename S>
void CastLanes(
    LocalTensor<D> const& dst, LocalTensor<S> const& src, RoundMode roundMode, machine::Lanes const& lanes,
    UnaryRepeatParams const& p, Site site)
{
    constexpr machine::RoundingSet modes = CastModes<D, S>();
    static_assert(modes != 0, "Cast does not have this pair of element types on this architecture");
    machine::Rounding rounding = machine::Rounding::None;
    if (!RoundingOf(roundMode, rounding) || (modes & machine::SetOf(rounding)) == 0) {
        machine::RefuseRounding("Cast", "see the Cast page for the modes of this pair", site);
        return;
    }
    machine::RecordConvert(
        "Cast", machine::FindConvert(machine::ElementTypeOf<D>::value, machine::ElementTypeOf<S>::value),
        In(dst, p.dstBlkStride, p.dstRepStride), In(src, p.srcBlkStride, p.srcRepStride), rounding, lanes, site);
}

}  // namespace detail

/// Of the scalar unit.
inline float ToFloat(const bfloat16_t& bVal)
{
    return bVal;
}

template <typename T, typename U>
inline void Cast(
    const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const uint32_t count,
    Site site = Here())
{
    detail::CastLanes(dst, src, roundMode, machine::Lanes::Count(count), {}, site);
}

template <typename T, typename U, bool isSetMask = true>
inline void Cast(
    const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const uint64_t mask[],
    const uint8_t repeatTime, const UnaryRepeatParams& repeatParams, Site site = Here())
{
    constexpr uint32_t wider = sizeof(T) > sizeof(U) ? sizeof(T) : sizeof(U);  // the mask counts the wider elements
    detail::CastLanes(dst, src, roundMode, detail::BitLanes<isSetMask>(mask, repeatTime, wider), repeatParams, site);
}

template <typename T, typename U, bool isSetMask = true>
inline void Cast(
    const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const uint64_t mask,
    const uint8_t repeatTime, const UnaryRepeatParams& repeatParams, Site site = Here())
{
    constexpr uint32_t wider = sizeof(T) > sizeof(U) ? sizeof(T) : sizeof(U);
    detail::CastLanes(dst, src, roundMode, detail::FirstLanes<isSetMask>(mask, repeatTime, wider), repeatParams, site);
}

}  // namespace AscendC

#endif  // EVTGEN_ASCENDC_CAST_H
