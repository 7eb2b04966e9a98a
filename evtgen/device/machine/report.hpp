// Findings: each fault once per pair of call sites, with a count, and the JSON report that holds them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record.hpp"

namespace machine {

enum class Fault : uint8_t {
#define EVT_FAULT(code, name, severity, title, advice) name,
#include "faults.def"
#undef EVT_FAULT
};

/// A call as a report names it.
struct Call {
    Site site = {"", 0};
    char const* name = "";
    Pipe pipe = Pipe::S;
    int32_t core = -1;               // index in the launch; -1: the host
    NodeName const* node = nullptr;  // where the program names it
};

/// Bytes, the last one included, from the start of the space or of the allocation.
struct Place {
    Space space;
    uint64_t first;
    uint64_t last;
};

struct Finding {
    Fault fault;
    Call call;                        // the call at fault, or the later one of a pair
    std::string detail = {};          // the details, in a sentence
    std::optional<Call> other = {};   // the earlier one of a pair
    std::optional<Place> place = {};  // what it is about
};

/// Of a flag from one pipe to another: "MTE2_V", and "MTE2_V, id 0".
std::string EventName(Pipe from, Pipe to);
std::string FlagName(Pipe from, Pipe to, int32_t id);

void Report(Finding const& finding);

/// Cycles of one pipe of all cores of a kind, by cause: work, and the reasons for which it does not work.
struct PipeTime {
    Role role;
    Pipe pipe;
    std::string cause;
    uint64_t cycles;
};

/// Cycles of one call, summed over cores. What it starts, waits and is slowed down is part of `busy`, but for `waits`.
struct CallTime {
    Role role = Role::AIC;
    Pipe pipe = Pipe::S;
    Site site = {"", 0};
    char const* name = "";
    char const* node = "";  // empty where the program does not name it
    uint64_t count = 0;
    double busy = 0;
    double start = 0;      // before its work
    double conflicts = 0;  // for banks
    double rows = 0;       // for rows off their sectors
    double shared = 0;     // for bandwidth that other copies take
    double waits = 0;      // of a wait or a barrier
};

/// A buffer or a flag that a core can use again.
struct CoreUse {
    Call first;          // the call that was the first to use it
    bool again = false;  // whether a core has used it again
};
using CoreUses = std::map<std::string, CoreUse>;  // by its name

/// Numbers of one launch.
struct LaunchStats {
    std::string kernel;
    Site site = {"", 0};
    uint32_t blockDim = 0;
    uint64_t instructions = 0;
    uint64_t count[kPipes] = {};  // instructions, summed over cores
    uint32_t cores = 0;
    CoreUses uses;
    // By the clock, if times are wanted:
    uint64_t makespan = 0;  // cycles of the kernel, from its first instruction on
    uint64_t launch = 0;    // cycles of the launch itself, on top
    uint64_t bandwidthBound =
        0;  // cycles that the bandwidths of global memory and the L2 cache and the shares of the cores ask for
    double busy[kPipes] = {};  // cycles, summed over cores
    std::vector<PipeTime> pipes;
    std::vector<CallTime> calls;
};

void AddLaunch(LaunchStats const& stats);

/// Readable names of the cores of a launch: "AIV 1.0".
void NameCores(std::vector<std::string> names);
std::string CoreName(int32_t core);  // "host" for -1

/// Writes the report if one is requested, all or nothing; `last` is one more finding than there are.
void WriteReport(Finding const* last = nullptr);
/// Prints the findings on stderr if no report is requested.
void PrintReport();

/// The errors that are found so far, in words; from then on they and all launches are forgotten. For a host that goes on:
/// a library, which tells its caller.
std::string TakeErrors();

}  // namespace machine
