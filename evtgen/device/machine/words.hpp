// Words of global memory by which cores wait for each other (IBSet, IBWait): a core writes one, another reads it again and
// again until it has the value.
#pragma once

#include <cstdint>

#include "record.hpp"

namespace machine {

/// Bytes around the word that a core reads and writes.
constexpr uint64_t kWordBlock = 32;

/// Waits until all that the core has recorded has run, and the word at `gm` is `value`. What the core issues later comes
/// after everything that the core knew which wrote the word last.
void AwaitWord(void* gm, int32_t value, char const* name, Site site);

/// Copies the block at `ub`, in which the word is first, to `gm`: an instruction of MTE3.
void RecordWord(void* gm, void* ub, void const* buffer, char const* name, Site site);

}  // namespace machine
