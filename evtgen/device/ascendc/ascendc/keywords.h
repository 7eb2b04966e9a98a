// What both faces of AscendC, the model's headers and those of a checkout, need of the device's C++ first: keywords, pipes,
// and max and min of two types. Before it is included, max and min of one type are declared.
#pragma once

#include <type_traits>

#include "../../machine/arch.hpp"

#ifndef __gm__  // clang++ as the compiler of a device has it as an address space
#define __gm__
#endif
#define __aicore__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __biasbuf__
#define __host_aicore__
#define __simd_vf__
#define __simd_callee__
#define __VEC_SCOPE__
#define __no_simd_vf_fusion__
#define __forceinline__ inline
#define __schedmode__(mode)
#ifndef EVTGEN_KEEPS_KINDS  // else whoever rewrites launches in the preprocessed text takes them out
#define __global__
#define __vector__
#define __cube__
#define __mix__(...)
#endif

template <class A, class B>
using EvtgenMixed = std::enable_if_t<
    std::is_arithmetic_v<A> && std::is_arithmetic_v<B> && !std::is_same_v<A, B>, std::common_type_t<A, B>>;

template <class A, class B> constexpr EvtgenMixed<A, B> max(A const& a, B const& b)
{
    using T = EvtgenMixed<A, B>;
    return max(static_cast<T>(a), static_cast<T>(b));
}
template <class A, class B> constexpr EvtgenMixed<A, B> min(A const& a, B const& b)
{
    using T = EvtgenMixed<A, B>;
    return min(static_cast<T>(a), static_cast<T>(b));
}

/// Hints for the device's compiler.
constexpr bool likely(bool condition) { return condition; }
constexpr bool unlikely(bool condition) { return condition; }

// clang-format off
enum pipe_t {
    PIPE_S = 0, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4, PIPE_MTE5, PIPE_V2, PIPE_FIX = 10
};
enum event_t { EVENT_ID0 = 0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };
// clang-format on

namespace machine {

constexpr Pipe PipeOf(pipe_t pipe)
{
    switch (pipe) {
        case PIPE_V: return Pipe::V;
        case PIPE_M: return Pipe::M;
        case PIPE_MTE1: return Pipe::MTE1;
        case PIPE_MTE2: return Pipe::MTE2;
        case PIPE_MTE3: return Pipe::MTE3;
        case PIPE_FIX: return Pipe::FIX;
        default: return Pipe::S;
    }
}

}  // namespace machine
