#include "core.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "config.hpp"
#include "cost.hpp"
#include "global.hpp"
#include "trace.hpp"

namespace machine {

namespace {

Core* currentCore = nullptr;
Instruction const* currentInstruction = nullptr;

}  // namespace

Core* CurrentCore()
{
    return currentCore;
}
void SetCurrentCore(Core* core)
{
    currentCore = core;
}
Instruction const* CurrentInstruction()
{
    return currentInstruction;
}

Core::Core(
    uint32_t index, uint32_t group, uint32_t sub, Role role, uint32_t firstOfGroup, uint32_t groupSize,
    uint32_t sharers)
    : index(index)
    , group(group)
    , sub(sub)
    , role(role)
    , sharers_(sharers)
    , locals_(kSpaces)
    , flags_(kPipes * kPipes * kFlagIds)
    , random_(GetConfig().seed * 1000003 + index)
{
    clocks.fill(Clock(firstOfGroup, groupSize));
    uint32_t const window = Window();
    pool_.resize(window);
    for (uint32_t slot = 0; slot < window; ++slot) {
        freeSlots_.push_back(slot);
    }
}

bool Core::Has(Pipe pipe) const
{
    return role == Role::AIV ? pipe == Pipe::S || pipe == Pipe::V || pipe == Pipe::MTE2 || pipe == Pipe::MTE3
                             : pipe != Pipe::V;
}

uint32_t Core::Window() const
{
    return GetConfig().schedule == Schedule::Recorded ? 64 : 1024;
}

Flag& Core::FlagOf(Pipe from, Pipe to, int32_t id)
{
    auto const at = (static_cast<size_t>(from) * kPipes + static_cast<size_t>(to)) * kFlagIds + static_cast<size_t>(id);
    return flags_[at];
}

void Core::Push(Instruction&& instruction)
{
    if (freeSlots_.empty()) {
        while (freeSlots_.size() < Window() / 2 && RunOne()) {}
        if (freeSlots_.empty()) {  // everything waits: grow, the end of the kernel will tell whether it is a deadlock
            freeSlots_.push_back(static_cast<uint32_t>(pool_.size()));
            pool_.emplace_back();
        }
    }
    ++instructions;
    ++issueAt;
    uint32_t const slot = freeSlots_.back();
    freeSlots_.pop_back();
    instruction.sequence = sequence_++;
    auto const pipe = static_cast<size_t>(instruction.pipe);
    bool const gates = instruction.kind == Kind::WaitFlag && instruction.pipe == Pipe::S;
    queues_[pipe].push_back({instruction.sequence, slot, instruction.kind, nullptr, issueAt});
    pool_[slot] = std::move(instruction);
    ++pending_;
    if (gates) {  // S issues nothing while it waits
        auto gate = std::make_shared<Gate>();
        queues_[pipe].back().gate = gate;
        for (size_t p = 0; p < kPipes; ++p) {
            if (p != pipe) {
                queues_[p].push_back({sequence_, 0, Kind::Gate, gate, issueAt});
                ++pending_;
            }
        }
        ++sequence_;
    }
}

void Core::PushAllPipes(Kind kind, std::shared_ptr<Gate> gate)
{
    ++instructions;
    ++issueAt;
    for (auto& queue : queues_) {
        queue.push_back({sequence_, 0, kind, gate, issueAt});
        ++pending_;
    }
    ++sequence_;
}

bool Core::Runnable(size_t pipe) const
{
    if (queues_[pipe].empty()) {
        return false;
    }
    Token const& head = queues_[pipe].front();
    switch (head.kind) {
        case Kind::Gate:
            return head.gate->open;
        case Kind::BarrierAll:
            return std::all_of(queues_.begin(), queues_.end(), [&head](std::deque<Token> const& queue) {
                return !queue.empty() && queue.front().gate == head.gate;
            });
        case Kind::WaitFlag: {
            Instruction const& wait = pool_[head.slot];
            auto const at =
                (static_cast<size_t>(wait.other) * kPipes + pipe) * kFlagIds + static_cast<size_t>(wait.flag);
            return flags_[at].raised;
        }
        default:
            return true;
    }
}

bool Core::RunOne()
{
    std::array<size_t, kPipes> ready;
    size_t count = 0;
    for (size_t pipe = 0; pipe < kPipes; ++pipe) {
        if (Runnable(pipe)) {
            ready[count++] = pipe;
        }
    }
    if (count == 0) {
        return false;
    }
    auto const earlier = [this](size_t a, size_t b) {
        return queues_[a].front().sequence < queues_[b].front().sequence;
    };
    size_t chosen = ready[0];
    switch (GetConfig().schedule) {
        case Schedule::Recorded:
            chosen = *std::min_element(ready.begin(), ready.begin() + count, earlier);
            break;
        case Schedule::Late:
            chosen = *std::max_element(ready.begin(), ready.begin() + count, earlier);
            break;
        case Schedule::Random:
            chosen = ready[random_() % count];
            break;
    }
    RunHead(chosen);
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
        clocks[pipe].Join(token.gate->clock);
        freeAt[pipe] = std::max(freeAt[pipe], token.gate->time);
        return;
    }
    Core* const previous = currentCore;
    currentCore = this;
    Instruction& instruction = pool_[token.slot];
    Execute(instruction, token.issued);
    if (token.gate != nullptr) {
        token.gate->clock = clocks[pipe];
        token.gate->time = freeAt[pipe];
        token.gate->open = true;
    }
    instruction.action.Reset();
    instruction.shadow.Reset();
    freeSlots_.push_back(token.slot);
    currentCore = previous;
}

