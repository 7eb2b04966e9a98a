// Functions over tuples and over nested tuples of integers; only those that all of Catlass v1.0 to v1.5 have:
// transform_apply takes one tuple, and there is no for_each, no transform and no MakeTuple.
#ifndef TLA_INT_TUPLE_HPP
#define TLA_INT_TUPLE_HPP

#include <initializer_list>

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

template <class T, class F, int... I> CATLASS_HOST_DEVICE constexpr auto Unpack(T &&t, F &&f, seq<I...>)
{
    return f(get<I>(static_cast<T &&>(t))...);
}

constexpr int Largest(std::initializer_list<int> numbers)
{
    int largest = 0;
    for (int const number : numbers) { largest = number > largest ? number : largest; }
    return largest;
}

}  // namespace detail

/// f(t0, t1, …)
template <class T, class F> CATLASS_HOST_DEVICE constexpr auto apply(T &&t, F &&f)
{
    return detail::Unpack(static_cast<T &&>(t), f, tuple_seq<T>{});
}

/// g(f(t0), f(t1), …)
template <class T, class F, class G> CATLASS_HOST_DEVICE constexpr auto transform_apply(T &&t, F &&f, G &&g)
{
    if constexpr (is_tuple<remove_cvref_t<T>>::value) {
        return detail::TransformApply(static_cast<T &&>(t), f, g, tuple_seq<T>{});
    } else {
        return g(f(static_cast<T &&>(t)));
    }
}

/// For a single integer, element 0 is the integer itself.
template <size_t I, class T, TLA_REQUIRES(tla::is_integral<tla::remove_cvref_t<T>>::value)>
CATLASS_HOST_DEVICE constexpr decltype(auto) get(T &&t) noexcept
{
    static_assert(I == 0, "an integer has one element only");
    return static_cast<T &&>(t);
}

/// Element of an element: get<1, 0>(t) is get<0>(get<1>(t)).
template <size_t I0, size_t I1, size_t... Is, class T> CATLASS_HOST_DEVICE constexpr decltype(auto) get(T &&t) noexcept
{
    return get<I1, Is...>(get<I0>(static_cast<T &&>(t)));
}

/// Number of elements at the top level.
template <int... Is, class Tuple> CATLASS_HOST_DEVICE constexpr auto rank(Tuple const &t)
{
    if constexpr (sizeof...(Is) != 0) {
        return rank(get<Is...>(t));
    } else if constexpr (is_tuple<Tuple>::value) {
        return Int<tuple_size<Tuple>::value>{};
    } else {
        return Int<1>{};
    }
}

template <class Tuple> using rank_t = decltype(rank(std::declval<Tuple>()));
template <class Tuple> constexpr auto rank_v = rank_t<Tuple>::value;

/// How deep tuples are nested; 0 for an integer.
template <class T> constexpr int depth_v = 0;
template <class... T> constexpr int depth_v<tuple<T...>> = 1 + tla::detail::Largest({depth_v<T>...});
template <class T> constexpr int depth_v<T const> = depth_v<T>;

/// Product of all integers in a nested tuple.
struct Product {
    template <class IntTuple> CATLASS_HOST_DEVICE constexpr auto operator()(IntTuple const &a) const
    {
        if constexpr (is_tuple<IntTuple>::value) {
            return tla::transform_apply(a, Product{}, [](auto const &...factors) { return (... * factors); });
        } else {
            return a;
        }
    }
};

}  // namespace tla

#endif  // TLA_INT_TUPLE_HPP
