// Settings from the environment, so that a program can be checked without changing it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace machine {

/// The order that the executor takes, of those that the flags allow.
enum class Schedule : uint8_t { Recorded, Late, Random };

/// A constant of the clock, or the price of a call, and what it is multiplied by.
struct Scale {
    std::string name;
    double factor;
};

struct Config {
    std::string report;      // EVTGEN_MODEL_REPORT: path of the JSON report; empty: findings go to stderr
    std::string trace;       // EVTGEN_MODEL_TRACE: path of the Chrome trace; empty: none
    bool checks = true;      // EVTGEN_MODEL_CHECKS=all|off
    bool strict = false;     // EVTGEN_MODEL_STRICT=0|1: warnings become errors
    bool reservesUb = true;  // EVTGEN_MODEL_RESERVED_UBUF=on|off: calls of AscendC keep a part of UB
    bool autoSync = true;    // EVTGEN_MODEL_AUTO_SYNC=on|off: the compiler inserts flags and barriers (cce-auto-sync)
    bool saturates = false;  // EVTGEN_MODEL_SATURATION=on|off: floats saturate at a launch's start (SetCtrlSpr page)
    bool deterministic = false;  // EVTGEN_MODEL_DETERMINISTIC=0|1: results must not depend on the order of cores
    Schedule schedule = Schedule::Recorded;  // EVTGEN_MODEL_SCHEDULE=recorded|late|random:SEED
    uint64_t seed = 0;
    std::optional<uint64_t>
        noise;             // EVTGEN_MODEL_NOISE=SEED: calls are off as far as their pages allow; empty: they are not
    bool executes = true;  // EVTGEN_MODEL_EXECUTE=on|off: off, only the clock runs; memory keeps no contents
    bool clock = true;     // EVTGEN_MODEL_CLOCK=on|off: whether times are wanted; a trace needs them
    std::vector<Scale> scales;  // EVTGEN_MODEL_SCALE=NAME:FACTOR,...: constants of the clock as multiples of their own
    uint32_t cores = 0;         // EVTGEN_MODEL_CORES: cube cores; 0: as the architecture has
    std::string kinds;          // EVTGEN_MODEL_KINDS: of each launch, V, C or M (machine::KindOf); empty: M
    int parent = -1;  // EVTGEN_MODEL_PARENT: a descriptor that ends with the evtgen that runs this; -1: none does
};

/// Read once, at first use.
Config const& GetConfig();

}  // namespace machine
