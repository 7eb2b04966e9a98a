#include "record.hpp"

#include <memory>
#include <string>

#include "config.hpp"
#include "core.hpp"

namespace machine {

namespace {

Finding CallFinding(Core const& core, Fault fault, char const* name, Pipe pipe, Site site, std::string detail)
{
    Finding finding;
    finding.fault = fault;
    finding.call = {site, name, pipe, static_cast<int32_t>(core.index)};
    finding.detail = std::move(detail);
    return finding;
}

/// The running core, or null after a report: device calls belong into kernels.
Core* Running(char const* name, Site site)
{
    Core* const core = CurrentCore();
    if (core == nullptr) {
        Finding finding;
        finding.fault = Fault::OutsideKernel;
        finding.call = {site, name, Pipe::S, -1};
        Report(finding);
    }
    return core;
}

bool CheckFlag(Core const& core, Pipe from, Pipe to, int32_t id, char const* name, Site site)
{
    std::string const event = std::string(PipeName(from)) + "_" + PipeName(to);
    Pipe const runsOn = name[0] == 'S' ? from : to;
    if (!core.Has(from) || !core.Has(to)) {
        Report(CallFinding(core, Fault::BadEvent, name, runsOn, site, event));
        return false;
    }
    if (id < 0 || id > 7) {
        Report(CallFinding(core, Fault::FlagIdRange, name, runsOn, site, event + ", id " + std::to_string(id)));
        return false;
    }
    if (id > 5) {
        Report(CallFinding(core, Fault::FlagIdReserved, name, runsOn, site, event + ", id " + std::to_string(id)));
    }
    return true;
}

void RecordFlag(Kind kind, Pipe on, Pipe other, int32_t id, char const* name, Site site)
{
    Instruction instruction(on, name, site);
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
    Core* const core = Running(instruction.name, instruction.site);
    if (core == nullptr) {
        return;
    }
    if (!core->Has(instruction.pipe)) {
        Report(CallFinding(*core, Fault::WrongCore, instruction.name, instruction.pipe, instruction.site, ""));
        return;
    }
    CheckOperands(*core, instruction);
    core->Push(std::move(instruction));
}

void RecordSetFlag(Pipe from, Pipe to, int32_t id, char const* name, Site site)
{
    Core const* const core = Running(name, site);
    if (core != nullptr && CheckFlag(*core, from, to, id, name, site)) {
        RecordFlag(Kind::SetFlag, from, to, id, name, site);
    }
}

void RecordWaitFlag(Pipe from, Pipe to, int32_t id, char const* name, Site site)
{
    Core const* const core = Running(name, site);
    if (core != nullptr && CheckFlag(*core, from, to, id, name, site)) {
        RecordFlag(Kind::WaitFlag, to, from, id, name, site);
    }
}

void RecordBarrier(Pipe pipe, Site site)
{
    Core* const core = Running("PipeBarrier", site);
    if (core == nullptr) {
        return;
    }
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
    if (Core* const core = Running("PipeBarrier", site)) {
        core->PushAllPipes(Kind::BarrierAll, std::make_shared<Gate>());
    }
}

void RecordCrossSet(uint8_t mode, Pipe pipe, uint16_t id, Site site)
{
    Core* const core = Running("CrossCoreSetFlag", site);
    if (core == nullptr) {
        return;
    }
    if (id > 15) {
        Report(CallFinding(*core, Fault::CrossIdRange, "CrossCoreSetFlag", pipe, site, "id " + std::to_string(id)));
        return;
    }
    if (!core->Has(pipe)) {
        Report(CallFinding(*core, Fault::WrongCore, "CrossCoreSetFlag", pipe, site, ""));
        return;
    }
    Instruction instruction(pipe, "CrossCoreSetFlag", site);
    instruction.kind = Kind::CrossSet;
    instruction.mode = mode;
    instruction.flag = id;
    core->Push(std::move(instruction));
}

void SetAtomic(Combine combine, uint8_t elementType, Site site)
{
    if (Core* const core = Running("SetAtomic", site)) {
        core->atomic = combine;
        core->atomicType = elementType;
        core->atomicSite = site;
    }
}

Combine CurrentAtomic()
{
    return CurrentCore() == nullptr ? Combine::Store : CurrentCore()->atomic;
}
uint8_t CurrentAtomicType()
{
    return CurrentCore() == nullptr ? 0 : CurrentCore()->atomicType;
}

}  // namespace machine
