// Flags between cores: a set counts once all cores that its mode joins have set it; a wait takes one count.
#include <algorithm>
#include <string>

#include "config.hpp"
#include "running.hpp"

namespace machine {

CrossMembers MembersOf(CoreId const& core, uint8_t mode)
{
    CrossMembers members;
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
    auto const id = static_cast<size_t>(instruction.flag);
    running->arrivals[core.Id().index][id].push_back(clock);
    CrossMembers const members = MembersOf(core.Id(), instruction.mode);
    for (uint32_t index : members.from) {
        if (running->arrivals[index][id].empty()) {
            return;
        }
    }
    Clock joined;
    for (uint32_t index : members.from) {
        auto& queue = running->arrivals[index][id];
        joined.Join(queue.front());
        queue.erase(queue.begin());
    }
    for (uint32_t index : members.to) {
        size_t const ahead = running->fibers[index].core->CrossSet(id, core.MakeCall(instruction), joined);
        if (ahead > Arch().crossFlagDepth) {
            Finding finding;
            finding.fault = Fault::CrossDepth;
            finding.call = core.MakeCall(instruction);
            finding.detail = "flag " + std::to_string(id) + " is set " + std::to_string(ahead) + " times ahead";
            Report(finding);
        }
    }
}

void RecordCrossWait(uint16_t id, Site site)
{
    Core* const core = CoreOfCross("CrossCoreWaitFlag", Pipe::S, id, site);
    if (core == nullptr) {
        return;
    }
    Fiber* const self = running->current;
    while (!core->CrossIsSet(id)) {
        self->where = Fiber::Where::WaitsCross;
        self->waitsFor = id;
        self->waitSite = site;
        SwitchOut();
    }
    core->CrossWait(id, site);
}

size_t Core::CrossSet(size_t id, Call const& setter, Clock const& clock)
{
    CrossFlag& flag = crossFlags_[id];
    flag.sets.push_back(clock);
    flag.setter = setter;
    return flag.sets.size();
}

void Core::CrossWait(size_t id, Site site)
{
    if (Timing()) {
        timeline_.AddCrossWait(static_cast<uint16_t>(id), site);
    }
    auto& sets = crossFlags_[id].sets;
    auto gate = std::make_shared<Gate>();
    gate->clock = sets.front();
    gate->open = true;
    sets.erase(sets.begin());
    PushAllPipes(Kind::Gate, gate);
}

void Core::ReportCrossLeft() const
{
    for (size_t id = 0; id < crossFlags_.size(); ++id) {
        CrossFlag const& flag = crossFlags_[id];
        if (!flag.sets.empty()) {
            Finding finding;
            finding.fault = Fault::CrossLeft;
            finding.call = flag.setter;
            finding.detail = "flag " + std::to_string(id) + ", " + std::to_string(flag.sets.size()) + " times";
            Report(finding);
        }
    }
}

void ReportCrossDeadlock()
{
    for (Fiber& fiber : running->fibers) {
        if (fiber.where != Fiber::Where::WaitsCross) {
            continue;
        }
        Finding finding;
        finding.fault = Fault::Deadlock;
        finding.call = {fiber.waitSite, "CrossCoreWaitFlag", Pipe::S, static_cast<int32_t>(fiber.core->Id().index)};
        finding.detail = "waits for cross-core flag " + std::to_string(fiber.waitsFor);
        Report(finding);
        fiber.core->ReportStuck();
    }
}

void ReportCrossLeft()
{
    if (!GetConfig().checks) {
        return;
    }
    for (Fiber& fiber : running->fibers) {
        fiber.core->ReportCrossLeft();
    }
}

}  // namespace machine
