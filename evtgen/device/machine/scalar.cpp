#include "scalar.hpp"

#include <cstring>
#include <string>

#include "core.hpp"
#include "global.hpp"
#include "memory.hpp"

namespace machine {

uint64_t ReadScalar(Space space, void const* address, uint32_t bytes, Site site)
{
    uint64_t value = 0;
    Region const region = Bytes(space, address, bytes);
    Instruction instruction(Pipe::S, "GetValue", site);
    instruction.Reads(region);
    instruction.Act([&value, address, bytes] { std::memcpy(&value, address, bytes); });
    instruction.Shadow([region] {
        bool defined = true;
        if (region.space == Space::GM) {
            Allocation const* const allocation = FindAllocation(region.base);
            defined = allocation->shadow.AllSet(allocation->Offset(region.base), region.length);
        } else {
            defined = LocalDefined(region.base, region.length);
        }
        if (!defined) {
            Finding finding;
            finding.fault = Fault::UndefinedScalar;
            finding.call = CurrentCore()->MakeCall(*CurrentInstruction());
            Report(finding);
        }
    });
    Record(std::move(instruction));
    Force(Pipe::S);
    return value;
}

void WriteScalar(Space space, void* address, uint64_t value, uint32_t bytes, Site site)
{
    Instruction instruction(Pipe::S, "SetValue", site);
    instruction.Writes(Bytes(space, address, bytes));
    instruction.Act([address, value, bytes] { std::memcpy(address, &value, bytes); });
    instruction.Shadow([space, address, bytes] {
        if (space == Space::GM) {
            Allocation* const allocation = FindAllocation(address);
            allocation->shadow.Set(allocation->Offset(address), bytes, true);
        } else {
            ShadowFill(address, bytes, kDefined);
        }
    });
    Record(std::move(instruction));
}

void* LocalAddress(Space space, uint64_t offset, uint64_t bytes)
{
    Core* const core = CurrentCore();
    if (core == nullptr) {
        return nullptr;
    }
    LocalMemory* const memory = core->Local(space);
    memory->allocated = std::max(memory->allocated, std::min(offset + bytes, memory->bytes));
    return memory->data.get() + offset;
}

void* AllocateLocal(Space space, uint64_t bytes, Site site)
{
    Core* const core = CurrentCore();
    if (core == nullptr) {
        return nullptr;
    }
    uint64_t const offset = core->Take(space, bytes);
    uint64_t const taken = core->Taken(space);
    if (taken > Arch().SizeOf(space)) {
        Finding finding;
        finding.fault = Fault::LocalOutOfBounds;
        finding.call = {site, "InitBuffer", Pipe::S, static_cast<int32_t>(core->Id().index)};
        finding.detail = std::to_string(taken) + " bytes are asked of the " + std::to_string(Arch().SizeOf(space))
                         + " of " + SpaceName(space);
        finding.memory = true;
        finding.space = space;
        finding.first = offset;
        finding.last = taken - 1;
        Report(finding);
    }
    return LocalAddress(space, offset, bytes);
}

}  // namespace machine
