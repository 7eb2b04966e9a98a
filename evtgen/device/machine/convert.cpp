#include "convert.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "saturation.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#define EVTGEN_X86 1
#endif

namespace machine {

namespace {

__extension__ using Wide = __int128;

void HalfToFloatPortable(float* dst, uint16_t const* src, size_t count)
{
    for (size_t i = 0; i < count; ++i) { dst[i] = HalfBitsToFloat(src[i]); }
}

void FloatToHalfPortable(uint16_t* dst, float const* src, size_t count)
{
    for (size_t i = 0; i < count; ++i) { dst[i] = FloatToHalfBits(src[i]); }
}

#ifdef EVTGEN_X86
__attribute__((target("avx,f16c"))) void HalfToFloatF16c(float* dst, uint16_t const* src, size_t count)
{
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        _mm256_storeu_ps(dst + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<__m128i const*>(src + i))));
    }
    HalfToFloatPortable(dst + i, src + i, count - i);
}

__attribute__((target("avx,f16c"))) void FloatToHalfF16c(uint16_t* dst, float const* src, size_t count)
{
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        __m128i const halves = _mm256_cvtps_ph(_mm256_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + i), halves);
    }
    FloatToHalfPortable(dst + i, src + i, count - i);
}

bool HasF16c()
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2");  // every CPU with AVX2 has F16C, and not every compiler knows its name
}
#endif

/// Rounds a magnitude whose low bits are dropped: `kept` stays, `rest` of `unit` is lost. Whether to add one to `kept`.
bool RoundsUp(uint32_t kept, uint64_t rest, uint64_t unit, bool negative, Rounding rounding)
{
    if (rest == 0) { return false; }
    switch (rounding) {
        case Rounding::Floor: return negative;
        case Rounding::Ceil: return !negative;
        case Rounding::Trunc: return false;
        case Rounding::Odd: return (kept & 1u) == 0;
        case Rounding::Round: return 2 * rest >= unit;
        default: return 2 * rest > unit || (2 * rest == unit && (kept & 1u) != 0);
    }
}

/// Rounding of a value to a whole number.
double RoundWhole(double value, Rounding rounding)
{
    switch (rounding) {
        case Rounding::Floor: return std::floor(value);
        case Rounding::Ceil: return std::ceil(value);
        case Rounding::Trunc: return std::trunc(value);
        case Rounding::Round: return std::round(value);
        default: return std::nearbyint(value);
    }
}

/// Integer to float under a round mode: the double is exact, so only its float neighbours have to be compared.
float RoundToFloat(double exact, Rounding rounding)
{
    auto const nearest = static_cast<float>(exact);
    if (static_cast<double>(nearest) == exact || rounding == Rounding::None || rounding == Rounding::Rint) {
        return nearest;
    }
    float const infinity = std::numeric_limits<float>::infinity();
    float const below = static_cast<double>(nearest) < exact ? nearest : std::nextafterf(nearest, -infinity);
    float const above = static_cast<double>(nearest) > exact ? nearest : std::nextafterf(nearest, infinity);
    switch (rounding) {
        case Rounding::Floor: return below;
        case Rounding::Ceil: return above;
        case Rounding::Trunc: return exact < 0 ? above : below;
        default: break;
    }
    double const down = exact - static_cast<double>(below);
    double const up = static_cast<double>(above) - exact;
    if (down == up) { return exact < 0 ? below : above; }
    return down < up ? below : above;
}

template <class T> constexpr bool kIsSmallFloat = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>;

template <class D, class S> D ConvertOne(S value, Rounding rounding)
{
    if constexpr (std::is_same_v<D, S> && !std::is_same_v<D, float>) {
        return value;
    } else if constexpr (std::is_same_v<D, Half>) {
        return Half::FromBits(RoundToHalf(static_cast<float>(value), rounding));
    } else if constexpr (std::is_same_v<D, Bfloat16>) {
        return Bfloat16::FromBits(RoundToBfloat(static_cast<float>(value), rounding));
    } else if constexpr (std::is_same_v<D, float>) {
        if constexpr (std::is_same_v<S, float>) {
            return static_cast<float>(RoundWhole(value, rounding));  // float to float rounds to whole numbers
        } else if constexpr (std::is_integral_v<S>) {
            return RoundToFloat(static_cast<double>(value), rounding);
        } else {
            return static_cast<float>(value);
        }
    } else if constexpr (std::is_integral_v<S>) {
        auto const wide = static_cast<Wide>(value);
        auto const low = static_cast<Wide>(std::numeric_limits<D>::min());
        auto const high = static_cast<Wide>(std::numeric_limits<D>::max());
        return static_cast<D>(std::min(std::max(wide, low), high));
    } else {
        double const whole = RoundWhole(static_cast<double>(static_cast<float>(value)), rounding);
        if (std::isnan(whole)) { return 0; }
        if (whole <= static_cast<double>(std::numeric_limits<D>::min())) { return std::numeric_limits<D>::min(); }
        if (whole >= static_cast<double>(std::numeric_limits<D>::max())) { return std::numeric_limits<D>::max(); }
        return static_cast<D>(whole);
    }
}

