// Conversion between element types.
#pragma once

#include "../../machine/dequant.hpp"
#include "mask.h"
#include "tensor.h"

namespace AscendC {

namespace detail {

// The machine's round modes are the first of AscendC's, in their order; no cast of these headers has another.
static_assert(static_cast<machine::Rounding>(RoundMode::CAST_ODD) == machine::Rounding::Odd);

template <typename D, typename S>
void CastLanes(
    LocalTensor<D> const& dst, LocalTensor<S> const& src, RoundMode roundMode, machine::Lanes const& lanes,
    UnaryRepeatParams const& p, Site site)
{
    if constexpr (std::is_same_v<D, half> && std::is_same_v<S, int32_t>) {
        machine::RecordDequantize(
            "Cast", In(dst, p.dstBlkStride, p.dstRepStride), In(src, p.srcBlkStride, p.srcRepStride), lanes, site);
    } else {
        constexpr machine::RoundingSet modes = kArch.Casts(machine::kElementTypeOf<S>, machine::kElementTypeOf<D>);
        static_assert(modes != 0, "Cast does not have this pair of element types on this architecture");
        auto const rounding = static_cast<machine::Rounding>(roundMode);
        if (roundMode > RoundMode::CAST_ODD || (modes & machine::SetOf(rounding)) == 0) {
            machine::RefuseRounding("Cast", "see the Cast page for the modes of this pair", site);
            return;
        }
        machine::RecordCast<D, S>(
            In(dst, p.dstBlkStride, p.dstRepStride), In(src, p.srcBlkStride, p.srcRepStride), rounding, lanes, site);
    }
}

}  // namespace detail

/// Of the scalar unit.
inline float ToFloat(const bfloat16_t& bVal) { return bVal; }

template <typename T, typename U>
inline void Cast(
    const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const uint32_t count,
    Site site = Here())
{
    detail::CastLanes(dst, src, roundMode, machine::Lanes::Count(count), {}, site);
}

template <typename T, typename U, bool isSetMask = true, typename Mask>
inline void Cast(
    const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, Mask mask,
    const uint8_t repeatTime, const UnaryRepeatParams& repeatParams, Site site = Here())
{
    constexpr uint32_t wider = sizeof(T) > sizeof(U) ? sizeof(T) : sizeof(U);  // the mask counts the wider elements
    detail::CastLanes(dst, src, roundMode, detail::LanesOf<isSetMask>(mask, repeatTime, wider), repeatParams, site);
}

}  // namespace AscendC
