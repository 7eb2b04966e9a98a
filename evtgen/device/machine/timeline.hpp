// What the clock needs to know of a core's stream: one short step per instruction, in program order, with its cost.
// replay.hpp turns the timelines of all cores into times once the launch is over; so times depend neither on the order in
// which the executor ran the instructions nor on what it found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record.hpp"

namespace machine {

class Core;

enum class StepKind : uint8_t {
    Work,  // cycles that are known beforehand
    Copy,  // to or from global memory: its length depends on what else moves
    SetFlag,
    WaitFlag,
    Barrier,
    BarrierAll,
    CrossSet,
    CrossWait
};

/// A rectangle of global memory that a copy touches: `rows` of `length` bytes, `stride` apart.
struct Rectangle {
    uint8_t const* base;
    uint64_t length;
    uint64_t stride;
    uint32_t rows;
    bool written;
    bool cached;  // false: a load that passes the L2 cache by
};

/// A copy, or a block of a matmul or the part of one that loads or stores.
struct Transfer {
    static constexpr size_t kRectangles = 4;

    Rectangle rectangles[kRectangles];
    uint8_t count = 0;
    bool block = false;    // of a matmul: it stores after the rest
    double port = 0;       // bytes per cycle at most
    uint64_t atLeast = 0;  // cycles: the multiply-accumulates of a block
    uint64_t stores = 0;   // cycles in which FIX moves what a block stores
    uint64_t after = 0;    // cycles from the end of that until the data have arrived
};

struct Step {
    StepKind kind;
    Pipe pipe;
    Pipe other;      // of a flag
    uint8_t mode;    // of a cross-core flag
    uint16_t flag;   // its id; of a cross-core flag, NumberOfCross()
    uint32_t label;  // of the call: LabelOf()
    int32_t tile;
    uint32_t head;       // cycles before the work: of a copy, its start
    uint32_t work;       // cycles, without conflicts
    uint32_t conflicts;  // cycles that operands wait for banks
    uint32_t tail;       // cycles until the result is there, in which the pipe goes on
    uint32_t transfer;   // of a Copy: index into Timeline::transfers
};

/// The bytes that an instruction touches, for the trace.
struct Extent {
    uint64_t bytes;
    uint32_t blocks;
    Space space = Space::GM;  // GM: no local memory is touched
    uint64_t offset;
};

/// A call as profiles name it.
struct CallLabel {
    char const* name;
    Site site;
    NodeName const* node;  // null where the program does not name it
};

struct Timeline {
    std::vector<Step> steps;
    std::vector<Transfer> transfers;
    std::vector<Extent> extents;  // of each step, if there is a trace

    void Add(Core& core, Instruction const& instruction);
    void AddBarrierAll();
    /// A wait of S for a cross-core flag.
    void AddCrossWait(uint16_t number, Site site);
    /// Loads from [base, base + bytes) pass the L2 cache by from now on, or do not.
    void SetCached(uint8_t const* base, uint64_t bytes, bool cached);
    bool IsCached(uint8_t const* address) const;

private:
    struct Uncached {
        uint8_t const* base;
        uint64_t bytes;
    };
    std::vector<Uncached> uncached_;
};

/// Whether times are wanted (EVTGEN_MODEL_CLOCK).
bool Timing();

CallLabel const& LabelOf(uint32_t label);

}  // namespace machine