template <class D, class S> void ConvertAll(void* dst, void const* src, size_t count, Rounding rounding)
{
    auto* to = static_cast<D*>(dst);
    auto const* from = static_cast<S const*>(src);
    bool const nearest = rounding == Rounding::None || rounding == Rounding::Rint;
    if constexpr (std::is_same_v<D, float> && std::is_same_v<S, Half>) {
        HalfToFloat(to, static_cast<uint16_t const*>(src), count);
        return;
    } else if constexpr (std::is_same_v<D, Half> && std::is_same_v<S, float>) {
        if (nearest) {
            FloatToHalf(static_cast<uint16_t*>(dst), from, count);
            return;
        }
    } else if constexpr ((kIsSmallFloat<D> && !kIsSmallFloat<S>) || (kIsSmallFloat<S> && std::is_same_v<D, float>)) {
        if (nearest) {
            for (size_t i = 0; i < count; ++i) { to[i] = static_cast<D>(static_cast<float>(from[i])); }
            return;
        }
    }
    for (size_t i = 0; i < count; ++i) { to[i] = ConvertOne<D, S>(from[i], rounding); }
}

/// To a float that has no infinity and no NaN now.
template <class D, class S> void ConvertBounded(void* dst, void const* src, size_t count, Rounding rounding)
{
    for (size_t i = 0; i < count; ++i) {
        static_cast<D*>(dst)[i] = Bound(ConvertOne<D, S>(static_cast<S const*>(src)[i], rounding));
    }
}

/// To an integer that keeps the lowest bits of a number out of its range (Cast page of registers, table of modes).
template <class D, class S> void ConvertCut(void* dst, void const* src, size_t count, Rounding rounding)
{
    auto* to = static_cast<D*>(dst);
    auto const* from = static_cast<S const*>(src);
    for (size_t i = 0; i < count; ++i) {
        if constexpr (std::is_integral_v<S>) {
            to[i] = static_cast<D>(from[i]);
        } else {
            double const whole = RoundWhole(static_cast<double>(static_cast<float>(from[i])), rounding);
            bool const ends = std::isnan(whole) || std::isinf(whole);
            // The lowest 64 bits of what is larger are zero: a float has 24.
            bool const zero = std::fabs(whole) >= 0x1p126;
            to[i] = ends ? ConvertOne<D, S>(from[i], rounding) : zero ? 0 : static_cast<D>(static_cast<Wide>(whole));
        }
    }
}

/// To or from a float of 8 bits, whose only other side is float and only mode the nearest (Cast page).
template <class D, class S> void ConvertFloat8(void* dst, void const* src, size_t count, Rounding)
{
    for (size_t i = 0; i < count; ++i) { static_cast<D*>(dst)[i] = static_cast<D>(static_cast<S const*>(src)[i]); }
}

/// The same without infinities: what is too large is the largest number. NaN is zero, or stays.
template <class D, bool staysNan> void BoundFloat8(void* dst, void const* src, size_t count, Rounding)
{
    for (size_t i = 0; i < count; ++i) {
        float const value = static_cast<float const*>(src)[i];
        auto rounded = static_cast<D>(value);
        if (std::isnan(value)) {
            rounded.bits = staysNan ? rounded.bits : 0;
        } else if ((rounded.bits & 0x7fu) >= D::kTop) {
            rounded.bits = static_cast<uint8_t>((rounded.bits & 0x80u) | (D::kTop - 1));
        }
        static_cast<D*>(dst)[i] = rounded;
    }
}

