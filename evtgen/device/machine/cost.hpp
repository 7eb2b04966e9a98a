// The costs of instructions in cycles: one table per architecture. They are modelled, not measured.
#ifndef EVTGEN_MACHINE_COST_HPP
#define EVTGEN_MACHINE_COST_HPP

#include "record.hpp"

namespace machine {

struct Cost {
    uint64_t startup;   // cycles before the work, during which the pipe is busy but global memory is not
    uint64_t transfer;  // cycles of work; for copies from and to global memory, of the core's share of its bandwidth
    uint64_t latency;   // cycles from then until it is finished, during which the pipe runs its next instruction
    bool global;        // moves data from or to global memory, whose bandwidth MTE2, MTE3 and FIX of a core share
};

/// `cores`: how many cores of the launch share global memory.
Cost CostOf(Instruction const& instruction, uint32_t cores);

/// Cycles that `bytes` take at the full bandwidth of global memory, all cores together.
uint64_t GlobalBound(uint64_t bytes);

}  // namespace machine

#endif  // EVTGEN_MACHINE_COST_HPP
