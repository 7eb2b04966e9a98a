// IEEE binary16 and bfloat16 as values: arithmetic is done in float and rounded once, which is exact for + - * / sqrt.
// And the floats of 8 bits, which only convert.
#pragma once

#include <cstdint>
#include <type_traits>

namespace machine {

constexpr float BitsToFloat(uint32_t bits) { return __builtin_bit_cast(float, bits); }

constexpr uint32_t FloatToBits(float value) { return __builtin_bit_cast(uint32_t, value); }

/// Half to float; written without branches so that loops over it vectorise. Every aarch64 has an instruction for it.
constexpr float HalfBitsToFloat(uint16_t half)
{
#ifdef __aarch64__
    return static_cast<float>(__builtin_bit_cast(__fp16, half));
#else
    uint32_t const magnitude = half & 0x7fffu;
    uint32_t const sign = static_cast<uint32_t>(half & 0x8000u) << 16;
    float const scaled = BitsToFloat(magnitude << 13) * BitsToFloat(0x77800000u);  // 2^112 moves the exponent bias
    uint32_t bits = FloatToBits(scaled);
    bits = magnitude >= 0x7c00u ? (0x7f800000u | (magnitude << 13)) : bits;
    return BitsToFloat(bits | sign);
#endif
}

/// Float to half, round to nearest even; overflow gives infinity.
constexpr uint16_t FloatToHalfBits(float value)
{
#ifdef __aarch64__
    return __builtin_bit_cast(uint16_t, static_cast<__fp16>(value));
#else
    uint32_t const bits = FloatToBits(value);
    uint32_t const sign = (bits >> 16) & 0x8000u;
    uint32_t const magnitude = bits & 0x7fffffffu;
    uint32_t const normal = (magnitude + 0xc8000fffu + ((magnitude >> 13) & 1u)) >> 13;
    uint32_t const small = FloatToBits(BitsToFloat(magnitude) + 0.5f) - 0x3f000000u;
    uint32_t const special = magnitude > 0x7f800000u ? 0x7e00u | ((magnitude >> 13) & 0x1ffu) : 0x7c00u;
    uint32_t const finite = magnitude < 0x38800000u ? small : normal;
    return static_cast<uint16_t>(sign | (magnitude >= 0x47800000u ? special : finite));
#endif
}

constexpr float BfloatBitsToFloat(uint16_t bits) { return BitsToFloat(static_cast<uint32_t>(bits) << 16); }

/// Float to bfloat16, round to nearest even; NaN stays NaN.
constexpr uint16_t FloatToBfloatBits(float value)
{
    uint32_t const bits = FloatToBits(value);
    uint32_t const rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    uint32_t const nan = ((bits >> 16) & 0x8000u) | 0x7fc0u;
    return static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

/// A 16-bit float whose arithmetic rounds after every operator, as the device does.
template <float (*Decode)(uint16_t), uint16_t (*Encode)(float)> struct Float16 {
    uint16_t bits;

    Float16() = default;
    template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
    constexpr Float16(T value) : bits(Encode(static_cast<float>(value)))
    {}
    static Float16 FromBits(uint16_t bits)
    {
        Float16 value;
        value.bits = bits;
        return value;
    }
    constexpr operator float() const { return Decode(bits); }

    Float16& operator+=(Float16 other) { return *this = Float16(float(*this) + float(other)); }
    Float16& operator-=(Float16 other) { return *this = Float16(float(*this) - float(other)); }
    Float16& operator*=(Float16 other) { return *this = Float16(float(*this) * float(other)); }
    Float16& operator/=(Float16 other) { return *this = Float16(float(*this) / float(other)); }
    friend Float16 operator+(Float16 a, Float16 b) { return a += b; }
    friend Float16 operator-(Float16 a, Float16 b) { return a -= b; }
    friend Float16 operator*(Float16 a, Float16 b) { return a *= b; }
    friend Float16 operator/(Float16 a, Float16 b) { return a /= b; }
    friend Float16 operator-(Float16 a) { return FromBits(static_cast<uint16_t>(a.bits ^ 0x8000u)); }
};

using Half = Float16<HalfBitsToFloat, FloatToHalfBits>;
using Bfloat16 = Float16<BfloatBitsToFloat, FloatToBfloatBits>;
static_assert(std::is_trivially_copyable_v<Half> && sizeof(Half) == 2);

/// The largest number of its sign for an infinity, and zero for NaN: what a mode with saturation stores.
template <class Float> Float Bound(Float value)
{
    constexpr uint16_t infinity = Float(__builtin_inff()).bits;
    uint16_t const magnitude = value.bits & 0x7fffu;
    if (magnitude < infinity) { return value; }
    return Float::FromBits(static_cast<uint16_t>(magnitude > infinity ? 0 : value.bits - 1));
}

/// A float of 8 bits, MANTISSA of them after the point (OCP 8-bit Floating Point Specification). One that is not INFINITE
/// has a single magnitude that is no number, NaN. It converts where a program says so and computes nothing, as on the
/// device.
template <uint32_t MANTISSA, bool INFINITE> struct Float8 {
    static constexpr uint32_t kShift = 23 - MANTISSA;                                   // its last bit in a float
    static constexpr uint32_t kBias = (1u << (6 - MANTISSA)) - 1;                       // of its exponent
    static constexpr uint32_t kScale = (127 + 127 - kBias) << 23;                       // moves the bias to a float's
    static constexpr uint32_t kTop = INFINITE ? 0x7fu >> MANTISSA << MANTISSA : 0x7fu;  // the least that is no number

    uint8_t bits;

    Float8() = default;
    template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
    explicit Float8(T value) : bits(Encode(static_cast<float>(value)))
    {}
    explicit operator float() const
    {
        uint32_t const magnitude = bits & 0x7fu;
        uint32_t const finite = FloatToBits(BitsToFloat(magnitude << kShift) * BitsToFloat(kScale));
        uint32_t const special = 0x7f800000u | (magnitude << kShift);
        return BitsToFloat((bits & 0x80u) << 24 | (magnitude >= kTop ? special : finite));
    }

    /// To the nearest, ties to even; what is too large becomes infinite, or NaN where nothing is.
    static uint8_t Encode(float value)
    {
        constexpr uint32_t normal = (128 - kBias) << 23;                // the least normal number, as a float
        constexpr uint32_t unit = (127 + 24 - kBias - MANTISSA) << 23;  // a float whose last bit is the least number
        constexpr uint32_t beyond = (127 + (127u >> MANTISSA) - kBias + 1) << 23;  // above every number
        uint32_t const sign = FloatToBits(value) >> 24 & 0x80u;
        uint32_t const magnitude = FloatToBits(value) & 0x7fffffffu;
        if (magnitude > 0x7f800000u) { return static_cast<uint8_t>(sign | (INFINITE ? 0x7eu : 0x7fu)); }
        uint32_t code = kTop;
        if (magnitude < normal) {
            code = FloatToBits(BitsToFloat(magnitude) + BitsToFloat(unit)) - unit;
        } else if (magnitude < beyond) {
            uint32_t const last = magnitude >> kShift & 1u;
            code = (magnitude - (normal - (1u << 23)) + (1u << (kShift - 1)) - 1 + last) >> kShift;
        }
        return static_cast<uint8_t>(sign | (code < kTop ? code : kTop));
    }
};

using Float8E4M3 = Float8<3, false>;
using Float8E5M2 = Float8<2, true>;
static_assert(std::is_trivially_copyable_v<Float8E4M3> && sizeof(Float8E4M3) == 1);

}  // namespace machine
