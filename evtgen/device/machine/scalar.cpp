#include "scalar.hpp"

#include <cstring>
#include <string>

#include "core.hpp"
#include "global.hpp"
#include "memory.hpp"

namespace machine {

uint64_t ReadScalar(Region const& region, Site site, By by)
{
    uint64_t value = 0;
    Instruction instruction(Pipe::S, "GetValue", site);
    instruction.cached = by != By::PastCache && region.space == Space::GM;
    instruction.autoSync = by == By::Tensor;
    instruction.Reads(region);
    instruction.Act([&value, region] { std::memcpy(&value, region.base, region.length); });
    instruction.Shadow([region] {
        bool defined = true;
        if (region.space == Space::GM) {
            Allocation const* const allocation = FindAllocation(region.base);
            defined = allocation->shadow.AllSet(allocation->Offset(region.base), region.length);
        } else {
            defined = LocalDefined(region.base, region.length);
        }
        if (!defined) { Report({Fault::UndefinedScalar, CurrentCore()->MakeCall(*CurrentInstruction())}); }
    });
    Record(std::move(instruction));
    Force(Pipe::S);
    if (Core* const core = CurrentCore()) { core->NoteRead(region.base); }
    return value;
}

void WriteScalar(Region const& region, uint64_t value, Site site, By by)
{
    Instruction instruction(Pipe::S, "SetValue", site);
    instruction.cached = by != By::PastCache && region.space == Space::GM;
    instruction.autoSync = by == By::Tensor && region.space != Space::GM;  // the list lacks GlobalTensor's SetValue
    instruction.Writes(region);
    instruction.Act([region, value] { std::memcpy(region.base, &value, region.length); });
    instruction.Shadow([region] {
        if (region.space == Space::GM) {
            Allocation* const allocation = FindAllocation(region.base);
            allocation->shadow.Set(allocation->Offset(region.base), region.length, true);
        } else {
            ShadowFill(region.base, region.length, kDefined);
        }
    });
    Record(std::move(instruction));
}

void RefreshCache(void const* address, bool entire, Site site)
{
    Instruction instruction(Pipe::S, "DataCacheCleanAndInvalid", site);
    instruction.Act([address, entire] { CurrentCore()->RefreshCache(address, entire); });
    Record(std::move(instruction));
}

void* LocalAddress(Space space, uint64_t offset, uint64_t bytes)
{
    Core* const core = CurrentCore();
    if (core == nullptr) { return nullptr; }
    LocalMemory* const memory = core->Local(space);
    memory->allocated = std::max(memory->allocated, std::min(offset + bytes, memory->bytes));
    return memory->data.get() + offset;
}

void const* DeclareBuffer(Space space, void const* address, uint64_t bytes)
{
    Core* const core = CurrentCore();
    LocalMemory* const memory = core == nullptr ? nullptr : core->LocalOf(address);
    if (memory == nullptr || bytes >= Arch().SizeOf(space)) { return nullptr; }
    uint64_t const first = memory->Offset(address);
    Buffer& buffer = memory->buffers[first];
    buffer.end = bytes == 0 ? buffer.end : std::max(buffer.end, first + bytes);
    buffer.declaredAt = core->NextDeclaration();
    return address;
}

void* AllocateLocal(Space space, uint64_t bytes, Site site)
{
    Core* const core = CurrentCore();
    if (core == nullptr) { return nullptr; }
    uint64_t const offset = core->Take(space, bytes);
    uint64_t const taken = core->Taken(space);
    if (taken > Arch().SizeOf(space)) {
        Report(
            {Fault::LocalOutOfBounds,
             core->MakeCall("InitBuffer", Pipe::S, site),
             std::to_string(taken) + " bytes are asked of the " + std::to_string(Arch().SizeOf(space)) + " of "
                 + SpaceName(space),
             {},
             Place{space, offset, taken - 1}});
    }
    return LocalAddress(space, offset, bytes);
}

}  // namespace machine
