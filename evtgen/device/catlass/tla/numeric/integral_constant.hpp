// Integers whose value is part of their type: tla::C, tla::Int, and their arithmetic.
#ifndef TLA_NUMERIC_INTEGER_CONSTANT_HPP
#define TLA_NUMERIC_INTEGER_CONSTANT_HPP

#include "catlass/detail/macros.hpp"
#include "tla/numeric/math.hpp"
#include "tla/type_traits.hpp"

namespace tla {

template <auto v> struct C {
    using type = C<v>;
    using value_type = decltype(v);
    static constexpr auto value = v;
    CATLASS_HOST_DEVICE constexpr operator value_type() const noexcept { return v; }
    CATLASS_HOST_DEVICE constexpr value_type operator()() const noexcept { return v; }
};

template <class T, T v> using constant = C<v>;

template <bool b> using bool_constant = C<b>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <class T, T v> struct integral_constant : C<v> {
    using type = integral_constant<T, v>;
    using value_type = T;
    static constexpr T value = v;
    CATLASS_HOST_DEVICE constexpr value_type operator()() const noexcept { return v; }
};

template <int v> using Int = C<v>;
using _0 = Int<0>;
using _1 = Int<1>;
using _64 = Int<64>;
using _128 = Int<128>;
using _256 = Int<256>;
using _512 = Int<512>;

/// Built-in integers only.
template <class T> using is_std_integral = std::is_integral<T>;

/// Built-in and compile-time integers.
template <class T> struct is_integral : bool_constant<std::is_integral<T>::value> {};
template <auto v> struct is_integral<C<v>> : true_type {};
template <class T, T v> struct is_integral<integral_constant<T, v>> : true_type {};

/// True when the type alone determines the value: nothing is stored.
template <class T> struct is_static : bool_constant<std::is_empty<remove_cvref_t<T>>::value> {};

/// True when T is a compile-time integer equal to n.
template <auto n, class T> struct is_constant : false_type {};
template <auto n, class T> struct is_constant<n, T const> : is_constant<n, T> {};
template <auto n, class T> struct is_constant<n, T &> : is_constant<n, T> {};
template <auto n, class T> struct is_constant<n, T const &> : is_constant<n, T> {};
template <auto n, class T> struct is_constant<n, T &&> : is_constant<n, T> {};
template <auto n, auto v> struct is_constant<n, C<v>> : bool_constant<v == n> {};
template <auto n, class T, T v> struct is_constant<n, integral_constant<T, v>> : bool_constant<v == n> {};

#define TLA_CONSTANT_UNARY(OP)                                                  \
    template <auto t> CATLASS_HOST_DEVICE constexpr C<(OP t)> operator OP(C<t>) \
    {                                                                           \
        return {};                                                              \
    }
#define TLA_CONSTANT_BINARY(OP)                                                                 \
    template <auto t, auto u> CATLASS_HOST_DEVICE constexpr C<(t OP u)> operator OP(C<t>, C<u>) \
    {                                                                                           \
        return {};                                                                              \
    }

TLA_CONSTANT_UNARY(+)
TLA_CONSTANT_UNARY(-)
TLA_CONSTANT_UNARY(~)
TLA_CONSTANT_UNARY(!)

TLA_CONSTANT_BINARY(+)
TLA_CONSTANT_BINARY(-)
TLA_CONSTANT_BINARY(*)
TLA_CONSTANT_BINARY(/)
TLA_CONSTANT_BINARY(%)
TLA_CONSTANT_BINARY(&)
TLA_CONSTANT_BINARY(|)
TLA_CONSTANT_BINARY(^)
TLA_CONSTANT_BINARY(<<)
TLA_CONSTANT_BINARY(>>)

#undef TLA_CONSTANT_UNARY
#undef TLA_CONSTANT_BINARY

// Two compile-time integers give one; a mixed pair gives a run-time value.
#define TLA_CONSTANT_FUNCTION(NAME)                                               \
    template <auto t, auto u> CATLASS_HOST_DEVICE constexpr auto NAME(C<t>, C<u>) \
    {                                                                             \
        return C<NAME(t, u)>{};                                                   \
    }                                                                             \
    template <auto t, class U, TLA_REQUIRES(is_std_integral<U>::value)>           \
    CATLASS_HOST_DEVICE constexpr auto NAME(C<t>, U u)                            \
    {                                                                             \
        return NAME(t, u);                                                        \
    }                                                                             \
    template <class T, auto u, TLA_REQUIRES(is_std_integral<T>::value)>           \
    CATLASS_HOST_DEVICE constexpr auto NAME(T t, C<u>)                            \
    {                                                                             \
        return NAME(t, u);                                                        \
    }

TLA_CONSTANT_FUNCTION(max)
TLA_CONSTANT_FUNCTION(min)

#undef TLA_CONSTANT_FUNCTION

}  // namespace tla

#endif  // TLA_NUMERIC_INTEGER_CONSTANT_HPP
