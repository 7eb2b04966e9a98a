// Registers of a core in which instructions leave results, and from which they take values, beside their operands.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "dequant.hpp"
#include "saturation.hpp"

namespace machine {

struct Registers {
    uint64_t kept = 0;                    // elements that the last gather by a mask wrote
    uint64_t sum = 0;                     // bits of the last sum over a whole operand
    std::array<uint16_t, 4> merged{};     // elements that the last merge took from each list
    uint64_t control = InitialControl();  // CTRL
    struct {
        char const* name;
        Site site;
    } controlSetter{};  // the call that set it last, if one has
    DeqScale deqScale;
    std::optional<uint64_t> padding;  // bits of the element that pads copies into UB, once there is one
};

/// What AscendC sets at a kernel's start, of that which an earlier kernel may have left (InitSocState page).
void InitRegisters();

/// Those of the running core: for an instruction that runs, and for a call that sets one for later calls.
Registers& CurrentRegisters();

/// Those of the running core when everything recorded so far has run on V: for a call that reads a result.
Registers const& SettledRegisters();

}  // namespace machine
