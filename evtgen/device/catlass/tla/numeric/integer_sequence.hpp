// Sequences of integers as types: tla::seq<0, 1, 2> and friends. They are types of tla, not std::integer_sequence.
#ifndef TLA_NUMERIC_INTEGER_SEQUENCE_HPP
#define TLA_NUMERIC_INTEGER_SEQUENCE_HPP

#include "tla/numeric/integral_constant.hpp"
#include "tla/type_traits.hpp"

namespace tla {

template <typename T, T... Ns> struct IntegerSequence {
    using value_type = T;
    static constexpr size_t size() { return sizeof...(Ns); }
};

namespace detail {

template <class StdSequence> struct FromStd;

template <typename T, T... Ns> struct FromStd<std::integer_sequence<T, Ns...>> {
    using type = IntegerSequence<T, Ns...>;
};

}  // namespace detail

template <typename T, T N> using MakeIntegerSequence = typename detail::FromStd<std::make_integer_sequence<T, N>>::type;

template <size_t... Ints> using index_sequence = IntegerSequence<size_t, Ints...>;
template <size_t N> using make_index_sequence = MakeIntegerSequence<size_t, N>;

template <int... Ints> using int_sequence = IntegerSequence<int, Ints...>;
template <int N> using make_int_sequence = MakeIntegerSequence<int, N>;

template <int... Ints> using seq = int_sequence<Ints...>;
template <int N> using make_seq = make_int_sequence<N>;
template <class Tuple> using tuple_seq = make_seq<tuple_size<remove_cvref_t<Tuple>>::value>;

}  // namespace tla

#endif  // TLA_NUMERIC_INTEGER_SEQUENCE_HPP
