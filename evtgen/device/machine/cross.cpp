// Flags between cores: a set counts once all cores that its mode joins have set it; a wait takes one count.
#include <algorithm>
#include <string>

#include "config.hpp"
#include "running.hpp"

namespace machine {

void CrossSetArrived(Core& core, Instruction const& instruction, Clock const& clock, uint64_t time)
{
    auto const id = static_cast<size_t>(instruction.flag);
    running->arrivals[core.Id().index][id].push_back({clock, time});
    // The cores that must have set the flag, and those whose counters go up.
    std::vector<uint32_t> from;
    std::vector<uint32_t> to;
    // All cores in mode 0, those of the group in the others.
    uint32_t const size = running->groupSize;
    bool const all = instruction.mode == 0;
    uint32_t const first = all ? 0 : core.Id().group * size;
    uint32_t const end = all ? static_cast<uint32_t>(running->fibers.size()) : first + size;
    for (uint32_t i = first; i < end; ++i) {
        CoreId const& other = running->fibers[i].core->Id();
        bool const sameRole = other.role == core.Id().role;
        bool const ofMode0 = all && sameRole;
        bool const ofMode1 = instruction.mode == 1 && other.role == Role::AIV;
        if (ofMode0 || ofMode1) {
            from.push_back(other.index);
            to.push_back(other.index);
        } else if (instruction.mode == 2) {
            (sameRole ? from : to).push_back(other.index);
        }
    }
    for (uint32_t index : from) {
        if (running->arrivals[index][id].empty()) {
            return;
        }
    }
    Clock joined;
    uint64_t when = 0;
    for (uint32_t index : from) {
        auto& queue = running->arrivals[index][id];
        joined.Join(queue.front().clock);
        when = std::max(when, queue.front().time);
        queue.erase(queue.begin());
    }
    for (uint32_t index : to) {
        size_t const ahead = running->fibers[index].core->CrossSet(id, core.MakeCall(instruction), joined, when);
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
    core->CrossWait(id);
}

size_t Core::CrossSet(size_t id, Call const& setter, Clock const& clock, uint64_t time)
{
    CrossFlag& flag = crossFlags_[id];
    flag.sets.emplace_back(clock, time);
    flag.setter = setter;
    return flag.sets.size();
}

void Core::CrossWait(size_t id)
{
    auto& sets = crossFlags_[id].sets;
    auto gate = std::make_shared<Gate>();
    gate->clock = sets.front().first;
    gate->time = sets.front().second;
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
