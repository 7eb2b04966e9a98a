// A `false` that depends on template parameters, for static_assert in primary templates.
#ifndef CATLASS_DETAIL_DEPENDENT_FALSE_HPP
#define CATLASS_DETAIL_DEPENDENT_FALSE_HPP

template <bool VALUE, class...> constexpr bool DEPENDENT_BOOL_VALUE = VALUE;

template <class... Args> constexpr bool DEPENDENT_FALSE = DEPENDENT_BOOL_VALUE<false, Args...>;

#endif  // CATLASS_DETAIL_DEPENDENT_FALSE_HPP