/// From elements of 4 bits, and to them: two at a time, by way of 8 bits.
template <class D> void WidenInt4(void* dst, void const* src, size_t count, Rounding rounding)
{
    for (size_t i = 0; i < count; ++i) {
        Int4x2 const both = static_cast<Int4x2 const*>(src)[i];
        int8_t const wide[] = {both[0], both[1]};
        ConvertAll<D, int8_t>(static_cast<D*>(dst) + 2 * i, wide, 2, rounding);
    }
}
template <class S, bool saturates> void NarrowInt4(void* dst, void const* src, size_t count, Rounding rounding)
{
    for (size_t i = 0; i < count; ++i) {
        int8_t wide[2];
        (saturates ? ConvertAll<int8_t, S> : ConvertCut<int8_t, S>)(wide, static_cast<S const*>(src) + 2 * i, 2,
                                                                    rounding);
        for (int8_t& one : wide) { one = saturates ? std::clamp<int8_t>(one, -8, 7) : one; }
        static_cast<Int4x2*>(dst)[i].bits = static_cast<uint8_t>((wide[0] & 15) | wide[1] << 4);
    }
}

/// The same of floats of 4 bits, by way of float. What is too large is the largest number, and NaN is 0 (Cast page).
void WidenFloat4(void* dst, void const* src, size_t count, Rounding)
{
    for (size_t i = 0; i < 2 * count; ++i) {
        static_cast<Bfloat16*>(dst)[i] =
            static_cast<Bfloat16>(ElementAt(static_cast<Float4E2M1x2 const*>(src), static_cast<int64_t>(i)));
    }
}

uint8_t CodeOfFloat4(float value, Rounding rounding)
{
    double const magnitude = std::fabs(value);
    double const step = magnitude < 2 ? 0.5 : magnitude < 4 ? 1 : 2;
    double const rounded = std::fabs(RoundWhole(std::clamp(value, -6.0F, 6.0F) / step, rounding)) * step;
    double const code = rounded < 2 ? rounded * 2 : rounded < 4 ? rounded + 2 : rounded / 2 + 4;
    return std::isnan(value) ? 0 : static_cast<uint8_t>(code + (std::signbit(value) ? 8 : 0));
}

void NarrowFloat4(void* dst, void const* src, size_t count, Rounding rounding)
{
    auto const* from = static_cast<Bfloat16 const*>(src);
    for (size_t i = 0; i < count; ++i) {
        uint8_t const low = CodeOfFloat4(static_cast<float>(from[2 * i]), rounding);
        uint8_t const high = CodeOfFloat4(static_cast<float>(from[2 * i + 1]), rounding);
        static_cast<Float4E2M1x2*>(dst)[i].bits = static_cast<uint8_t>(low | high << 4);
    }
}

template <class T> constexpr bool kIsFloat8 = std::is_same_v<T, Float8E4M3> || std::is_same_v<T, Float8E5M2>;
/// Types that no conversion has.
template <class T>
constexpr bool kIsLeftOut = std::is_same_v<T, uint64_t> || std::is_same_v<T, double> || kPacked<T> != 1;

template <class D, class S> ConvertFn FunctionOf()
{
    constexpr bool ofFloat8 = kIsFloat8<D> || kIsFloat8<S>;
    Saturation const saturation = CurrentSaturation();
    if constexpr (std::is_same_v<S, Int4x2> && (kIsSmallFloat<D> || std::is_same_v<D, int16_t>)) {
        return WidenInt4<D>;
    } else if constexpr (std::is_same_v<D, Int4x2> && (std::is_same_v<S, Half> || std::is_same_v<S, int16_t>)) {
        return saturation.whole ? NarrowInt4<S, true> : NarrowInt4<S, false>;
    } else if constexpr (std::is_same_v<S, Float4E2M1x2> && std::is_same_v<D, Bfloat16>) {
        return WidenFloat4;
    } else if constexpr (std::is_same_v<D, Float4E2M1x2> && std::is_same_v<S, Bfloat16>) {
        return NarrowFloat4;
    } else if constexpr (!ofFloat8 && !kIsLeftOut<D> && !kIsLeftOut<S>) {
        if constexpr (kIsSmallFloat<D>) {
            return saturation.casts ? ConvertBounded<D, S> : ConvertAll<D, S>;
        } else if constexpr (std::is_integral_v<D> && (!std::is_integral_v<S> || sizeof(D) < sizeof(S))) {
            return saturation.whole ? ConvertAll<D, S> : ConvertCut<D, S>;
        }
        return ConvertAll<D, S>;
    } else if constexpr (kIsFloat8<D> && std::is_same_v<S, float>) {
        if (!saturation.casts) { return ConvertFloat8<D, S>; }
        return saturation.nan ? BoundFloat8<D, false> : BoundFloat8<D, true>;
    } else if constexpr (ofFloat8 && (std::is_same_v<D, float> || std::is_same_v<S, float>)) {
        return ConvertFloat8<D, S>;
    } else {
        return nullptr;
    }
}

