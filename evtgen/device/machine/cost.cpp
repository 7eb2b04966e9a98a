#include "cost.hpp"

#include <algorithm>

namespace machine {

namespace {

uint64_t Over(uint64_t amount, uint64_t rate)
{
    return (amount + rate - 1) / rate;
}

Cost CopyCost(Instruction const& instruction, uint32_t cores)
{
    Costs const& costs = Arch().costs;
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
    Costs const& costs = Arch().costs;
    switch (instruction.pipe) {
        case Pipe::S:
            return {0, costs.scalar, 0, false};
        case Pipe::V:
            return {costs.issue, instruction.work, 0, false};
        case Pipe::M:
        case Pipe::FIX:
            return {costs.localLatency, Over(instruction.work, costs.macs), 0, false};
        default:
            return CopyCost(instruction, cores);
    }
}

uint64_t GlobalBound(uint64_t bytes)
{
    return Over(bytes, Arch().costs.globalBytes);
}

}  // namespace machine
