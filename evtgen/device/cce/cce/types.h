// Types and enumerations that the device's compiler brings along.
#ifndef EVTGEN_CCE_TYPES_H
#define EVTGEN_CCE_TYPES_H

#include "../../machine/arch.hpp"
#include "../../machine/elements.hpp"
#include "../../machine/targets.hpp"
#include "language.h"

using half = machine::Half;
using bfloat16_t = machine::Bfloat16;

// clang-format off
enum pipe_t {
    PIPE_S = 0, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4, PIPE_MTE5, PIPE_V2,
    PIPE_FIX = 10
};
// clang-format on

enum event_t { EVENT_ID0 = 0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };

/// What a reduction over a repeat writes: the value, its index, or both.
enum class Order_t : uint8_t { VALUE_INDEX = 0, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX };

namespace cce {

inline constexpr machine::ArchSpec const& kArch = machine::kArchs[machine::IndexOfArch(CATLASS_ARCH)];
inline int const architectureIsSet = (machine::SetArch(kArch), 0);

constexpr machine::Pipe PipeOf(pipe_t pipe)
{
    switch (pipe) {
        case PIPE_V: return machine::Pipe::V;
        case PIPE_M: return machine::Pipe::M;
        case PIPE_MTE1: return machine::Pipe::MTE1;
        case PIPE_MTE2: return machine::Pipe::MTE2;
        case PIPE_MTE3: return machine::Pipe::MTE3;
        case PIPE_FIX: return machine::Pipe::FIX;
        default: return machine::Pipe::S;
    }
}

}  // namespace cce

#endif  // EVTGEN_CCE_TYPES_H
