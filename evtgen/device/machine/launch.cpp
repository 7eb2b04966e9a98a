#include "kernel_launch.hpp"

#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "config.hpp"
#include "core.hpp"
#include "direct.hpp"
#include "global.hpp"
#include "replay.hpp"
#include "running.hpp"
#include "trace.hpp"

namespace machine {

Running* running = nullptr;

namespace {

constexpr int64_t kMaxBlocks = 65535;  // of a kernel: guide, execution configuration of kernels
constexpr int64_t kMaxCores = 65535;   // that the model tells apart

std::map<std::string, void (*)(void const*, Role)>& BodiesOfCubeCores()
{
    static std::map<std::string, void (*)(void const*, Role)> bodies;
    return bodies;
}

void Threw(Fiber& self, char const* what)
{
    Call const launch = self.core->MakeCall(running->kernel, Pipe::S, running->site);
    Report({Fault::Exception, launch, what, self.core->LastCall()});
    self.where = Fiber::Where::Stuck;
    SwitchOut();
}

void EnterFiber()
{
    Fiber* const self = running->current;
    try {
        running->runs[self->core->Id().role == Role::AIC](running->self, self->core->Id().role);
    } catch (std::exception const& error) {
        Threw(*self, error.what());
    } catch (...) {
        Threw(*self, "not a std::exception");
    }
    SettleWrite();
    while (!self->core->Drain()) {
        if (!AwaitCross()) {
            self->core->ReportStuck();
            break;
        }
    }
    self->core->Finish();
    self->where = Fiber::Where::Done;
    SwitchOut();
}

/// Once all cores of a group are done: until then its cube core may write to the memory of the others.
void EndGroup(uint32_t group)
{
    uint32_t const size = running->groupSize;
    auto const first = running->fibers.begin() + static_cast<std::ptrdiff_t>(group) * size;
    auto const done = [](Fiber const& fiber) { return fiber.where == Fiber::Where::Done; };
    if (!std::all_of(first, first + size, done)) { return; }
    std::for_each(first, first + size, [](Fiber& fiber) {
        fiber.core->ReportUndeclared();
        fiber.core->AddTo(running->uses);
        fiber.core->End();
    });
}

void Resume(Fiber& fiber)
{
    running->current = &fiber;
    SetCurrentCore(fiber.core.get());
    if (fiber.where == Fiber::Where::Fresh) {
        fiber.core->Begin();
        fiber.stack.Make();
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.Begin();
        fiber.context.uc_stack.ss_size = Stack::kBytes;
        fiber.context.uc_link = nullptr;
        makecontext(&fiber.context, EnterFiber, 0);
    }
    fiber.where = Fiber::Where::Ready;
    WatchStack(fiber.stack.Begin() + Stack::kBytes);
    fiber.locals.Enter();
    swapcontext(&running->scheduler, &fiber.context);
    fiber.locals.Leave();
    SetCurrentCore(nullptr);
    running->current = nullptr;
    if (fiber.where == Fiber::Where::Done) {
        fiber.stack.Free();
        EndGroup(fiber.core->Id().group);
    }
}

bool CanRun(Fiber const& fiber)
{
    switch (fiber.where) {
        case Fiber::Where::Fresh:
        case Fiber::Where::Ready: return true;
        case Fiber::Where::WaitsCross: return fiber.core->CrossIsSet(fiber.waitsFor);
        case Fiber::Where::WaitsWord: return WordIsThere(fiber);
        case Fiber::Where::WaitsOnPipe: return fiber.core->CanRun();
        default: return false;
    }
}

/// The numbers from 0 to count - 1 in the order in which cores, or groups, take their turns.
std::vector<size_t> Turns(size_t count)
{
    std::vector<size_t> turns(count);
    std::iota(turns.begin(), turns.end(), size_t{0});
    if (GetConfig().schedule == Schedule::Late) {
        std::reverse(turns.begin(), turns.end());
    } else if (GetConfig().schedule == Schedule::Random) {
        for (size_t left = count; left > 1; --left) { std::swap(turns[left - 1], turns[running->random() % left]); }
    }
    return turns;
}

/// Runs the recorded instructions of cores that wait for a cross-core flag. True if there were any that could run.
bool DrainWaiting(size_t first, size_t count)
{
    bool any = false;
    for (size_t const turn : Turns(count)) {
        Fiber const& fiber = running->fibers[first + turn];
        if (fiber.where == Fiber::Where::WaitsCross && fiber.core->CanRun()) {
            fiber.core->Drain();
            any = true;
        }
    }
    return any;
}

/// Runs the cores of one group until none can go on. True if anything happened.
bool RunGroup(size_t first, size_t count)
{
    bool const eager = GetConfig().schedule == Schedule::Recorded;
    bool any = false;
    for (bool again = true; again;) {
        again = false;
        for (size_t const turn : Turns(count)) {
            size_t const i = first + turn;
            while (CanRun(running->fibers[i])) {
                Resume(running->fibers[i]);
                again = true;
            }
            if (eager) { DrainWaiting(i, 1); }
        }
        if (!again) {  // no core can record any more: recorded instructions must run now, at the latest
            again = DrainWaiting(first, count);
            again = again || std::any_of(&running->fibers[first], &running->fibers[first] + count, CanRun);
        }
        any = any || again;
    }
    return any;
}

void BuildCores()
{
    std::vector<std::string> names;
    uint32_t const size = running->groupSize;
    running->fibers.resize(size_t{running->blockDim} * size);
    running->arrivals.resize(running->fibers.size());
    for (uint32_t i = 0; i < running->fibers.size(); ++i) {
        uint32_t const group = i / size;
        bool const cube = running->kind == KernelKind::AicOnly || (running->kind == KernelKind::Mix && i % size == 0);
        uint32_t const sub = running->kind == KernelKind::Mix && !cube ? i % size - 1 : 0;
        running->fibers[i].core =
            std::make_unique<Core>(CoreId{i, group, sub, cube ? Role::AIC : Role::AIV}, group * size, size);
        names.push_back(
            cube ? "AIC " + std::to_string(group)
                 : "AIV " + std::to_string(group) + (size > 1 ? "." + std::to_string(sub) : ""));
    }
    if (Tracing()) { TraceLaunch(running->kernel, names); }
    NameCores(std::move(names));
}

LaunchStats Collect()
{
    LaunchStats stats;
    stats.kernel = running->kernel;
    stats.uses = running->uses;
    stats.site = running->site;
    stats.blockDim = running->blockDim;
    stats.cores = static_cast<uint32_t>(running->fibers.size());
    for (Fiber const& fiber : running->fibers) { fiber.core->AddTo(stats); }
    return stats;
}

/// Whether the launch may run; reports why not.
bool CheckLaunch(char const* kernelName, int64_t blockDim, int64_t groupSize, Site site)
{
    Finding finding{Fault::BadLaunch, {site, kernelName, Pipe::S, -1}};
    if (running != nullptr) {
        finding.detail = std::string("from inside the kernel ") + running->kernel;
    } else if (blockDim < 1 || blockDim > kMaxBlocks) {
        finding.detail = std::to_string(blockDim) + " blocks";
    } else if (blockDim * groupSize > kMaxCores) {
        finding.detail = std::to_string(blockDim) + " blocks: the model has room for "
                         + std::to_string(kMaxCores / groupSize) + " of " + std::to_string(groupSize) + " cores";
    } else {
        return true;
    }
    Report(finding);
    return false;
}

}  // namespace

bool RunsOnCubeCores(Body const& body) { return BodiesOfCubeCores().emplace(body.name, body.run).second; }

KernelKind KindOf(int number)
{
    std::string const& kinds = GetConfig().kinds;
    char const letter = static_cast<size_t>(number) < kinds.size() ? kinds[static_cast<size_t>(number)] : 'M';
    return letter == 'V' ? KernelKind::AivOnly : letter == 'C' ? KernelKind::AicOnly : KernelKind::Mix;
}

void Launch(
    char const* kernelName, int64_t blockDim, KernelKind kind, Body const& body, Site site,
    std::optional<Handle> stream)
{
    uint32_t const groupSize = kind == KernelKind::Mix ? 3 : 1;
    if (!CheckLaunch(kernelName, blockDim, groupSize, site)) { return; }
    Running state{};
    state.kernel = kernelName;
    state.site = site;
    state.blockDim = static_cast<uint32_t>(blockDim);
    state.kind = kind;
    auto const onCube = BodiesOfCubeCores().find(body.name);
    state.runs[0] = body.run;
    state.runs[1] = onCube == BodiesOfCubeCores().end() ? body.run : onCube->second;
    state.self = body.self;
    state.groupSize = groupSize;
    state.random.seed(GetConfig().seed);
    running = &state;
    BuildCores();
    WriteReportOfLaunch();
    for (bool again = true; again;) {
        again = false;
        for (size_t const group : Turns(state.blockDim)) {
            again = RunGroup(group * state.groupSize, state.groupSize) || again;
        }
    }
    ReportCrossDeadlock();
    ReportCrossLeft();
    LaunchStats stats = Collect();
    if (Timing()) { Replay(stats); }
    AddLaunch(stats);
    TraceLaunchEnd(stats.makespan);
    if (stream) { GiveLaunch(*stream, {site, kernelName, Pipe::S, -1}); }
    ClearGlobalHistories();
    running = nullptr;
    WriteReport();
}

void SwitchOut()
{
    Fiber* const self = running->current;
    swapcontext(&self->context, &running->scheduler);
}

bool AwaitCross()
{
    Fiber* const self = running->current;
    if (!self->core->WaitsForCross()) { return false; }
    self->where = Fiber::Where::WaitsOnPipe;
    SwitchOut();
    return true;
}

void GiveUp()
{
    Fiber* const self = running->current;
    self->core->ReportStuck();
    self->core->Finish();
    self->where = Fiber::Where::Stuck;
    SwitchOut();
}

Role CurrentRole() { return CurrentCore() == nullptr ? Role::AIV : CurrentCore()->Id().role; }

uint32_t BlockIdx()
{
    Core const* const core = CurrentCore();
    if (core == nullptr) { return 0; }
    CoreId const& id = core->Id();
    return id.role == Role::AIV ? id.group * SubBlockNum() + id.sub : id.group;
}

uint32_t BlockNum() { return running == nullptr ? 1 : running->blockDim; }
uint32_t SubBlockIdx() { return CurrentCore() == nullptr ? 0 : CurrentCore()->Id().sub; }

uint32_t SubBlockNum()
{
    return running != nullptr && running->kind == KernelKind::Mix && CurrentRole() == Role::AIV ? 2 : 1;
}

int64_t SystemTicks()
{
    using Ticks = std::chrono::duration<int64_t, std::ratio<1, 50'000'000>>;
    return std::chrono::duration_cast<Ticks>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Print(char const* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    std::vprintf(format, arguments);
    va_end(arguments);
}

void PrintDump(
    uint32_t desc, uint64_t address, DumpedElements const& elements, double (*value)(void const* tensor, uint32_t i),
    void const* tensor)
{
    std::string text = "DumpTensor: desc=" + std::to_string(desc) + ", addr=" + std::to_string(address)
                       + ", data_type=" + elements.kind + std::to_string(elements.bits)
                       + ", position=" + elements.position + ", dump_size=" + std::to_string(elements.count) + "\n[";
    for (uint32_t i = 0; i < elements.count; ++i) {
        double const one = value(tensor, i);
        text +=
            (i > 0 ? ", " : "") + (elements.areWhole ? std::to_string(static_cast<int64_t>(one)) : std::to_string(one));
    }
    std::fputs((text + "]\n").c_str(), stdout);
}

uint32_t CubeCores()
{
    return GetConfig().cores != 0 ? GetConfig().cores : static_cast<uint32_t>(Arch().costs.cubeCores);
}

uint32_t BlocksAtOnce() { return CubeCores() * (running->kind == KernelKind::AivOnly ? 2 : 1); }

void Force(Pipe pipe)
{
    Core* const core = CurrentCore();
    if (core == nullptr) { return; }
    while (!core->Force(pipe)) {
        if (!AwaitCross()) { GiveUp(); }
    }
}

}  // namespace machine
