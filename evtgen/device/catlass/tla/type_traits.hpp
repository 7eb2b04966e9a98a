// Small type traits of tla.
#ifndef TLA_UTIL_TYPE_TRAITS_HPP
#define TLA_UTIL_TYPE_TRAITS_HPP

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#define TLA_REQUIRES(...) typename std::enable_if<(__VA_ARGS__)>::type * = nullptr

namespace tla {

template <class T> struct remove_cvref {
    using type = std::remove_cv_t<std::remove_reference_t<T>>;
};

template <class T> using remove_cvref_t = typename remove_cvref<T>::type;

/// Number of elements of a tla::tuple, or of anything std::tuple_size knows.
template <class T, class = void> struct tuple_size;

template <class T>
struct tuple_size<T, std::void_t<typename std::tuple_size<T>::type>>
    : std::integral_constant<size_t, std::tuple_size<T>::value> {};

template <class T> constexpr size_t tuple_size_v = tuple_size<T>::value;

}  // namespace tla

#endif  // TLA_UTIL_TYPE_TRAITS_HPP