void Core::RunBarrierAll()
{
    Clock all;
    uint64_t time = 0;
    for (size_t p = 0; p < kPipes; ++p) {
        queues_[p].pop_front();
        --pending_;
        clocks[p].Set(index, static_cast<Pipe>(p), position[p]);
        all.Join(clocks[p]);
        time = std::max({time, freeAt[p], doneAt[p]});
    }
    clocks.fill(all);
    freeAt.fill(time);
    issueAt = std::max(issueAt, time);
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

void Core::Execute(Instruction& instruction, uint64_t issued)
{
    auto const pipe = static_cast<size_t>(instruction.pipe);
    Instruction const* const previous = currentInstruction;
    currentInstruction = &instruction;
    ++position[pipe];
    ++count[pipe];
    freeAt[pipe] = std::max(freeAt[pipe], issued);
    if (instruction.kind != Kind::Data) {
        uint64_t const begin = freeAt[pipe];
        ExecuteSync(instruction);
        if (Tracing()) {
            TraceSlice(index, instruction, begin, freeAt[pipe], freeAt[pipe]);
        }
    } else {
        Spend(instruction);
        if (GetConfig().checks && !instruction.faulty) {
            CheckOrder(instruction);
            RunShadow(*this, instruction);
        }
        if (instruction.action && !instruction.faulty) {
            instruction.action();
        }
    }
    currentInstruction = previous;
}

/// Moves the pipe's clock on by what the instruction costs.
void Core::Spend(Instruction const& instruction)
{
    auto const pipe = static_cast<size_t>(instruction.pipe);
    Cost const cost = CostOf(instruction, sharers_);
    uint64_t const begin = freeAt[pipe];
    uint64_t const start = begin + cost.startup;
    freeAt[pipe] = cost.global ? channel.Book(start, cost.transfer) : start + cost.transfer;
    doneAt[pipe] = freeAt[pipe] + cost.latency;
    globalBytes += cost.global ? instruction.work : 0;
    busy[pipe] += freeAt[pipe] - begin;
    if (Tracing()) {
        TraceSlice(index, instruction, begin, freeAt[pipe], doneAt[pipe]);
    }
}

void Core::ExecuteSync(Instruction& instruction)
{
    auto const pipe = static_cast<size_t>(instruction.pipe);
    switch (instruction.kind) {
        case Kind::SetFlag: {
            Flag& flag = FlagOf(instruction.pipe, instruction.other, instruction.flag);
            bool const mayBeUp = clocks[pipe].Get(index, instruction.other) < flag.lastWait;
            if (flag.raised || mayBeUp) {
                Finding finding;
                finding.fault = Fault::FlagSetTwice;
                finding.call = MakeCall(instruction);
                finding.other = flag.setter;
                finding.detail = std::string(PipeName(instruction.pipe)) + "_" + PipeName(instruction.other) + ", id "
                                 + std::to_string(instruction.flag)
                                 + (flag.raised ? "" : ": nothing orders this set after the wait for the one before");
                Report(finding);
            }
            flag.raised = true;
            flag.clock = clocks[pipe];
            flag.clock.Set(index, instruction.pipe, position[pipe]);
            flag.time = std::max(freeAt[pipe], doneAt[pipe]);
            flag.setter = MakeCall(instruction);
            break;
        }
        case Kind::WaitFlag: {
            Flag& flag = FlagOf(instruction.other, instruction.pipe, instruction.flag);
            flag.raised = false;
            flag.lastWait = position[pipe];
            clocks[pipe].Join(flag.clock);
            freeAt[pipe] = std::max(freeAt[pipe], flag.time);
            break;
        }
        case Kind::Barrier:
            clocks[pipe].Set(index, instruction.pipe, position[pipe]);
            freeAt[pipe] = std::max(freeAt[pipe], doneAt[pipe]);
            break;
        case Kind::CrossSet: {
            Clock clock = clocks[pipe];
            clock.Set(index, instruction.pipe, position[pipe]);
            CrossSetArrived(*this, instruction, clock, std::max(freeAt[pipe], doneAt[pipe]));
            break;
        }
        default:
            break;
    }
}

}  // namespace machine
