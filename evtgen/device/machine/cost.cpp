#include "cost.hpp"

#include <algorithm>

namespace machine {

namespace {

struct Costs {
    uint64_t issue;         // of a vector instruction, before its first repeat is through
    uint64_t copyStartup;   // of a copy from or to global memory: what keeps short copies from full bandwidth
    uint64_t copyLatency;   // of such a copy, until its data are there; the next one need not wait for that
    uint64_t localLatency;  // of a copy or a matrix operation within the core
    uint64_t scalar;        // of a scalar access
    uint64_t blockGap;      // per further block of a strided copy
    uint64_t globalBytes;   // per cycle, global memory, all cores together
    uint64_t portBytes;     // per cycle, at most, between global memory and one core
    uint64_t l1Bytes;       // per cycle, L1 to L0
    uint64_t macs;          // multiply-accumulates of half per cycle
    uint64_t unaligned10;   // tenths: how much longer a copy takes that does not start on 512 bytes
};

// Sources (guide): globalBytes from 1.8 TB/s (performance analysis page) at 1.8 GHz (assumed). One repeat of 256 bytes
// per cycle from the same page's 11.06 TOPS of float. macs: 16 x 16 x 16 per cycle (Matmul tiling page). l1Bytes: the
// slower of the two L0 paths (architecture specification). unaligned10: 1.4 times (512-byte alignment page). That MTE2
// and MTE3 share the bandwidth: performance analysis page. Everything else is assumed.
constexpr Costs k2201 = {20,   // assumed
                         16,   // assumed: a copy of 16 KB, alone on its core, then reaches 94 %
                         300,  // assumed
                         40,   // assumed
                         2,    // assumed
                         4,    // assumed
                         1000, 64 /* assumed */, 128, 4096, 14};
constexpr Costs k3510 = {
    20,   // assumed
    16,   // assumed
    300,  // assumed
    40,   // assumed
    2,    // assumed
    4,    // assumed
    1000 /* assumed */,
    128 /* assumed */,
    256,
    4096 /* assumed */,
    14 /* assumed */};

Costs const& Table()
{
    return Arch().number == 3510 ? k3510 : k2201;
}

uint64_t Over(uint64_t amount, uint64_t rate)
{
    return (amount + rate - 1) / rate;
}

Cost CopyCost(Instruction const& instruction, uint32_t cores)
{
    Costs const& costs = Table();
    Region const* global = nullptr;
    for (size_t i = 0; i < instruction.readCount; ++i) {
        global = instruction.reads[i].space == Space::GM ? &instruction.reads[i] : global;
    }
    for (size_t i = 0; i < instruction.writeCount; ++i) {
        global = instruction.writes[i].space == Space::GM ? &instruction.writes[i] : global;
    }
    if (global == nullptr) {
        return {costs.localLatency, Over(instruction.work, costs.l1Bytes), 0, false};
    }
    uint64_t const share = std::max<uint64_t>(1, std::min(costs.portBytes, costs.globalBytes / std::max(1u, cores)));
    bool const aligned =
        reinterpret_cast<uintptr_t>(global->base) % 512 == 0 && (global->blocks == 1 || global->stride % 512 == 0);
    uint64_t const bytes = aligned ? instruction.work : instruction.work * costs.unaligned10 / 10;
    uint64_t const transfer = Over(bytes, share) + (uint64_t{global->blocks} - 1) * costs.blockGap;
    return {costs.copyStartup, transfer, costs.copyLatency, true};
}

}  // namespace

Cost CostOf(Instruction const& instruction, uint32_t cores)
{
    Costs const& costs = Table();
    switch (instruction.pipe) {
        case Pipe::S:
            return {0, costs.scalar, 0, false};
        case Pipe::V:
            return {costs.issue, instruction.work, 0, false};
        case Pipe::M:
            return {costs.localLatency, Over(instruction.work, costs.macs), 0, false};
        case Pipe::FIX:
            return {costs.localLatency, Over(instruction.work, costs.macs), 0, false};
        default:
            return CopyCost(instruction, cores);
    }
}

uint64_t GlobalBound(uint64_t bytes)
{
    return Over(bytes, Table().globalBytes);
}

}  // namespace machine
