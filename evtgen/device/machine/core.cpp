#include "core.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "config.hpp"
#include "global.hpp"
#include "running.hpp"

namespace machine {

namespace {

Core* currentCore = nullptr;
Instruction const* currentInstruction = nullptr;

/// Whether one writes between the ends of what the other reads or writes.
bool Meet(Instruction const& a, Instruction const& b)
{
    auto const meet = [](Region const& one, Region const& other) {
        auto const begin = [](Region const& region) { return static_cast<uint8_t const*>(region.base); };
        return begin(one) < begin(other) + other.Extent() && begin(other) < begin(one) + one.Extent();
    };
    auto const anyOf = [&](Region const& written, Instruction const& of) {
        auto const met = [&](Region const& region) { return meet(written, region); };
        return std::any_of(of.reads, of.reads + of.readCount, met)
               || std::any_of(of.writes, of.writes + of.writeCount, met);
    };
    return std::any_of(a.writes, a.writes + a.writeCount, [&](Region const& region) { return anyOf(region, b); })
           || std::any_of(b.writes, b.writes + b.writeCount, [&](Region const& region) { return anyOf(region, a); });
}

}  // namespace

Core* CurrentCore() { return currentCore; }
void SetCurrentCore(Core* core) { currentCore = core; }
Instruction const* CurrentInstruction() { return currentInstruction; }

Call MakeCall(char const* name, Pipe pipe, Site site)
{
    return currentCore == nullptr ? Call{site, name, pipe, -1} : currentCore->MakeCall(name, pipe, site);
}

Core::Core(CoreId const& id, uint32_t firstOfGroup, uint32_t groupSize)
    : id_(id), random_(GetConfig().seed * 1000003 + id.index), locals_(kSpaces)
{
    for (PipeState& pipe : pipes_) { pipe.clock = Clock(firstOfGroup, groupSize); }
}

void Core::Begin()
{
    queues_.resize(kPipes);
    flags_.resize(kPipes * kPipes * kFlagIds);
    uint32_t const window = Window();
    pool_.resize(window);
    for (uint32_t slot = 0; slot < window; ++slot) { freeSlots_.push_back(slot); }
}

void Core::End()
{
    auto const free = [](auto&... vectors) { (std::decay_t<decltype(vectors)>().swap(vectors), ...); };
    free(queues_, flags_, pool_, freeSlots_, locals_);
    fetched_.clear();
    read_.clear();
    written_.clear();
}

bool Core::Has(Pipe pipe) const
{
    return id_.role == Role::AIV ? pipe == Pipe::S || pipe == Pipe::V || pipe == Pipe::MTE2 || pipe == Pipe::MTE3
                                 : pipe != Pipe::V;
}

uint32_t Core::Window() { return GetConfig().schedule == Schedule::Recorded ? 64 : 1024; }

/// A device issues no further when its queues are full. Here they hold more, so one that fills up waits for ever.
void Core::MakeRoom()
{
    constexpr uint64_t room = size_t{16} * 1024;
    while (pending_ >= room) {
        while (pending_ > room / 2 && RunOne()) {}
        if (pending_ >= room && !AwaitCross()) { GiveUp(); }
    }
}

void Core::Push(Instruction&& instruction)
{
    MakeRoom();
    if (freeSlots_.empty()) {
        while (freeSlots_.size() < Window() / 2 && RunOne()) {}
        if (freeSlots_.empty()) {  // everything waits: grow; the end of the kernel shows whether it is a deadlock
            freeSlots_.push_back(static_cast<uint32_t>(pool_.size()));
            pool_.emplace_back();
        }
    }
    ++instructions_;
    uint32_t const slot = freeSlots_.back();
    freeSlots_.pop_back();
    instruction.sequence = sequence_++;
    instruction.node = node_;
    instruction.tile = tile_;
    instruction.scalars = scalars_;
    instruction.declarations = declarations_;
    if (Timing()) { timeline_.Add(*this, instruction); }
    auto const pipe = static_cast<size_t>(instruction.pipe);
    bool const gates = instruction.kind == Kind::WaitFlag && instruction.pipe == Pipe::S;
    scalars_ += instruction.pipe == Pipe::S ? 1 : 0;
    queues_[pipe].push_back({instruction.sequence, slot, instruction.kind, nullptr, instruction.scalars});
    pool_[slot] = std::move(instruction);
    ++pending_;
    if (gates) {  // S issues nothing while it waits
        auto gate = std::make_shared<Gate>();
        queues_[pipe].back().gate = gate;
        for (size_t p = 0; p < kPipes; ++p) {
            if (p != pipe) {
                queues_[p].push_back({sequence_, 0, Kind::Gate, gate, scalars_});
                ++pending_;
            }
        }
        ++sequence_;
    }
}

void Core::PushAllPipes(Kind kind, std::shared_ptr<Gate> const& gate)
{
    MakeRoom();
    ++instructions_;
    for (auto& queue : queues_) {
        queue.push_back({sequence_, 0, kind, gate, scalars_});
        ++pending_;
    }
    ++sequence_;
}

bool Core::Runnable(size_t pipe) const
{
    if (queues_[pipe].empty()) { return false; }
    Token const& head = queues_[pipe].front();
    if (pipe != static_cast<size_t>(Pipe::S) && pipes_[static_cast<size_t>(Pipe::S)].position < head.scalars) {
        return false;  // S has not come to issue it
    }
    switch (head.kind) {
        case Kind::Gate: return head.gate->open;
        case Kind::BarrierAll:
            return std::all_of(queues_.begin(), queues_.end(), [&head](std::deque<Token> const& queue) {
                return !queue.empty() && queue.front().gate == head.gate;
            });
        case Kind::WaitFlag: {
            Instruction const& wait = pool_[head.slot];
            return flags_[FlagIndex(wait.other, wait.pipe, wait.flag)].raised;
        }
        case Kind::CrossWait: return CrossIsSet(static_cast<size_t>(pool_[head.slot].flag));
        case Kind::Data: return !WaitsForInserted(head);
        default: return true;
    }
}

bool Core::WaitsForInserted(Token const& head) const
{
    if (!GetConfig().autoSync || GetConfig().strict) { return false; }
    Instruction const& later = pool_[head.slot];
    constexpr auto scalar = static_cast<size_t>(Pipe::S);
    auto const holds = [&](Token const& token) {
        Instruction const& earlier = pool_[token.slot];
        return token.sequence < head.sequence && token.kind == Kind::Data
               && (later.pipe == Pipe::S ? later : earlier).autoSync && Meet(earlier, later);
    };
    auto const any = [&](size_t pipe) { return std::any_of(queues_[pipe].begin(), queues_[pipe].end(), holds); };
    if (later.pipe != Pipe::S) { return any(scalar); }
    for (size_t pipe = 0; pipe < kPipes; ++pipe) {
        if (pipe != scalar && later.autoSync && any(pipe)) { return true; }
    }
    return false;
}

bool Core::CanRun() const
{
    for (size_t pipe = 0; pipe < queues_.size(); ++pipe) {
        if (Runnable(pipe)) { return true; }
    }
    return false;
}

bool Core::WaitsForCross() const
{
    return std::any_of(queues_.begin(), queues_.end(), [](std::deque<Token> const& queue) {
        return !queue.empty() && queue.front().kind == Kind::CrossWait;
    });
}

bool Core::RunOne()
{
    std::array<size_t, kPipes> ready;
    size_t count = 0;
    for (size_t pipe = 0; pipe < kPipes; ++pipe) {
        if (Runnable(pipe)) { ready[count++] = pipe; }
    }
    if (count == 0) { return false; }
    auto const earlier = [this](size_t a, size_t b) {
        return queues_[a].front().sequence < queues_[b].front().sequence;
    };
    switch (GetConfig().schedule) {
        case Schedule::Recorded: RunHead(*std::min_element(ready.begin(), ready.begin() + count, earlier)); break;
        case Schedule::Late: RunHead(*std::max_element(ready.begin(), ready.begin() + count, earlier)); break;
        case Schedule::Random: RunHead(ready[random_() % count]); break;
    }
    return true;
}

void Core::RunHead(size_t pipe)
{
    Token token = std::move(queues_[pipe].front());
    if (token.kind == Kind::BarrierAll) {
        RunBarrierAll();
        return;
    }
    queues_[pipe].pop_front();
    --pending_;
    if (token.kind == Kind::Gate) {
        Pass(pipes_[pipe], *token.gate);
        return;
    }
    Core* const previous = currentCore;
    currentCore = this;
    Instruction& instruction = pool_[token.slot];
    Execute(instruction);
    if (token.gate != nullptr) {
        token.gate->clock = pipes_[pipe].clock;
        token.gate->open = true;
        Pass(pipes_[pipe], *token.gate);
    }
    instruction.action.Reset();
    instruction.shadow.Reset();
    freeSlots_.push_back(token.slot);
    currentCore = previous;
}

void Core::Pass(PipeState& pipe, Gate const& gate) { pipe.clock.Join(gate.clock); }

void Core::RunBarrierAll()
{
    Gate all;
    for (size_t p = 0; p < kPipes; ++p) {
        PipeState& pipe = pipes_[p];
        queues_[p].pop_front();
        --pending_;
        pipe.clock.Set(id_.index, static_cast<Pipe>(p), pipe.position);
        all.clock.Join(pipe.clock);
    }
    all.clock.SetIssued(id_.index, PipeOf(Pipe::S).position);
    for (PipeState& pipe : pipes_) { Pass(pipe, all); }
}

void Core::PushBarrierAll()
{
    if (Timing()) { timeline_.AddBarrierAll(); }
    PushAllPipes(Kind::BarrierAll, std::make_shared<Gate>());
}

bool Core::Drain()
{
    while (RunOne()) {}
    return pending_ == 0;
}

bool Core::DrainPipe(Pipe pipe)
{
    auto const& queue = queues_[static_cast<size_t>(pipe)];
    while (!queue.empty() && RunOne()) {}
    return queue.empty();
}

bool Core::Force(Pipe pipe) { return DrainPipe(pipe); }

void Core::AddTo(CoreUses& uses) const
{
    auto const add = [&uses](std::string const& name, Call const& first, bool again) {
        uses.emplace(name, CoreUse{first}).first->second.again |= again;
    };
    for (auto const& local : locals_) {
        if (local == nullptr) { continue; }
        for (auto const& [start, use] : local->uses) {
            if ((use.pipes & (use.pipes - 1)) != 0) {
                add(std::string(SpaceName(local->space)) + " buffer at byte " + std::to_string(start),
                    CallOf(use.first), use.again);
            }
        }
    }
    for (size_t index = 0; index < flags_.size(); ++index) {
        Call const& setter = flags_[index].set.setter;
        if (flags_[index].sets == 0 || std::strcmp(setter.name, "TPipe") == 0) { continue; }  // the pipe object's own
        auto const pair = index / kFlagIds;
        auto const id = static_cast<int32_t>(index % kFlagIds);
        add("flag " + FlagName(static_cast<Pipe>(pair / kPipes), static_cast<Pipe>(pair % kPipes), id), setter,
            flags_[index].sets > 1);
    }
    for (size_t number = 0; number < crossFlags_.size(); ++number) {
        CrossFlag const& flag = crossFlags_[number];
        if (flag.count != 0) { add("cross-core " + NameOfCross(number), flag.setter, flag.count > 1); }
    }
}

void Core::AddTo(LaunchStats& stats) const
{
    stats.instructions += instructions_;
    for (size_t p = 0; p < kPipes; ++p) { stats.count[p] += pipes_[p].count; }
}

void Core::Execute(Instruction& instruction)
{
    PipeState& pipe = PipeOf(instruction.pipe);
    Instruction const* const previous = currentInstruction;
    currentInstruction = &instruction;
    ++pipe.position;
    ++pipe.count;
    pipe.clock.SetIssued(id_.index, instruction.scalars);
    if (instruction.kind != Kind::Data) {
        ExecuteSync(instruction);
    } else {
        pipe.lastWork = pipe.position;
        if (GetConfig().checks && !instruction.faulty) {
            CheckOrder(instruction);
            RunShadow(*this, instruction);
        }
        if (instruction.action && !instruction.faulty && GetConfig().executes) { instruction.action(); }
    }
    currentInstruction = previous;
}

/// How many instructions of a pipe another one knows to be over, waits included.
uint32_t Core::Known(Pipe of, PipeState const& to) const
{
    return of == Pipe::S ? to.clock.Issued(id_.index) : to.clock.Get(id_.index, of);
}

/// A set after one whose wait may not be over. Raising a raised flag is undefined (SetFlag page). Where nothing but the
/// wait itself is left to do, as in released code that sets up an object again after it has drained its flags, it is a
/// warning.
void Core::CheckSet(Instruction const& instruction, Flag const& flag)
{
    bool const waited = !flag.raised && Known(instruction.other, PipeOf(instruction.pipe)) >= flag.lastWait;
    if (waited || (instruction.pooled && !instruction.again)) {
        return;  // the framework gives out an id once its wait is issued
    }
    bool const soon = !instruction.again && OnlyTheWaitIsLeft(instruction, flag);
    Report(
        {soon ? Fault::FlagSetEarly : Fault::FlagSetTwice, MakeCall(instruction),
         FlagName(instruction.pipe, instruction.other, instruction.flag)
             + (instruction.again ? "" : ": nothing orders this set after the wait for the one before"),
         flag.set.setter});
}

/// Whether the setter knows that all is over which the waiting pipe has to do before the wait that is due.
bool Core::OnlyTheWaitIsLeft(Instruction const& set, Flag const& flag) const
{
    auto const waiting = static_cast<size_t>(set.other);
    if (flag.raised) {  // the wait has not run
        for (Token const& token : queues_[waiting]) {
            if (token.kind == Kind::Data) { return false; }
            if (token.kind == Kind::WaitFlag && pool_[token.slot].other == set.pipe
                && pool_[token.slot].flag == set.flag) {
                break;
            }
        }
    }
    uint32_t const work = flag.raised ? pipes_[waiting].lastWork : flag.workBefore;
    return Known(set.other, pipes_[static_cast<size_t>(set.pipe)]) >= work;
}

void Core::ExecuteSync(Instruction& instruction)
{
    PipeState& pipe = PipeOf(instruction.pipe);
    switch (instruction.kind) {
        case Kind::SetFlag: {
            Flag& flag = flags_[FlagIndex(instruction.pipe, instruction.other, instruction.flag)];
            CheckSet(instruction, flag);
            ++flag.sets;
            Flag::Set set{pipe.clock, MakeCall(instruction)};
            set.clock.Set(id_.index, instruction.pipe, pipe.position);
            if (flag.raised && !instruction.again) {
                flag.later.push_back(std::move(set));
            } else {
                flag.raised = true;
                flag.set = std::move(set);
            }
            break;
        }
        case Kind::WaitFlag: {
            Flag& flag = flags_[FlagIndex(instruction.other, instruction.pipe, instruction.flag)];
            flag.lastWait = pipe.position;
            flag.workBefore = pipe.lastWork;
            pipe.clock.Join(flag.set.clock);
            flag.raised = !flag.later.empty();
            if (flag.raised) {
                flag.set = std::move(flag.later.front());
                flag.later.erase(flag.later.begin());
            }
            break;
        }
        case Kind::Barrier: pipe.clock.Set(id_.index, instruction.pipe, pipe.position); break;
        case Kind::CrossSet: CrossSetArrived(*this, instruction, ClockAfter(instruction.pipe)); break;
        case Kind::CrossWait: pipe.clock.Join(TakeCross(static_cast<size_t>(instruction.flag))); break;
        default: break;
    }
}

}  // namespace machine
