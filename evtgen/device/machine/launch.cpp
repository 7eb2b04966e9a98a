#include "launch.hpp"

#include <ucontext.h>

#include <memory>
#include <string>
#include <vector>

#include "config.hpp"
#include "core.hpp"
#include "cost.hpp"
#include "global.hpp"
#include "trace.hpp"

namespace machine {

namespace {

constexpr size_t kStackBytes = 512 * 1024;

/// A core with the fiber that runs the kernel on it.
struct Fiber {
    enum class Where : uint8_t { Fresh, Ready, WaitsCross, Stuck, Done };

    std::unique_ptr<Core> core;
    Where where = Where::Fresh;
    uint16_t waitsFor = 0;   // cross-core flag id, while WaitsCross
    Site waitSite = {"", 0};
    std::unique_ptr<char[]> stack;
    ucontext_t context{};
};

struct Running {
    char const* kernel;
    uint32_t blockDim;
    KernelKind kind;
    std::function<void(Role)> const* body;
    std::vector<Fiber> fibers;
    Fiber* current = nullptr;
    ucontext_t scheduler{};
    uint32_t groupSize;
    // arrivals[core][id]: clocks of cross-core sets that wait for the other cores of their mode
    struct Arrival {
        Clock clock;
        uint64_t time;
        uint8_t mode;
    };
    std::vector<std::array<std::deque<Arrival>, 16>> arrivals;
};

Running* running = nullptr;

void SwitchOut()
{
    Fiber* const self = running->current;
    swapcontext(&self->context, &running->scheduler);
}

void Entry()
{
    Fiber* const self = running->current;
    (*running->body)(self->core->role);
    if (!self->core->Drain()) {
        self->core->ReportStuck();
    }
    self->core->Finish();
    self->where = Fiber::Where::Done;
    SwitchOut();
}

void Resume(Fiber& fiber)
{
    running->current = &fiber;
    SetCurrentCore(fiber.core.get());
    if (fiber.where == Fiber::Where::Fresh) {
        fiber.stack.reset(new char[kStackBytes]);
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.get();
        fiber.context.uc_stack.ss_size = kStackBytes;
        fiber.context.uc_link = nullptr;
        makecontext(&fiber.context, Entry, 0);
    }
    fiber.where = Fiber::Where::Ready;
    swapcontext(&running->scheduler, &fiber.context);
    SetCurrentCore(nullptr);
    running->current = nullptr;
    if (fiber.where == Fiber::Where::Done) {
        fiber.stack.reset();
    }
}

bool CanRun(Fiber const& fiber)
{
    switch (fiber.where) {
        case Fiber::Where::Fresh:
        case Fiber::Where::Ready: return true;
        case Fiber::Where::WaitsCross: return !fiber.core->crossFlags[fiber.waitsFor].sets.empty();
        default: return false;
    }
}

/// Runs the cores of one group until none can go on. True if anything happened.
bool RunGroup(size_t first, size_t count)
{
    bool any = false;
    bool const eager = GetConfig().schedule == Schedule::Recorded;
    for (bool again = true; again;) {
        again = false;
        for (size_t i = first; i < first + count; ++i) {
            Fiber& fiber = running->fibers[i];
            while (CanRun(fiber)) {
                Resume(fiber);
                again = true;
            }
            if (fiber.where == Fiber::Where::WaitsCross && eager && !fiber.core->Empty()) {
                fiber.core->Drain();
            }
        }
        if (!again && !eager) {  // nobody can record any more: now what they recorded has to run
            for (size_t i = first; i < first + count; ++i) {
                Core& core = *running->fibers[i].core;
                if (running->fibers[i].where == Fiber::Where::WaitsCross && !core.Empty()) {
                    core.Drain();
                }
            }
            for (size_t i = first; i < first + count; ++i) {
                again = again || CanRun(running->fibers[i]);
            }
        } else if (!again) {
            for (size_t i = first; i < first + count; ++i) {
                again = again || CanRun(running->fibers[i]);
            }
        }
        any = any || again;
    }
    return any;
}

void ReportCrossDeadlock()
{
    for (Fiber& fiber : running->fibers) {
        if (fiber.where != Fiber::Where::WaitsCross) {
            continue;
        }
        Finding finding;
        finding.fault = Fault::Deadlock;
        finding.call = {fiber.waitSite, "CrossCoreWaitFlag", Pipe::S, static_cast<int32_t>(fiber.core->index)};
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
        for (size_t id = 0; id < fiber.core->crossFlags.size(); ++id) {
            auto const& flag = fiber.core->crossFlags[id];
            if (!flag.sets.empty()) {
                Finding finding;
                finding.fault = Fault::CrossLeft;
                finding.call = flag.setter;
                finding.detail = "flag " + std::to_string(id) + ", " + std::to_string(flag.sets.size()) + " times";
                Report(finding);
            }
        }
    }
}

void BuildCores()
{
    std::vector<std::string> names;
    uint32_t const size = running->groupSize;
    uint32_t const sharers = running->blockDim * (running->kind == KernelKind::Mix ? 2 : 1);
    running->fibers.resize(running->blockDim * size);
    running->arrivals.resize(running->fibers.size());
    for (uint32_t i = 0; i < running->fibers.size(); ++i) {
        uint32_t const group = i / size;
        bool const cube = running->kind == KernelKind::AicOnly || (running->kind == KernelKind::Mix && i % size == 0);
        uint32_t const sub = running->kind == KernelKind::Mix && !cube ? i % size - 1 : 0;
        running->fibers[i].core = std::make_unique<Core>(i, group, sub, cube ? Role::AIC : Role::AIV, group * size, size,
            sharers);
        names.push_back(cube ? "AIC " + std::to_string(group)
                             : "AIV " + std::to_string(group) + (size > 1 ? "." + std::to_string(sub) : ""));
    }
    if (Tracing()) {
        TraceLaunch(running->kernel, names);
    }
    NameCores(std::move(names));
}

LaunchStats Collect()
{
    LaunchStats stats;
    stats.kernel = running->kernel;
    stats.blockDim = running->blockDim;
    stats.cores = static_cast<uint32_t>(running->fibers.size());
    for (Fiber const& fiber : running->fibers) {
        stats.instructions += fiber.core->instructions;
        stats.globalBytes += fiber.core->globalBytes;
        for (size_t p = 0; p < kPipes; ++p) {
            stats.busy[p] += fiber.core->busy[p];
            stats.count[p] += fiber.core->count[p];
            stats.makespan = std::max(stats.makespan, fiber.core->freeAt[p]);
        }
    }
    return stats;
}

}  // namespace

void Launch(char const* kernelName, uint32_t blockDim, KernelKind kind, std::function<void(Role)> const& body)
{
    Running state{};
    state.kernel = kernelName;
    state.blockDim = blockDim;
    state.kind = kind;
    state.body = &body;
    state.groupSize = kind == KernelKind::Mix ? 3 : 1;
    running = &state;
    BuildCores();
    for (bool again = true; again;) {
        again = false;
        for (size_t first = 0; first < state.fibers.size(); first += state.groupSize) {
            again = RunGroup(first, state.groupSize) || again;
        }
    }
    ReportCrossDeadlock();
    ReportCrossLeft();
    LaunchStats stats = Collect();
    stats.bandwidthBound = GlobalBound(stats.globalBytes);
    AddLaunch(stats);
    TraceLaunchEnd(stats.makespan);
    ClearGlobalHistories();
    running = nullptr;
    WriteReport();
}

Role CurrentRole() { return CurrentCore() == nullptr ? Role::AIV : CurrentCore()->role; }

uint32_t BlockIdx()
{
    Core const* const core = CurrentCore();
    if (core == nullptr) {
        return 0;
    }
    return core->role == Role::AIV ? core->group * SubBlockNum() + core->sub : core->group;
}

uint32_t BlockNum() { return running == nullptr ? 1 : running->blockDim; }
uint32_t SubBlockIdx() { return CurrentCore() == nullptr ? 0 : CurrentCore()->sub; }

uint32_t SubBlockNum()
{
    return running != nullptr && running->kind == KernelKind::Mix && CurrentRole() == Role::AIV ? 2 : 1;
}

bool InLaunch() { return CurrentCore() != nullptr; }
uint32_t CubeCores() { return GetConfig().cores; }

void CrossSetArrived(Core& core, Instruction const& instruction, Clock const& clock, uint64_t time)
{
    auto const id = static_cast<size_t>(instruction.flag);
    running->arrivals[core.index][id].push_back({clock, time, instruction.mode});
    // Who must have arrived, and who is told.
    std::vector<uint32_t> from;
    std::vector<uint32_t> to;
    for (Fiber const& fiber : running->fibers) {
        Core const& other = *fiber.core;
        bool const sameGroup = other.group == core.group;
        bool const sameRole = other.role == core.role;
        if (instruction.mode == 0 && sameRole) {
            from.push_back(other.index);
            to.push_back(other.index);
        } else if (instruction.mode == 1 && sameGroup && other.role == Role::AIV) {
            from.push_back(other.index);
            to.push_back(other.index);
        } else if (instruction.mode == 2 && sameGroup) {
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
        queue.pop_front();
    }
    for (uint32_t index : to) {
        auto& flag = running->fibers[index].core->crossFlags[id];
        flag.sets.emplace_back(joined, when);
        flag.setter = core.MakeCall(instruction);
        if (flag.sets.size() > Arch().crossFlagDepth) {
            Finding finding;
            finding.fault = Fault::CrossDepth;
            finding.call = core.MakeCall(instruction);
            finding.detail = "flag " + std::to_string(id) + " is set " + std::to_string(flag.sets.size()) + " times ahead";
            Report(finding);
        }
    }
}

void RecordCrossWait(uint16_t id, Site site)
{
    Core* const core = CurrentCore();
    if (core == nullptr) {
        return;
    }
    Fiber* const self = running->current;
    id = id % 16;
    while (core->crossFlags[id].sets.empty()) {
        self->where = Fiber::Where::WaitsCross;
        self->waitsFor = id;
        self->waitSite = site;
        SwitchOut();
    }
    auto gate = std::make_shared<Gate>();
    auto& sets = core->crossFlags[id].sets;
    gate->clock = sets.front().first;
    gate->time = sets.front().second;
    gate->open = true;
    sets.pop_front();
    core->issueAt = std::max(core->issueAt, gate->time);
    core->PushAllPipes(Kind::Gate, gate, {site, "CrossCoreWaitFlag", Pipe::S, static_cast<int32_t>(core->index)});
}

void Force(Pipe pipe)
{
    Core* const core = CurrentCore();
    if (core == nullptr) {
        return;
    }
    if (core->DrainPipe(pipe)) {
        core->issueAt = std::max(core->issueAt, core->freeAt[static_cast<size_t>(pipe)]);
        return;
    }
    core->ReportStuck();
    core->Finish();
    running->current->where = Fiber::Where::Stuck;
    SwitchOut();
}

}  // namespace machine
