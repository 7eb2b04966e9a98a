// The clock: the times of a launch, from the timelines of its cores.
#pragma once

#include "report.hpp"

namespace machine {

/// Plays the timelines of the running launch's cores against each other, traces them if there is a trace, and fills in
/// the times of `stats`. Pipes work in order and wait for flags; S issues; copies share the bandwidth of global memory
/// and of the L2 cache with the copies that run at the same time.
void Replay(LaunchStats& stats);

}  // namespace machine
