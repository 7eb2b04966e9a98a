// Rounding helpers. They live in the global namespace, as in Catlass, in two forms: the divisor as a template argument,
// or as a second function argument of the same type (Catlass v1.0 takes no mixed types).
#ifndef CATLASS_ALIGNMENT_HPP
#define CATLASS_ALIGNMENT_HPP

#include <cstdint>

#include "catlass/detail/macros.hpp"

template <uint32_t DIVISOR, typename T> CATLASS_HOST_DEVICE constexpr T CeilDiv(T const dividend)
{
    static_assert(DIVISOR > 0, "DIVISOR is zero");
    return (dividend + DIVISOR - 1) / DIVISOR;
}

/// Element by element, if the arguments are coordinates.
template <class T> CATLASS_HOST_DEVICE constexpr T CeilDiv(T const &dividend, T const &divisor)
{
    return (dividend + divisor - 1) / divisor;
}

template <uint32_t ALIGN, typename T> CATLASS_HOST_DEVICE constexpr T RoundUp(T const &value)
{
    return CeilDiv<ALIGN>(value) * ALIGN;
}

template <class T> CATLASS_HOST_DEVICE constexpr T RoundUp(T const &value, T const &align)
{
    return CeilDiv(value, align) * align;
}

template <uint32_t ALIGN, typename T> CATLASS_HOST_DEVICE constexpr T RoundDown(T const value)
{
    static_assert(ALIGN > 0, "ALIGN is zero");
    return value / ALIGN * ALIGN;
}

template <class T> CATLASS_HOST_DEVICE constexpr T RoundDown(T const &value, T const &align)
{
    return value / align * align;
}

#endif  // CATLASS_ALIGNMENT_HPP
