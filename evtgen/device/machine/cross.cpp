// Flags between cores: a set counts once all cores that its mode joins have set it; a wait takes one count.
#include <algorithm>
#include <string>

#include "config.hpp"
#include "running.hpp"

namespace machine {

std::string NameOfCross(size_t number)
{
    return number < kCrossFlagIds ? "flag " + std::to_string(number)
                                  : "flag " + std::to_string(number - kCrossFlagIds) + " of mode 4";
}

namespace {

/// The other end of a flag of mode 4: each id of a vector core stands for one of the cube core, 16 apart for the second.
CrossMembers PairOf(CoreId const& core, uint16_t number)
{
    auto const id = static_cast<uint16_t>(number - kCrossFlagIds);
    CrossMembers members{{core.index}, {}, 0};
    uint32_t const cube = core.group * running->groupSize;
    if (running->kind != KernelKind::Mix) { return members; }
    if (core.role == Role::AIC) {
        members.to.push_back(cube + 1 + id / kCrossFlagIds);
        members.number = NumberOfCross(kPairMode, id % kCrossFlagIds);
    } else {
        members.to.push_back(cube);
        members.number = NumberOfCross(kPairMode, static_cast<uint16_t>(id + core.sub * kCrossFlagIds));
    }
    return members;
}

}  // namespace

CrossMembers MembersOf(CoreId const& core, uint8_t mode, uint16_t number)
{
    if (mode == kPairMode) { return PairOf(core, number); }
    CrossMembers members{{}, {}, number};
    // All cores in mode 0, those of the group in the others.
    uint32_t const size = running->groupSize;
    bool const all = mode == 0;
    uint32_t const first = all ? 0 : core.group * size;
    uint32_t const end = all ? static_cast<uint32_t>(running->fibers.size()) : first + size;
    for (uint32_t i = first; i < end; ++i) {
        CoreId const& other = running->fibers[i].core->Id();
        bool const sameRole = other.role == core.role;
        bool const ofMode0 = all && sameRole;
        bool const ofMode1 = mode == 1 && other.role == Role::AIV;
        if (ofMode0 || ofMode1) {
            members.from.push_back(other.index);
            members.to.push_back(other.index);
        } else if (mode == 2) {
            (sameRole ? members.from : members.to).push_back(other.index);
        }
    }
    return members;
}

void CrossSetArrived(Core& core, Instruction const& instruction, Clock const& clock)
{
    auto const number = static_cast<uint16_t>(instruction.flag);
    running->arrivals[core.Id().index][number].push_back(clock);
    CrossMembers const members = MembersOf(core.Id(), instruction.mode, number);
    for (uint32_t index : members.from) {
        if (running->arrivals[index][number].empty()) { return; }
    }
    Clock joined;
    for (uint32_t index : members.from) {
        auto& queue = running->arrivals[index][number];
        joined.Join(queue.front());
        queue.erase(queue.begin());
    }
    if (members.to.empty() && instruction.mode == kPairMode) {
        Report(
            {Fault::CrossLeft, core.MakeCall(instruction),
             NameOfCross(number) + ", and the kernel has no core that could wait for it"});
    }
    for (uint32_t index : members.to) {
        Core& other = *running->fibers[index].core;
        size_t const ahead = other.CrossSet(members.number, core.MakeCall(instruction), joined);
        if (ahead > Arch().crossFlagDepth) {
            Report(
                {Fault::CrossDepth, core.MakeCall(instruction),
                 NameOfCross(number) + " is set " + std::to_string(ahead) + " times ahead"});
        }
    }
}

void RecordCrossWait(uint8_t mode, Pipe pipe, uint16_t id, Site site)
{
    if (!Arch().crossWaitsOnPipe) {
        mode = 0;
        pipe = Pipe::S;
    }
    Core* const core = CoreOfCross("CrossCoreWaitFlag", mode, pipe, id, site);
    if (core == nullptr) { return; }
    uint16_t const number = NumberOfCross(mode, id);
    if (pipe != Pipe::S) {
        Instruction instruction(pipe, "CrossCoreWaitFlag", site);
        instruction.kind = Kind::CrossWait;
        instruction.flag = number;
        core->Push(std::move(instruction));
        return;
    }
    Fiber* const self = running->current;
    while (!core->CrossIsSet(number)) {
        self->where = Fiber::Where::WaitsCross;
        self->waitsFor = number;
        self->waitSite = site;
        SwitchOut();
    }
    core->CrossWait(number, site);
}

size_t Core::CrossSet(size_t number, Call const& setter, Clock const& clock)
{
    CrossFlag& flag = crossFlags_[number];
    flag.sets.push_back(clock);
    flag.setter = setter;
    ++flag.count;
    return flag.sets.size();
}

Clock Core::TakeCross(size_t number)
{
    auto& sets = crossFlags_[number].sets;
    Clock clock = std::move(sets.front());
    sets.erase(sets.begin());
    return clock;
}

void Core::CrossWait(size_t number, Site site)
{
    if (Timing()) { timeline_.AddCrossWait(static_cast<uint16_t>(number), site); }
    ComeAfter(TakeCross(number));
}

void Core::ComeAfter(Clock const& clock) { PushAllPipes(Kind::Gate, std::make_shared<Gate>(Gate{true, clock})); }

Clock Core::ClockAfter(Pipe pipe) const
{
    PipeState const& state = pipes_[static_cast<size_t>(pipe)];
    Clock clock = state.clock;
    clock.Set(id_.index, pipe, state.position);
    return clock;
}

void Core::ReportCrossLeft() const
{
    for (size_t number = 0; number < crossFlags_.size(); ++number) {
        CrossFlag const& flag = crossFlags_[number];
        if (!flag.sets.empty()) {
            Report(
                {Fault::CrossLeft, flag.setter,
                 NameOfCross(number) + ", " + std::to_string(flag.sets.size()) + " times"});
        }
    }
}

void ReportCrossDeadlock()
{
    for (Fiber& fiber : running->fibers) {
        if (fiber.where == Fiber::Where::WaitsOnPipe) { fiber.core->ReportStuck(); }
        if (fiber.where == Fiber::Where::WaitsWord) {
            Report(
                {Fault::Deadlock, fiber.core->MakeCall(fiber.waitCall, Pipe::S, fiber.waitSite),
                 "waits until the word of its core and event in global memory is " + std::to_string(fiber.value)});
        }
        if (fiber.where != Fiber::Where::WaitsCross) { continue; }
        Report(
            {Fault::Deadlock, fiber.core->MakeCall("CrossCoreWaitFlag", Pipe::S, fiber.waitSite),
             "waits for cross-core " + NameOfCross(fiber.waitsFor)});
        fiber.core->ReportStuck();
    }
}

void ReportCrossLeft()
{
    if (!GetConfig().checks) { return; }
    for (Fiber& fiber : running->fibers) { fiber.core->ReportCrossLeft(); }
}

}  // namespace machine
