// The Chrome trace: one process per core, one track per pipe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "timeline.hpp"

namespace machine {

/// True if EVTGEN_MODEL_TRACE asks for one.
bool Tracing();

/// Names the cores of the launch that begins; its cycle 0 comes after everything traced before.
void TraceLaunch(char const* kernel, std::vector<std::string> const& cores);

/// One slice, in cycles of the launch (shown as microseconds). What took no time is left out, but for waits.
void TraceSlice(uint32_t core, Step const& step, Extent const& extent, uint64_t begin, uint64_t end, uint64_t done);

/// Ends the launch after `cycles`.
void TraceLaunchEnd(uint64_t cycles);

}  // namespace machine
