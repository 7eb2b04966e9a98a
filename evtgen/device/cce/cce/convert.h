// Conversions between element types: vconv_<source>2<destination><round mode>(dst, src, repeat, strides). The letter of
// the round mode is r, f, c, a, z or o; without one the conversion is exact or rounds to nearest even.
#pragma once

#include "operand.h"

namespace cce {

/// What programs point to: AscendC has a type of its own for two elements of 4 bits.
template <class T> using Pointed = std::conditional_t<machine::kPacked<T> == 1, T, void>;

template <class D, class S>
void Convert(
    D* dst, S* src, machine::Rounding rounding, uint64_t repeat, uint64_t dstBlockStride, uint64_t srcBlockStride,
    uint64_t dstRepeatStride, uint64_t srcRepeatStride, Site site)
{
    constexpr machine::ElementType from = machine::kElementTypeOf<S>;
    constexpr machine::ElementType to = machine::kElementTypeOf<D>;
    static_assert(kArch.Casts(from, to) != 0, "the architecture does not have this conversion");
    machine::RecordCast<D, S>(
        Ub(dst, dstBlockStride, dstRepeatStride), Ub(src, srcBlockStride, srcRepeatStride), rounding,
        Chosen(repeat, std::max(sizeof(D), sizeof(S))), site);
}

}  // namespace cce

#define EVTGEN_CCE_CONVERT(name, D, S, rounding)                                                                      \
    inline void name(                                                                                                 \
        cce::Pointed<D>* dst, cce::Pointed<S>* src, uint8_t repeat, uint16_t dstBlockStride, uint16_t srcBlockStride, \
        uint16_t dstRepeatStride, uint16_t srcRepeatStride, cce::Site site = cce::Here())                             \
    {                                                                                                                 \
        cce::Convert<D, S>(                                                                                           \
            static_cast<D*>(dst), static_cast<S*>(src), machine::Rounding::rounding, repeat, dstBlockStride,          \
            srcBlockStride, dstRepeatStride, srcRepeatStride, site);                                                  \
    }
#define EVTGEN_CCE_CONVERT_ROUNDED(name, D, S) \
    EVTGEN_CCE_CONVERT(name##r, D, S, Rint)    \
    EVTGEN_CCE_CONVERT(name##f, D, S, Floor)   \
    EVTGEN_CCE_CONVERT(name##c, D, S, Ceil)    \
    EVTGEN_CCE_CONVERT(name##a, D, S, Round)   \
    EVTGEN_CCE_CONVERT(name##z, D, S, Trunc)
#define EVTGEN_CCE_CONVERT_ALL(name, D, S) \
    EVTGEN_CCE_CONVERT(name, D, S, None)   \
    EVTGEN_CCE_CONVERT_ROUNDED(name, D, S)

EVTGEN_CCE_CONVERT(vconv_f162f32, float, half, None)
EVTGEN_CCE_CONVERT(vconv_bf162f32, float, bfloat16_t, None)
EVTGEN_CCE_CONVERT(vconv_s82f16, half, int8_t, None)
EVTGEN_CCE_CONVERT(vconv_u82f16, half, uint8_t, None)
EVTGEN_CCE_CONVERT(vconv_s162f32, float, int16_t, None)
EVTGEN_CCE_CONVERT(vconv_s322s16, int16_t, int32_t, None)
EVTGEN_CCE_CONVERT(vconv_s322s64, int64_t, int32_t, None)
EVTGEN_CCE_CONVERT(vconv_s642s32, int32_t, int64_t, None)
EVTGEN_CCE_CONVERT_ALL(vconv_f322f16, half, float)
EVTGEN_CCE_CONVERT(vconv_f322f16o, half, float, Odd)
EVTGEN_CCE_CONVERT_ROUNDED(vconv_f322bf16, bfloat16_t, float)
EVTGEN_CCE_CONVERT_ROUNDED(vconv_f322s16, int16_t, float)
EVTGEN_CCE_CONVERT_ROUNDED(vconv_f322s32, int32_t, float)
EVTGEN_CCE_CONVERT_ROUNDED(vconv_f322s64, int64_t, float)
EVTGEN_CCE_CONVERT_ROUNDED(vconv_f322f32, float, float)
EVTGEN_CCE_CONVERT_ROUNDED(vconv_f162s16, int16_t, half)
EVTGEN_CCE_CONVERT_ROUNDED(vconv_f162s32, int32_t, half)
EVTGEN_CCE_CONVERT_ROUNDED(vconv_bf162s32, int32_t, bfloat16_t)
EVTGEN_CCE_CONVERT_ALL(vconv_s322f32, float, int32_t)
EVTGEN_CCE_CONVERT_ALL(vconv_s162f16, half, int16_t)
EVTGEN_CCE_CONVERT_ALL(vconv_f162s8, int8_t, half)
EVTGEN_CCE_CONVERT_ALL(vconv_f162u8, uint8_t, half)
EVTGEN_CCE_CONVERT_ALL(vconv_f162s4, machine::Int4x2, half)
EVTGEN_CCE_CONVERT(vconv_s42f16, half, machine::Int4x2, None)
EVTGEN_CCE_CONVERT_ROUNDED(vconv_s642f32, float, int64_t)
#undef EVTGEN_CCE_CONVERT_ALL
#undef EVTGEN_CCE_CONVERT_ROUNDED
#undef EVTGEN_CCE_CONVERT
