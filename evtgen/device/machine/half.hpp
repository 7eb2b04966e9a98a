// IEEE binary16 and bfloat16 as values: arithmetic is done in float and rounded once, which is exact for + - * / sqrt.
#ifndef EVTGEN_MACHINE_HALF_HPP
#define EVTGEN_MACHINE_HALF_HPP

#include <cstdint>
#include <type_traits>

namespace machine {

constexpr float BitsToFloat(uint32_t bits)
{
    return __builtin_bit_cast(float, bits);
}

constexpr uint32_t FloatToBits(float value)
{
    return __builtin_bit_cast(uint32_t, value);
}

/// Half to float; written without branches so that loops over it vectorise.
constexpr float HalfBitsToFloat(uint16_t half)
{
    uint32_t const magnitude = half & 0x7fffu;
    uint32_t const sign = static_cast<uint32_t>(half & 0x8000u) << 16;
    float const scaled = BitsToFloat(magnitude << 13) * BitsToFloat(0x77800000u);  // 2^112 moves the exponent bias
    uint32_t bits = FloatToBits(scaled);
    bits = magnitude >= 0x7c00u ? (0x7f800000u | (magnitude << 13)) : bits;
    return BitsToFloat(bits | sign);
}

/// Float to half, round to nearest even; overflow gives infinity.
constexpr uint16_t FloatToHalfBits(float value)
{
    uint32_t const bits = FloatToBits(value);
    uint32_t const sign = (bits >> 16) & 0x8000u;
    uint32_t const magnitude = bits & 0x7fffffffu;
    uint32_t const normal = (magnitude + 0xc8000fffu + ((magnitude >> 13) & 1u)) >> 13;
    uint32_t const small = FloatToBits(BitsToFloat(magnitude) + 0.5f) - 0x3f000000u;
    uint32_t const special = magnitude > 0x7f800000u ? 0x7e00u | ((magnitude >> 13) & 0x1ffu) : 0x7c00u;
    uint32_t const finite = magnitude < 0x38800000u ? small : normal;
    return static_cast<uint16_t>(sign | (magnitude >= 0x47800000u ? special : finite));
}

constexpr float BfloatBitsToFloat(uint16_t bits)
{
    return BitsToFloat(static_cast<uint32_t>(bits) << 16);
}

/// Float to bfloat16, round to nearest even; NaN stays NaN.
constexpr uint16_t FloatToBfloatBits(float value)
{
    uint32_t const bits = FloatToBits(value);
    uint32_t const rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    uint32_t const nan = ((bits >> 16) & 0x8000u) | 0x7fc0u;
    return static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

/// A 16-bit float whose arithmetic rounds after every operator, as the device does.
template <float (*Decode)(uint16_t), uint16_t (*Encode)(float)>
struct Float16 {
    uint16_t bits;

    Float16() = default;
    template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
    constexpr Float16(T value) : bits(Encode(static_cast<float>(value)))
    {
    }
    static Float16 FromBits(uint16_t bits)
    {
        Float16 value;
        value.bits = bits;
        return value;
    }
    constexpr operator float() const
    {
        return Decode(bits);
    }

    Float16& operator+=(Float16 other)
    {
        return *this = Float16(float(*this) + float(other));
    }
    Float16& operator-=(Float16 other)
    {
        return *this = Float16(float(*this) - float(other));
    }
    Float16& operator*=(Float16 other)
    {
        return *this = Float16(float(*this) * float(other));
    }
    Float16& operator/=(Float16 other)
    {
        return *this = Float16(float(*this) / float(other));
    }
    friend Float16 operator+(Float16 a, Float16 b)
    {
        return a += b;
    }
    friend Float16 operator-(Float16 a, Float16 b)
    {
        return a -= b;
    }
    friend Float16 operator*(Float16 a, Float16 b)
    {
        return a *= b;
    }
    friend Float16 operator/(Float16 a, Float16 b)
    {
        return a /= b;
    }
    friend Float16 operator-(Float16 a)
    {
        return FromBits(static_cast<uint16_t>(a.bits ^ 0x8000u));
    }
};

using Half = Float16<HalfBitsToFloat, FloatToHalfBits>;
using Bfloat16 = Float16<BfloatBitsToFloat, FloatToBfloatBits>;
static_assert(std::is_trivially_copyable_v<Half> && sizeof(Half) == 2);

}  // namespace machine

#endif  // EVTGEN_MACHINE_HALF_HPP
