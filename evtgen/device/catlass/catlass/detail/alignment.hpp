// Rounding helpers. They live in the global namespace, as in Catlass, in two forms: the divisor as a template argument,
// or as a second function argument. Compile-time integers (tla::Int) in, a compile-time integer out.
#ifndef CATLASS_ALIGNMENT_HPP
#define CATLASS_ALIGNMENT_HPP

#include <cstdint>

#include "catlass/detail/macros.hpp"
#include "tla/numeric/integral_constant.hpp"

namespace Catlass::detail {

/// The plain value behind a run-time or compile-time integer; anything else (a coordinate) passes through.
template <class T>
constexpr auto PlainValue(T const &value)
{
    if constexpr (tla::is_static<T>::value) {
        return T::value;
    } else {
        return value;
    }
}

template <class T, class U>
inline constexpr bool BOTH_STATIC = tla::is_static<T>::value && tla::is_static<U>::value;

}  // namespace Catlass::detail

template <uint32_t DIVISOR, typename T>
CATLASS_HOST_DEVICE constexpr T CeilDiv(T const dividend)
{
    static_assert(DIVISOR > 0, "DIVISOR is zero");
    return (dividend + DIVISOR - 1) / DIVISOR;
}

template <class T, class U>
CATLASS_HOST_DEVICE constexpr auto CeilDiv(T const &dividend, U const &divisor)
{
    using Catlass::detail::PlainValue;
    if constexpr (Catlass::detail::BOTH_STATIC<T, U>) {
        return tla::Int<(T::value + U::value - 1) / U::value>{};
    } else {
        return (PlainValue(dividend) + PlainValue(divisor) - 1) / PlainValue(divisor);
    }
}

template <uint32_t ALIGN, typename T>
CATLASS_HOST_DEVICE constexpr T RoundUp(T const &value)
{
    return CeilDiv<ALIGN>(value) * ALIGN;
}

template <class T, class U>
CATLASS_HOST_DEVICE constexpr auto RoundUp(T const &value, U const &align)
{
    using Catlass::detail::PlainValue;
    if constexpr (Catlass::detail::BOTH_STATIC<T, U>) {
        return tla::Int<(T::value + U::value - 1) / U::value * U::value>{};
    } else {
        return CeilDiv(value, align) * PlainValue(align);
    }
}

template <uint32_t ALIGN, typename T>
CATLASS_HOST_DEVICE constexpr T RoundDown(T const value)
{
    static_assert(ALIGN > 0, "ALIGN is zero");
    return value / ALIGN * ALIGN;
}

template <class T, class U>
CATLASS_HOST_DEVICE constexpr auto RoundDown(T const &value, U const &align)
{
    using Catlass::detail::PlainValue;
    if constexpr (Catlass::detail::BOTH_STATIC<T, U>) {
        return tla::Int<T::value / U::value * U::value>{};
    } else {
        return PlainValue(value) / PlainValue(align) * PlainValue(align);
    }
}

#endif  // CATLASS_ALIGNMENT_HPP
