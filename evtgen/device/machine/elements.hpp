// Element types and round modes as the machine names them, and sets of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "half.hpp"

namespace machine {

/// Two whole numbers of 4 bits in a byte, the first in its low half. Programs count them one by one.
struct Int4x2 {
    uint8_t bits;

    Int4x2() = default;
    explicit constexpr Int4x2(int value) : bits(static_cast<uint8_t>(value & 15)) {}
    /// One of both.
    constexpr int8_t operator[](uint64_t number) const
    {
        return static_cast<int8_t>(static_cast<int8_t>(bits << (number % 2 == 0 ? 4 : 0)) >> 4);
    }
};

/// Two floats of 4 bits in a byte, the first in its low half (OCP Microscaling Formats, E2M1). The matrix unit multiplies
/// them; everything else can only cast them.
struct Float4E2M1x2 {
    uint8_t bits;

    Float4E2M1x2() = default;
    explicit constexpr Float4E2M1x2(int codes) : bits(static_cast<uint8_t>(codes)) {}
    /// One of both.
    constexpr float operator[](uint64_t number) const
    {
        constexpr float magnitudes[] = {0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F};
        uint8_t const code = bits >> (number % 2 * 4);
        return (code & 8) != 0 ? -magnitudes[code & 7] : magnitudes[code & 7];
    }
};

#define EVT_ELEMENT_TYPES(X) \
    X(I4, Int4x2)            \
    X(I8, int8_t)            \
    X(U8, uint8_t)           \
    X(I16, int16_t)          \
    X(U16, uint16_t)         \
    X(I32, int32_t)          \
    X(U32, uint32_t)         \
    X(I64, int64_t)          \
    X(U64, uint64_t)         \
    X(F16, Half)             \
    X(BF16, Bfloat16)        \
    X(F32, float)            \
    X(F64, double)           \
    X(F8E4M3, Float8E4M3)    \
    X(F8E5M2, Float8E5M2)    \
    X(F4E2M1, Float4E2M1x2)

enum class ElementType : uint8_t {
#define EVT_ENUMERATOR(name, type) name,
    EVT_ELEMENT_TYPES(EVT_ENUMERATOR)
#undef EVT_ENUMERATOR
};

inline constexpr size_t kElementSizes[] = {
#define EVT_SIZE(name, type) sizeof(type),
    EVT_ELEMENT_TYPES(EVT_SIZE)
#undef EVT_SIZE
};
constexpr size_t kElementTypes = sizeof(kElementSizes) / sizeof(kElementSizes[0]);

/// Elements of a type that lie in one value of it: two of 4 bits.
template <class T>
inline constexpr uint32_t kPacked =
    std::is_same_v<std::remove_cv_t<T>, Int4x2> || std::is_same_v<std::remove_cv_t<T>, Float4E2M1x2> ? 2 : 1;

/// The element that so many come before.
template <class T> constexpr auto ElementAt(T* data, int64_t index)
{
    if constexpr (kPacked<T> == 1) {
        return data[index];
    } else {
        return data[index / kPacked<T>][static_cast<uint64_t>(index)];
    }
}

/// Bytes of so many elements.
template <class T> constexpr uint64_t BytesOf(uint64_t elements) { return elements * sizeof(T) / kPacked<T>; }

/// Bytes of one element, or of two of 4 bits.
constexpr size_t SizeOf(ElementType type) { return kElementSizes[static_cast<size_t>(type)]; }

/// The floats are last in the list.
constexpr bool IsFloat(ElementType type) { return type >= ElementType::F16; }

/// The element type of a C++ type; of other types there is none.
template <class T> struct ElementTypeOf;
#define EVT_ELEMENT_TYPE_OF(name, type)                         \
    template <> struct ElementTypeOf<type> {                    \
        static constexpr ElementType value = ElementType::name; \
    };
EVT_ELEMENT_TYPES(EVT_ELEMENT_TYPE_OF)
#undef EVT_ELEMENT_TYPE_OF

/// A bool is moved as a byte; no call computes in it.
template <> struct ElementTypeOf<bool> : ElementTypeOf<uint8_t> {};

template <class T> inline constexpr ElementType kElementTypeOf = ElementTypeOf<T>::value;

/// Bits of an element, for instructions that carry a scalar.
template <class T> uint64_t ScalarBits(T value)
{
    static_assert(sizeof(T) <= sizeof(uint64_t));
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
}

/// A set of element types, one bit each.
using TypeSet = uint16_t;
static_assert(kElementTypes <= 8 * sizeof(TypeSet));

constexpr TypeSet SetOf(ElementType type) { return static_cast<TypeSet>(1u << static_cast<unsigned>(type)); }

/// Whether the set holds the element type of T; false for types that are none.
template <class T, class = void> struct Holds {
    static constexpr bool In(TypeSet) { return false; }
};
template <class T> struct Holds<T, std::void_t<decltype(ElementTypeOf<T>::value)>> {
    static constexpr bool In(TypeSet set) { return (set & SetOf(ElementTypeOf<T>::value)) != 0; }
};
template <> struct Holds<bool> {
    static constexpr bool In(TypeSet) { return false; }
};

/// None means Rint where precision is lost. Round is half away from zero; Odd sets the last bit when inexact.
enum class Rounding : uint8_t { None, Rint, Floor, Ceil, Round, Trunc, Odd };

/// A set of round modes, one bit each.
using RoundingSet = uint8_t;

constexpr RoundingSet SetOf(Rounding rounding)
{
    return static_cast<RoundingSet>(1u << static_cast<unsigned>(rounding));
}

}  // namespace machine
