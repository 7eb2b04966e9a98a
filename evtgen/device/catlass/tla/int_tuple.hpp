// Functions over tuples and over nested tuples of integers, no more of them than Catlass v1.0 to v1.5 have:
// transform_apply takes one tuple, and there is no for_each.
#ifndef TLA_INT_TUPLE_HPP
#define TLA_INT_TUPLE_HPP

#include "tla/numeric/integer_sequence.hpp"
#include "tla/numeric/integral_constant.hpp"
#include "tla/tuple.hpp"
#include "tla/type_traits.hpp"

namespace tla {

namespace detail {

template <class T, class F, class G, int... I>
CATLASS_HOST_DEVICE constexpr auto TransformApply(T &&t, F &&f, G &&g, seq<I...>)
{
    return g(f(get<I>(static_cast<T &&>(t)))...);
}

template <class T, class F, int... I>
CATLASS_HOST_DEVICE constexpr auto Unpack(T &&t, F &&f, seq<I...>)
{
    return f(get<I>(static_cast<T &&>(t))...);
}

template <class T0, class T1, class F, int... I>
CATLASS_HOST_DEVICE constexpr auto TransformPair(T0 const &t0, T1 const &t1, F &&f, seq<I...>)
{
    return MakeTuple(f(get<I>(t0), get<I>(t1))...);
}

}  // namespace detail

/// f(t0, t1, …)
template <class T, class F>
CATLASS_HOST_DEVICE constexpr auto apply(T &&t, F &&f)
{
    return detail::Unpack(static_cast<T &&>(t), f, tuple_seq<T>{});
}

/// g(f(t0), f(t1), …)
template <class T, class F, class G>
CATLASS_HOST_DEVICE constexpr auto transform_apply(T &&t, F &&f, G &&g)
{
    if constexpr (is_tuple<remove_cvref_t<T>>::value) {
        return detail::TransformApply(static_cast<T &&>(t), f, g, tuple_seq<T>{});
    } else {
        return g(f(static_cast<T &&>(t)));
    }
}

/// The tuple of f(a0, b0), f(a1, b1), …
template <class T0, class T1, class F>
CATLASS_HOST_DEVICE constexpr auto transform(T0 const &t0, T1 const &t1, F &&f)
{
    if constexpr (is_tuple<T0>::value) {
        static_assert(tuple_size<T0>::value == tuple_size<T1>::value, "tuples of different lengths");
        return detail::TransformPair(t0, t1, f, tuple_seq<T0>{});
    } else {
        return f(t0, t1);
    }
}

/// A single integer is its own element 0.
template <size_t I, class T, TLA_REQUIRES(tla::is_integral<tla::remove_cvref_t<T>>::value)>
CATLASS_HOST_DEVICE constexpr decltype(auto) get(T &&t) noexcept
{
    static_assert(I == 0, "an integer has one element only");
    return static_cast<T &&>(t);
}

/// Element of an element: get<1, 0>(t) is get<0>(get<1>(t)).
template <size_t I0, size_t I1, size_t... Is, class T>
CATLASS_HOST_DEVICE constexpr decltype(auto) get(T &&t) noexcept
{
    return get<I1, Is...>(get<I0>(static_cast<T &&>(t)));
}

/// Number of elements at the top level.
template <int... Is, class Tuple>
CATLASS_HOST_DEVICE constexpr auto rank(Tuple const &t)
{
    if constexpr (sizeof...(Is) != 0) {
        return rank(get<Is...>(t));
    } else if constexpr (is_tuple<Tuple>::value) {
        return Int<tuple_size<Tuple>::value>{};
    } else {
        return Int<1>{};
    }
}

template <class Tuple>
using rank_t = decltype(rank(std::declval<Tuple>()));
template <class Tuple>
constexpr auto rank_v = rank_t<Tuple>::value;

/// Product of all integers in a nested tuple.
struct Product {
    template <class IntTuple>
    CATLASS_HOST_DEVICE constexpr auto operator()(IntTuple const &a) const
    {
        if constexpr (is_tuple<IntTuple>::value) {
            return tla::transform_apply(a, Product{}, [](auto const &...factors) { return (... * factors); });
        } else {
            return a;
        }
    }
};

/// Element-wise sum of nested tuples of one shape.
template <class IntTupleA, class IntTupleB>
CATLASS_HOST_DEVICE constexpr auto Add(IntTupleA const &a, IntTupleB const &b)
{
    if constexpr (is_tuple<IntTupleA>::value && is_tuple<IntTupleB>::value) {
        return transform(a, b, [](auto const &x, auto const &y) { return Add(x, y); });
    } else {
        return tla::add(a, b);
    }
}

}  // namespace tla

#endif  // TLA_INT_TUPLE_HPP
