// One table of costs per architecture. A model, never a measurement.
#include "core.hpp"

namespace machine {

namespace {

struct Costs {
    // Cycles before the first byte or repeat of an instruction is through.
    uint64_t startVector;
    uint64_t startCopy;
    uint64_t startScalar;
    uint64_t startMatrix;
    // Throughput.
    uint64_t bytesPerCycleIn;    // MTE2
    uint64_t bytesPerCycleOut;   // MTE3
    uint64_t bytesPerCycleL1;    // MTE1
    uint64_t macsPerCycle;       // M and FIX
};

// One vector repeat handles 256 bytes (Vector architecture page): one repeat per cycle is assumed. All start costs,
// the copy bandwidths per core and 16 x 16 x 16 multiply-accumulates per cycle are assumed.
constexpr Costs k2201 = {20, 300, 2, 40, 64, 64, 256, 4096};
constexpr Costs k3510 = {20, 300, 2, 40, 128, 128, 256, 4096};

}  // namespace

uint64_t CostOf(Instruction const& instruction)
{
    Costs const& costs = Arch().number == 3510 ? k3510 : k2201;
    auto const over = [&](uint64_t rate) { return (instruction.work + rate - 1) / rate; };
    switch (instruction.pipe) {
        case Pipe::S: return costs.startScalar;
        case Pipe::V: return costs.startVector + instruction.work;
        case Pipe::MTE1: return costs.startMatrix + over(costs.bytesPerCycleL1);
        case Pipe::MTE2: return costs.startCopy + over(costs.bytesPerCycleIn);
        case Pipe::MTE3: return costs.startCopy + over(costs.bytesPerCycleOut);
        default: return costs.startMatrix + over(costs.macsPerCycle);
    }
}

}  // namespace machine
