// Variables that each core has for itself, in a program that keeps them in the section `evtgen_block_local`.
#pragma once

#include <cstdint>
#include <vector>

namespace machine {

/// One core's values.
class BlockLocals {
public:
    /// Puts this core's values into the variables; the first time, those that the program starts with.
    void Enter();
    /// Takes them out again.
    void Leave();

private:
    std::vector<uint8_t> values_;
};

}  // namespace machine