template <class D> ConvertFn FindFrom(ElementType src)
{
    switch (src) {
#define EVT_SOURCE(name, S) \
    case ElementType::name: return FunctionOf<D, S>();
        EVT_ELEMENT_TYPES(EVT_SOURCE)
#undef EVT_SOURCE
    }
    return nullptr;
}

}  // namespace

void HalfToFloat(float* dst, uint16_t const* src, size_t count)
{
#ifdef EVTGEN_X86
    static auto const convert = HasF16c() ? HalfToFloatF16c : HalfToFloatPortable;
    convert(dst, src, count);
#else
    HalfToFloatPortable(dst, src, count);
#endif
}

void FloatToHalf(uint16_t* dst, float const* src, size_t count)
{
#ifdef EVTGEN_X86
    static auto const convert = HasF16c() ? FloatToHalfF16c : FloatToHalfPortable;
    convert(dst, src, count);
#else
    FloatToHalfPortable(dst, src, count);
#endif
}

uint16_t RoundToHalf(float value, Rounding rounding)
{
    uint32_t const bits = FloatToBits(value);
    uint32_t const magnitude = bits & 0x7fffffffu;
    bool const negative = (bits >> 31) != 0;
    if (magnitude >= 0x7f800000u || rounding == Rounding::None || rounding == Rounding::Rint) {
        return FloatToHalfBits(value);
    }
    auto const sign = static_cast<uint16_t>(negative ? 0x8000u : 0u);
    if (magnitude >= 0x47800000u) {  // 65536 and up: infinity, unless the mode rounds towards zero here
        bool const inward = rounding == Rounding::Trunc || rounding == Rounding::Odd
                            || (rounding == Rounding::Floor && !negative) || (rounding == Rounding::Ceil && negative);
        return static_cast<uint16_t>(sign | (inward ? 0x7bffu : 0x7c00u));
    }
    uint32_t kept;
    uint64_t rest;
    uint64_t unit;
    if (magnitude >= 0x38800000u) {
        kept = (magnitude - 0x38000000u) >> 13;
        rest = magnitude & 0x1fffu;
        unit = 0x2000u;
    } else {  // below the smallest normal half: count in units of 2^-24
        uint32_t const exponent = std::max<uint32_t>(magnitude >> 23, 1);
        uint64_t const mantissa = (magnitude & 0x7fffffu) | ((magnitude >> 23) != 0 ? 0x800000u : 0u);
        uint32_t const shift = std::min<uint32_t>(126 - exponent, 60);
        unit = uint64_t{1} << shift;
        kept = static_cast<uint32_t>(mantissa >> shift);
        rest = mantissa & (unit - 1);
    }
    return static_cast<uint16_t>(sign | (kept + (RoundsUp(kept, rest, unit, negative, rounding) ? 1u : 0u)));
}

uint16_t RoundToBfloat(float value, Rounding rounding)
{
    uint32_t const bits = FloatToBits(value);
    uint32_t const magnitude = bits & 0x7fffffffu;
    if (magnitude >= 0x7f800000u) { return FloatToBfloatBits(value); }
    bool const negative = (bits >> 31) != 0;
    uint32_t const kept = magnitude >> 16;
    uint32_t const rounded = kept + (RoundsUp(kept, magnitude & 0xffffu, 0x10000u, negative, rounding) ? 1u : 0u);
    return static_cast<uint16_t>((negative ? 0x8000u : 0u) | rounded);
}

ConvertFn FindConvert(ElementType dst, ElementType src)
{
    switch (dst) {
#define EVT_DESTINATION(name, D) \
    case ElementType::name: return FindFrom<D>(src);
        EVT_ELEMENT_TYPES(EVT_DESTINATION)
#undef EVT_DESTINATION
    }
    return nullptr;
}

}  // namespace machine
