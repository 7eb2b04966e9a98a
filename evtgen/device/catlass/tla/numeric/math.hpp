// Arithmetic on plain numbers, extended to compile-time integers in integral_constant.hpp.
#ifndef TLA_NUMERIC_MATH_HPP
#define TLA_NUMERIC_MATH_HPP

#include "catlass/detail/macros.hpp"
#include "tla/type_traits.hpp"

namespace tla {

namespace detail {

template <class T, class U> constexpr bool ARE_NUMBERS = std::is_arithmetic<T>::value && std::is_arithmetic<U>::value;

}  // namespace detail

template <class T, class U, TLA_REQUIRES(detail::ARE_NUMBERS<T, U>)>
CATLASS_HOST_DEVICE constexpr auto max(T const &t, U const &u)
{
    return u > t ? u : t;
}

template <class T, class U, TLA_REQUIRES(detail::ARE_NUMBERS<T, U>)>
CATLASS_HOST_DEVICE constexpr auto min(T const &t, U const &u)
{
    return u > t ? t : u;
}

}  // namespace tla

#endif  // TLA_NUMERIC_MATH_HPP
