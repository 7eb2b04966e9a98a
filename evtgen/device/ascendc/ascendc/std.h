// AscendC::Std, the standard library's part that device code may use, and the type traits beside it.
#pragma once

#include <type_traits>
#include <utility>

#include "types.h"

namespace AscendC {

template <typename T, typename U> using IsSameType = std::is_same<T, U>;

/// 0 if the divisor is (CeilDivision page).
constexpr int32_t CeilDivision(int32_t num1, int32_t num2) { return num2 == 0 ? 0 : (num1 + num2 - 1) / num2; }

constexpr uint32_t DivCeil(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

template <bool condition, typename T1, typename T2> using Conditional = std::conditional<condition, T1, T2>;

#if CATLASS_ARCH == 3510
/// Bytes of a vector register (GetVecLen page), which the model names and does not have.
constexpr uint32_t GetVecLen() { return 256; }
#endif

namespace Std {

using std::conditional_t;
using std::decay_t;
using std::enable_if_t;
using std::false_type;
using std::forward;
using std::integral_constant;
using std::is_same;
using std::is_same_v;
using std::move;
using std::remove_cv_t;
using std::remove_reference_t;
using std::true_type;

template <typename T, typename... Candidates>
using is_one_of = std::bool_constant<(std::is_same_v<T, Candidates> || ...)>;
template <typename T, typename... Candidates> inline constexpr bool is_one_of_v = is_one_of<T, Candidates...>::value;

template <typename T, typename U> using IsSame = std::is_same<T, U>;

template <typename T, typename U> constexpr auto min(const T& src0, const U& src1)
{
    static_assert(std::is_same_v<T, U>, "min takes two numbers of one type");
    return src1 < src0 ? src1 : src0;
}
template <typename T, typename U> constexpr auto max(const T& src0, const U& src1)
{
    static_assert(std::is_same_v<T, U>, "max takes two numbers of one type");
    return src0 < src1 ? src1 : src0;
}

}  // namespace Std

}  // namespace AscendC
