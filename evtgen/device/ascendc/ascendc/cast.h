// Conversion between element types.
#ifndef EVTGEN_ASCENDC_CAST_H
#define EVTGEN_ASCENDC_CAST_H

#include "../../machine/vector.hpp"
#include "mask.h"
#include "tensor.h"

namespace AscendC {

namespace detail {

/// Sets of round modes, as bits.
constexpr uint32_t kModeNone = 1u << static_cast<uint32_t>(RoundMode::CAST_NONE);
constexpr uint32_t kModeOdd = 1u << static_cast<uint32_t>(RoundMode::CAST_ODD);
constexpr uint32_t kModesFive =
    1u << static_cast<uint32_t>(RoundMode::CAST_RINT) | 1u << static_cast<uint32_t>(RoundMode::CAST_FLOOR)
    | 1u << static_cast<uint32_t>(RoundMode::CAST_CEIL) | 1u << static_cast<uint32_t>(RoundMode::CAST_ROUND)
    | 1u << static_cast<uint32_t>(RoundMode::CAST_TRUNC);

/// The round modes that a cast from S to D has; 0 if there is no such cast (Cast page, table of the product).
template <typename D, typename S>
constexpr uint32_t CastModes()
{
    constexpr bool toHalf = std::is_same_v<D, half>;
    constexpr bool toFloat = std::is_same_v<D, float>;
    if constexpr (std::is_same_v<S, float>) {
        if constexpr (toHalf)
            return kModesFive | kModeOdd | kModeNone;
        else if constexpr (IsOneOf<D, bfloat16_t, int16_t, int32_t, int64_t, float>)
            return kModesFive;
    } else if constexpr (std::is_same_v<S, half>) {
        if constexpr (toFloat)
            return kModeNone;
        else if constexpr (IsOneOf<D, int16_t, int32_t>)
            return kModesFive;
#if CATLASS_ARCH == 3510
        else if constexpr (IsOneOf<D, int8_t, uint8_t, bfloat16_t>)
            return kModesFive;
#else
        else if constexpr (IsOneOf<D, int8_t, uint8_t>)
            return kModesFive | kModeNone;
#endif
    } else if constexpr (std::is_same_v<S, bfloat16_t>) {
        if constexpr (toFloat)
            return kModeNone;
        else if constexpr (std::is_same_v<D, int32_t>)
            return kModesFive;
#if CATLASS_ARCH == 3510
        else if constexpr (toHalf)
            return kModesFive;
#endif
    } else if constexpr (IsOneOf<S, int8_t, uint8_t>) {
        if constexpr (toHalf)
            return kModeNone;
    } else if constexpr (std::is_same_v<S, int16_t>) {
        if constexpr (toFloat)
            return kModeNone;
#if CATLASS_ARCH == 3510
        else if constexpr (toHalf)
            return kModesFive;
        else if constexpr (IsOneOf<D, uint8_t, int32_t>)
            return kModeNone;
#else
        else if constexpr (toHalf)
            return kModesFive | kModeNone;
#endif
    } else if constexpr (std::is_same_v<S, int32_t>) {
#if CATLASS_ARCH == 3510
        if constexpr (toFloat)
            return kModesFive;
#else
        if constexpr (toFloat)
            return kModesFive | kModeNone;
#endif
        else if constexpr (IsOneOf<D, int16_t, int64_t>)
            return kModeNone;
    } else if constexpr (std::is_same_v<S, int64_t>) {
        if constexpr (toFloat)
            return kModesFive;
        else if constexpr (std::is_same_v<D, int32_t>)
            return kModeNone;
    }
    return 0;
}

template <typename D, typename S>
void CastLanes(
    LocalTensor<D> const& dst, LocalTensor<S> const& src, RoundMode roundMode, machine::Lanes const& lanes,
    UnaryRepeatParams const& p, Site site)
{
    constexpr uint32_t modes = CastModes<D, S>();
    static_assert(modes != 0, "Cast does not have this pair of element types on this architecture");
    if ((modes >> static_cast<uint32_t>(roundMode) & 1u) == 0) {
        machine::RefuseRounding("Cast", "see the Cast page for the modes of this pair", site);
        return;
    }
    machine::RecordConvert(
        "Cast", machine::FindConvert(machine::ElementTypeOf<D>::value, machine::ElementTypeOf<S>::value),
        {dst.GetPhyAddr(), sizeof(D), p.dstBlkStride, p.dstRepStride},
        {src.GetPhyAddr(), sizeof(S), p.srcBlkStride, p.srcRepStride}, static_cast<machine::Rounding>(roundMode), lanes,
        site);
}

}  // namespace detail

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
