#include "record.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "config.hpp"
#include "core.hpp"
#include "direct.hpp"
#include "launch.hpp"

namespace machine {

namespace {

Finding CallFinding(Core const& core, Fault fault, char const* name, Pipe pipe, Site site, std::string detail)
{
    return {fault, core.MakeCall(name, pipe, site, core.Node()), std::move(detail)};
}

/// The running core, or null after a report: device calls belong into kernels. Notes the call.
Core* RunningCore(char const* name, Pipe pipe, Site site)
{
    SettleWrite();
    Core* const core = CurrentCore();
    if (core == nullptr) {
        Report({Fault::OutsideKernel, {site, name, Pipe::S, -1}});
        return nullptr;
    }
    core->NoteCall(name, pipe, site);
    return core;
}

/// `runsOn`: the one of the two pipes that the instruction runs on.
bool CheckFlag(Core const& core, Pipe from, Pipe to, Pipe runsOn, int32_t id, char const* name, Site site)
{
    if (!core.Has(from) || !core.Has(to)) {
        Report(CallFinding(core, Fault::BadEvent, name, runsOn, site, EventName(from, to)));
        return false;
    }
    if (id < 0 || id > 7) {
        Report(CallFinding(core, Fault::FlagIdRange, name, runsOn, site, FlagName(from, to, id)));
        return false;
    }
    if (id > 5 && !core.CurrentPipe().ids.GaveOut({from, to}, id)) {
        Report(CallFinding(core, Fault::FlagIdReserved, name, runsOn, site, FlagName(from, to, id)));
    }
    return true;
}

void RecordFlag(Kind kind, Pipe on, Pipe other, int32_t id, char const* name, Site site)
{
    Instruction instruction(on, name, site);
    EventIds& ids = CurrentCore()->CurrentPipe().ids;
    if (kind == Kind::SetFlag) {
        instruction.again = !ids.Set({on, other}, id);
        instruction.pooled = ids.GaveOut({on, other}, id);
    } else {
        ids.Wait({other, on}, id);
    }
    instruction.kind = kind;
    instruction.other = other;
    instruction.flag = id;
    CurrentCore()->Push(std::move(instruction));
}

}  // namespace

Region Rows(Space space, void const* base, uint64_t rows, uint64_t length, uint64_t stride)
{
    Region region;
    region.base = const_cast<void*>(base);
    region.space = space;
    region.length = length;
    region.stride = stride;
    region.blocks = static_cast<uint32_t>(rows);
    if (rows > 1 && stride == length) {
        region.length = rows * length;
        region.blocks = 1;
    } else if (rows > 1 && stride == 0) {
        region.blocks = 1;
    }
    return region;
}

void Record(Instruction&& instruction)
{
    Core* const core = RunningCore(instruction.name, instruction.pipe, instruction.site);
    if (core == nullptr) { return; }
    if (!core->Has(instruction.pipe)) {
        Report(CallFinding(*core, Fault::WrongCore, instruction.name, instruction.pipe, instruction.site, ""));
        return;
    }
    CheckOperands(*core, instruction);
    core->Push(std::move(instruction));
}

void RecordSetFlag(Pipe from, Pipe to, int32_t id, char const* name, Site site)
{
    Core const* const core = RunningCore(name, from, site);
    if (core != nullptr && CheckFlag(*core, from, to, from, id, name, site)) {
        RecordFlag(Kind::SetFlag, from, to, id, name, site);
    }
}

void RecordWaitFlag(Pipe from, Pipe to, int32_t id, char const* name, Site site)
{
    Core const* const core = RunningCore(name, to, site);
    if (core != nullptr && CheckFlag(*core, from, to, to, id, name, site)) {
        RecordFlag(Kind::WaitFlag, to, from, id, name, site);
    }
}

void RecordBarrier(Pipe pipe, Site site)
{
    Core* const core = RunningCore("PipeBarrier", pipe, site);
    if (core == nullptr) { return; }
    if (!core->Has(pipe)) {
        Report(CallFinding(*core, Fault::WrongCore, "PipeBarrier", pipe, site, ""));
        return;
    }
    Instruction instruction(pipe, "PipeBarrier", site);
    instruction.kind = Kind::Barrier;
    core->Push(std::move(instruction));
}

void RecordBarrierAll(Site site)
{
    if (Core* const core = RunningCore("PipeBarrier", Pipe::S, site)) { core->PushBarrierAll(); }
}

Core* CoreOfCross(char const* name, uint8_t mode, Pipe pipe, uint16_t id, Site site)
{
    Core* const core = RunningCore(name, pipe, site);
    if (core == nullptr) { return nullptr; }
    bool const pair = mode == kPairMode;
    uint16_t const ids = pair && core->Id().role == Role::AIC ? 2 * kCrossFlagIds : kCrossFlagIds;
    if (id >= ids || (pair && id % kCrossFlagIds > kLastPairId)) {
        std::string const of = pair ? " of mode 4" : "";
        Report(CallFinding(*core, Fault::CrossIdRange, name, pipe, site, "id " + std::to_string(id) + of));
        return nullptr;
    }
    if (!core->Has(pipe)) {
        Report(CallFinding(*core, Fault::WrongCore, name, pipe, site, ""));
        return nullptr;
    }
    return core;
}

void CheckMeeting(Core const& core, char const* name, Pipe pipe, Site site)
{
    if (BlockNum() <= BlocksAtOnce()) { return; }
    Report(CallFinding(
        core, Fault::MeetingTooLarge, name, pipe, site,
        std::to_string(BlockNum()) + " blocks on a device that runs " + std::to_string(BlocksAtOnce()) + " at once"));
}

void RecordCrossSet(uint8_t mode, Pipe pipe, uint16_t id, Site site)
{
    Core* const core = CoreOfCross("CrossCoreSetFlag", mode, pipe, id, site);
    if (core == nullptr) { return; }
    if (mode == 0) { CheckMeeting(*core, "CrossCoreSetFlag", pipe, site); }
    Instruction instruction(pipe, "CrossCoreSetFlag", site);
    instruction.kind = Kind::CrossSet;
    instruction.mode = mode;
    instruction.flag = NumberOfCross(mode, id);
    core->Push(std::move(instruction));
}

void SetAtomic(Combine combine, ElementType type, Site site)
{
    if (Core* const core = RunningCore("SetAtomic", Pipe::S, site)) { core->SetAtomic({combine, type, site}); }
}

void ResetAtomic(Site site) { SetAtomic(Combine::Store, ElementType::I8, site); }

AtomicMode CurrentAtomic() { return CurrentCore() == nullptr ? AtomicMode{} : CurrentCore()->Atomic(); }

void TooManyRegions(char const* name, char const* verb, size_t limit)
{
    std::fprintf(stderr, "internal error of the CPU model: %s %s more than %zu regions\n", name, verb, limit);
    std::abort();
}

}  // namespace machine
