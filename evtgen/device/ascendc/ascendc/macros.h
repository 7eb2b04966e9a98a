// Keywords of the device language, defined away for host compilers.
#ifndef EVTGEN_ASCENDC_MACROS_H
#define EVTGEN_ASCENDC_MACROS_H

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#ifndef CATLASS_ARCH
#define CATLASS_ARCH 2201
#endif

#define __aicore__
#define __global__
#ifndef __gm__  // clang++ as the compiler of a device has it as an address space
#define __gm__
#endif
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __biasbuf__
#define __host_aicore__
#define __forceinline__ inline
#define __mix__(...)
#define __schedmode__(mode)
#define __vector__
#define __cube__
#define __simd_vf__
#define __simd_callee__
#define __VEC_SCOPE__
#define __no_simd_vf_fusion__

#define GM_ADDR __gm__ uint8_t*

/// The kind of core that is running, in a kernel for both kinds.
#define ASCEND_IS_AIC (::machine::CurrentRole() == ::machine::Role::AIC)
#define ASCEND_IS_AIV (::machine::CurrentRole() == ::machine::Role::AIV)

using std::size_t;

// Device code calls these without a namespace; on the device they also take numbers of two types.
template <class T>
constexpr T const& max(T const& a, T const& b)
{
    return a < b ? b : a;
}
template <class T>
constexpr T const& min(T const& a, T const& b)
{
    return b < a ? b : a;
}

template <class A, class B>
using EvtgenMixed = std::enable_if_t<
    std::is_arithmetic_v<A> && std::is_arithmetic_v<B> && !std::is_same_v<A, B>, std::common_type_t<A, B>>;

template <class A, class B>
constexpr EvtgenMixed<A, B> max(A const& a, B const& b)
{
    using T = EvtgenMixed<A, B>;
    return max(static_cast<T>(a), static_cast<T>(b));
}
template <class A, class B>
constexpr EvtgenMixed<A, B> min(A const& a, B const& b)
{
    using T = EvtgenMixed<A, B>;
    return min(static_cast<T>(a), static_cast<T>(b));
}

/// Hints for the device's compiler.
constexpr bool likely(bool condition) { return condition; }
constexpr bool unlikely(bool condition) { return condition; }

#endif  // EVTGEN_ASCENDC_MACROS_H
