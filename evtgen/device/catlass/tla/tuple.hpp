// tla::tuple: like std::tuple, but empty elements take no room, so a tuple of compile-time integers is an empty type.
#ifndef TLA_TUPLE_HPP
#define TLA_TUPLE_HPP

#include <type_traits>

#include "tla/numeric/integer_sequence.hpp"
#include "tla/numeric/integral_constant.hpp"

namespace tla {

namespace detail {

/// Element I of a tuple: a base class, so that the compiler can give an empty T no storage.
template <size_t I, class T, bool IsEmpty = std::is_empty<T>::value> struct TupleLeaf {
    CATLASS_HOST_DEVICE constexpr TupleLeaf() : value{} {}
    CATLASS_HOST_DEVICE constexpr TupleLeaf(T const &t) : value{t} {}
    T value;
};

template <size_t I, class T> struct TupleLeaf<I, T, true> {
    CATLASS_HOST_DEVICE constexpr TupleLeaf() {}
    CATLASS_HOST_DEVICE constexpr TupleLeaf(T const &) {}
};

template <size_t I, class T> CATLASS_HOST_DEVICE constexpr T LeafValue(TupleLeaf<I, T, true> const &)
{
    return {};
}
template <size_t I, class T> CATLASS_HOST_DEVICE constexpr T const &LeafValue(TupleLeaf<I, T, false> const &leaf)
{
    return leaf.value;
}
template <size_t I, class T> CATLASS_HOST_DEVICE constexpr T &LeafValue(TupleLeaf<I, T, false> &leaf)
{
    return leaf.value;
}

template <class Indices, class... T> struct TupleLeaves;

template <size_t... I, class... T> struct TupleLeaves<index_sequence<I...>, T...> : TupleLeaf<I, T>... {
    CATLASS_HOST_DEVICE constexpr TupleLeaves() {}
    CATLASS_HOST_DEVICE constexpr TupleLeaves(T const &...t) : TupleLeaf<I, T>(t)... {}
};

}  // namespace detail

template <class... T> struct tuple : detail::TupleLeaves<make_index_sequence<sizeof...(T)>, T...> {
    // Code that must compile against every Catlass from v1.0 on cannot use the empty tuple.
    static_assert(sizeof...(T) > 0, "tla::tuple<> does not compile in Catlass v1.0 to v1.5");

    CATLASS_HOST_DEVICE constexpr tuple() {}
    // A template, as in some releases: an overload that is none is chosen before it.
    template <class Chosen = void, std::enable_if_t<(sizeof...(T) > 0), Chosen> * = nullptr>
    CATLASS_HOST_DEVICE constexpr tuple(T const &...t)
        : detail::TupleLeaves<make_index_sequence<sizeof...(T)>, T...>(t...)
    {}
};

template <size_t I, class... T> CATLASS_HOST_DEVICE constexpr decltype(auto) get(tuple<T...> const &t) noexcept
{
    static_assert(I < sizeof...(T), "tuple index out of range");
    return detail::LeafValue<I>(t);
}
template <size_t I, class... T> CATLASS_HOST_DEVICE constexpr decltype(auto) get(tuple<T...> &t) noexcept
{
    static_assert(I < sizeof...(T), "tuple index out of range");
    return detail::LeafValue<I>(t);
}
template <size_t I, class... T> CATLASS_HOST_DEVICE constexpr decltype(auto) get(tuple<T...> &&t) noexcept
{
    static_assert(I < sizeof...(T), "tuple index out of range");
    return detail::LeafValue<I>(static_cast<tuple<T...> &&>(t));
}

template <class... T> struct tuple_size<tuple<T...>> : std::integral_constant<size_t, sizeof...(T)> {};
template <class... T> struct tuple_size<tuple<T...> const> : std::integral_constant<size_t, sizeof...(T)> {};

namespace detail {

template <class T, class = void> struct HasTupleSize : false_type {};
template <class T> struct HasTupleSize<T, std::void_t<decltype(tuple_size<T>::value)>> : true_type {};

}  // namespace detail

template <class T> struct is_tuple : detail::HasTupleSize<T>::type {};

}  // namespace tla

#endif  // TLA_TUPLE_HPP
