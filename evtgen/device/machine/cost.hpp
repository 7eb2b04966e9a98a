// The costs of instructions in cycles, from the table of the architecture (targets/).
#pragma once

#include "timeline.hpp"

namespace machine {

/// Fills in what an instruction that is no flag or barrier costs; `transfer` if that makes the step a Copy.
void PriceStep(Core& core, Timeline const& timeline, Instruction const& instruction, Step& step, Transfer& transfer);

/// Hundredths of a cycle per repeat of a vector instruction that wait for a bank, by the addresses of its operands.
/// On 2201 a group of banks gives one row per cycle and takes one: blocks that a repeat reads from one group queue up, be
/// they of one operand or of two, and so do those that it writes, and a read and a write in one bank, unless both walk the
/// banks in step (guide, bank conflicts; asc-devkit, bank_conflict_ub). On 3510 a group gives one row of each of its two
/// banks, or gives one and takes one: of two sources and a destination one always waits, wherever they lie (guide; asc-devkit,
/// bank_conflict_3510, cases 1 to 7: within a tenth of each other).
uint64_t ConflictsPerRepeat(Core& core, Instruction const& instruction);

}  // namespace machine
