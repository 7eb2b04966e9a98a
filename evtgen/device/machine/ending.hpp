// The end of the program: whatever ends it, its report is there, and it does not outlive the evtgen that started it.
#pragma once

namespace machine {

/// Writes the report when the program exits; where evtgen runs the program, also when a signal ends it, and ends it with
/// evtgen (EVTGEN_MODEL_PARENT, the number of a descriptor at whose end of file it does).
bool WatchEnding();

/// Writes the report as it must read if the program ends, without another word, in the launch that begins now.
void WriteReportOfLaunch();

/// Before main: a program may never come to its first launch.
inline bool const kEndingIsWatched = WatchEnding();

}  // namespace machine
