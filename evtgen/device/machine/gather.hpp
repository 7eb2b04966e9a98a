// Recording gathers: elements or data blocks by their offsets, and elements by a mask, packed.
#pragma once

#include "vector.hpp"

namespace machine {

/// The length of a source that its caller does not know: as far as the offsets go, as they are when everything recorded
/// before has run.
constexpr uint64_t kAnyLength = ~uint64_t{0};

/// dst[i] = the element at `offsets[i]` bytes (uint32) after the start of `src`, of which `srcBytes` may be read. Lanes
/// of all repeats take their offsets one after the other (Gather page).
void RecordGather(
    char const* name, Operand const& dst, Operand const& src, uint64_t srcBytes, Operand const& offsets,
    Lanes const& lanes, Site site);

/// The same for data blocks, eight per repeat (Gatherb page).
void RecordGatherBlocks(
    char const* name, Operand const& dst, Operand const& src, uint64_t srcBytes, Operand const& offsets,
    uint32_t repeats, Site site);

/// The elements of `src` whose bit is set in a mask, one after the other (GatherMask page). The mask is `pattern`: 1 and
/// 2 take every second element, 3 to 6 one of four, 7 all; with pattern 0 it lies in memory at `mask`, whose repeat
/// stride is that from one repeat of `src` to the next. Of each of `repeats` repeats the first `count` elements take
/// part, which may be more than 256 bytes. Leaves the number of elements in Registers::kept. A mask in memory is read as
/// it is when V has run everything recorded before.
void RecordGatherMask(
    char const* name, Operand const& dst, Operand const& src, Operand const& mask, uint8_t pattern, uint32_t count,
    uint32_t repeats, Site site);

}  // namespace machine
