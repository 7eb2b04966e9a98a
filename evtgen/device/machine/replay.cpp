#include "replay.hpp"

#include <cmath>
#include <limits>

#include "player.hpp"
#include "trace.hpp"

namespace machine {

namespace replay {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

void Player::Count(CoreState const& core, Pipe pipe, uint32_t cause, double cycles)
{
    causes_[static_cast<size_t>(core.id.role)][static_cast<size_t>(pipe)][cause] += cycles;
}

void Player::Busy(CoreState& core, size_t pipe, double begin, double end)
{
    PipeState& state = core.pipes[pipe];
    double const from = std::max(begin, state.busyTo);
    if (end > from) {
        stats_.busy[pipe] += end - from;
        state.busyTo = end;
    }
}

void Player::Slice(CoreState const& core, uint32_t step, double begin, double end, double done)
{
    if (Tracing()) {
        TraceSlice(
            core.id.index, core.timeline->steps[step], core.timeline->extents[step], std::llround(begin),
            std::llround(end), std::llround(done));
    }
}

CallTime& Player::TimeOf(CoreState const& core, Step const& step)
{
    std::vector<CallTime>& calls = calls_[static_cast<size_t>(core.id.role)];
    if (calls.size() <= step.label) { calls.resize(step.label + 1); }
    calls[step.label].pipe = step.pipe;
    return calls[step.label];
}

/// When the pipe can begin the instruction; counts why not earlier.
double Player::Began(CoreState& core, size_t pipe, Issued const& issued)
{
    PipeState& state = core.pipes[pipe];
    double const begin = std::max(state.freeAt, issued.at);
    if (begin > state.freeAt) {
        double const held = std::clamp(issued.hold.until, state.freeAt, begin);
        Count(core, static_cast<Pipe>(pipe), issued.hold.reason, held - state.freeAt);
        Count(core, static_cast<Pipe>(pipe), kIssue, begin - held);
    }
    return begin;
}

/// A block of a matmul as one instruction of FIX, or the part of one that stores it. A wait on that pipe holds back what the block stores: its loads and
/// products are instructions of other pipes.
bool Player::IsBlock(CoreState const& core, Step const& step) const
{
    return step.pipe == Pipe::FIX && step.kind == StepKind::Copy && core.timeline->transfers[step.transfer].block;
}

/// Ends the pipe's waits for cross-core flags and, on FIX, for its own stores. False while one of the flags is not set.
bool Player::Settle(CoreState& core, size_t pipe)
{
    PipeState& state = core.pipes[pipe];
    while (!state.held.empty()) {
        Step const& wait = core.timeline->steps[state.held.front()];
        bool const isBarrier = wait.kind == StepKind::Barrier;
        double const begin = state.freeAt;
        if (isBarrier) {
            state.freeAt = state.synced = std::max(begin, state.doneAt);
        } else {
            auto& sets = core.cross[wait.flag];
            if (sets.empty()) { return false; }
            state.freeAt = state.synced = std::max(begin, sets.front());
            sets.pop_front();
        }
        Count(core, wait.pipe, isBarrier ? kBarrier : kCross, state.freeAt - begin);
        TimeOf(core, wait).waits += state.freeAt - begin;
        Slice(core, state.held.front(), begin, state.freeAt, state.freeAt);
        state.held.erase(state.held.begin());
    }
    return true;
}

/// Stores a block, of which everything else is over, once the waits in front of it are.
bool Player::HandOver(CoreState& core, size_t pipe)
{
    PipeState& state = core.pipes[pipe];
    if (!state.handsOver || !Settle(core, pipe)) { return false; }
    uint32_t const step = *state.handsOver;
    Transfer const& transfer = core.timeline->transfers[core.timeline->steps[step].transfer];
    state.storedTo = state.freeAt + static_cast<double>(transfer.stores);
    double const done = state.storedTo + static_cast<double>(transfer.after);
    state.handsOver.reset();
    state.copies = false;
    state.doneAt = std::max(state.doneAt, done);
    Busy(core, pipe, state.freeAt, done);
    Slice(core, step, state.began, state.moved, done);
    return true;
}

bool Player::RunHead(CoreState& core, size_t pipe)
{
    PipeState& state = core.pipes[pipe];
    if (state.copies) { return HandOver(core, pipe); }
    if (state.queue.empty()) { return !state.held.empty() && Settle(core, pipe); }
    Issued const issued = state.queue.front();
    Step const& step = core.timeline->steps[issued.step];
    if (step.kind == StepKind::CrossWait || (step.kind == StepKind::Barrier && step.pipe == Pipe::FIX)) {
        state.freeAt = Began(core, pipe, issued);
        state.held.push_back(issued.step);
        state.queue.pop_front();
        return true;
    }
    if (!IsBlock(core, step) && !Settle(core, pipe)) { return false; }
    if (step.kind == StepKind::WaitFlag) {
        auto& sets = core.raised[FlagKey(step.other, step.pipe, step.flag)];
        if (sets.empty()) { return false; }
        double const begin = Began(core, pipe, issued);
        state.freeAt = std::max(begin, sets.front());
        state.synced = state.freeAt;
        sets.pop_front();
        Count(core, step.pipe, WaitFor(step.other, step.pipe), state.freeAt - begin);
        TimeOf(core, step).waits += state.freeAt - begin;
        Slice(core, issued.step, begin, state.freeAt, state.freeAt);
    } else {
        double const begin = Began(core, pipe, issued);
        switch (step.kind) {
            case StepKind::SetFlag:
                state.freeAt = begin;
                core.raised[FlagKey(step.pipe, step.other, step.flag)].push_back(state.Finished());
                break;
            case StepKind::CrossSet:
                state.freeAt = begin;
                ArriveCross(core, step, state.Finished());
                break;
            case StepKind::Barrier:
                state.freeAt = std::max(begin, state.doneAt);
                state.synced = state.freeAt;
                Count(core, step.pipe, kBarrier, state.freeAt - begin);
                TimeOf(core, step).waits += state.freeAt - begin;
                Slice(core, issued.step, begin, state.freeAt, state.freeAt);
                break;
            case StepKind::Copy: {
                // A copy sets up while the one before it still moves.
                state.setUp = std::max({issued.at, state.synced, state.setUp}) + step.head;
                double const start = std::max(begin, state.setUp);
                state.copies = true;
                state.began = begin;
                ++state.count;
                Count(core, step.pipe, kCopyStart, start - begin);
                TimeOf(core, step).start += start - begin;
                starts_.push({start, core.id.index, static_cast<uint8_t>(pipe), issued.step});
                state.queue.pop_front();
                return true;
            }
            default: {
                ++state.count;
                state.freeAt = begin + step.head + step.work + step.conflicts;
                state.doneAt = std::max(state.doneAt, state.freeAt + step.tail);
                Busy(core, pipe, begin, state.freeAt + step.tail);
                Count(core, step.pipe, kStart, step.head);
                Count(core, step.pipe, kWork, step.work);
                Count(core, step.pipe, kConflicts, step.conflicts);
                CallTime& time = TimeOf(core, step);
                ++time.count;
                time.busy += state.freeAt - begin;
                time.start += step.head;
                time.conflicts += step.conflicts;
                Slice(core, issued.step, begin, state.freeAt, state.doneAt);
                break;
            }
        }
    }
    state.queue.pop_front();
    return true;
}

/// S runs the program: its own instructions, and the issue of all others. False if it waits or is at the end.
bool Player::IssueNext(CoreState& core)
{
    if (core.next == core.timeline->steps.size()) { return false; }
    auto const at = static_cast<uint32_t>(core.next);
    Step const& step = core.timeline->steps[at];
    PipeState& own = core.pipes[static_cast<size_t>(Pipe::S)];
    double const begin = core.issue;
    auto const hold = [&](double until, uint32_t reason) {
        core.issue = std::max(core.issue, until);
        Count(core, Pipe::S, reason, core.issue - begin);
        core.hold = {core.issue, reason};
        Slice(core, at, begin, core.issue, core.issue);
    };
    switch (step.kind) {
        case StepKind::BarrierAll: {
            double finished = core.issue;
            for (PipeState const& pipe : core.pipes) {
                if (!pipe.Idle()) { return false; }
                finished = std::max(finished, pipe.Finished());
            }
            core.issue = finished;
            core.hold = {finished, kBarrier};
            Count(core, Pipe::S, kBarrier, finished - begin);
            break;
        }
        default:
            if (step.pipe != Pipe::S) {
                core.issue += static_cast<double>(costs_.dispatch);
                Count(core, Pipe::S, kIssue, static_cast<double>(costs_.dispatch));
                core.pipes[static_cast<size_t>(step.pipe)].queue.push_back({at, core.issue, core.hold});
            } else if (step.kind == StepKind::WaitFlag || step.kind == StepKind::CrossWait) {
                bool const cross = step.kind == StepKind::CrossWait;
                auto& sets = cross ? core.cross[step.flag] : core.raised[FlagKey(step.other, step.pipe, step.flag)];
                if (sets.empty()) { return false; }
                hold(sets.front(), cross ? kCross : WaitFor(step.other, step.pipe));
                sets.pop_front();
            } else if (step.kind == StepKind::SetFlag) {
                core.raised[FlagKey(step.pipe, step.other, step.flag)].push_back(core.issue);
            } else if (step.kind == StepKind::CrossSet) {
                ArriveCross(core, step, core.issue);
            } else {
                ++own.count;
                core.issue += step.work;
                Busy(core, static_cast<size_t>(Pipe::S), begin, core.issue);
                Count(core, Pipe::S, kWork, step.work);
                CallTime& time = TimeOf(core, step);
                ++time.count;
                time.busy += step.work;
                Slice(core, at, begin, core.issue, core.issue);
            }
            break;
    }
    own.freeAt = own.doneAt = core.issue;
    ++core.next;
    return true;
}

/// Runs what does not depend on when other copies run.
void Player::Advance(uint32_t index)
{
    CoreState& core = cores_[index];
    for (bool any = true; any;) {
        any = false;
        while (IssueNext(core)) { any = true; }
        for (size_t pipe = 0; pipe < kPipes; ++pipe) {
            while (RunHead(core, pipe)) { any = true; }
        }
    }
    EndCore(core);
}

/// The next block of the launch, on cores that are free from `at` on.
void Player::BeginGroup(uint32_t slot, double at)
{
    uint32_t const size = running->groupSize;
    for (uint32_t i = nextGroup_ * size; i < (nextGroup_ + 1) * size; ++i) {
        CoreState& core = cores_[i];
        core.slot = slot;
        core.issue = at;
        for (PipeState& pipe : core.pipes) { pipe.freeAt = at; }
        woken_.push_back(i);
    }
    ++nextGroup_;
}

/// Once a core has nothing left, and neither have the others of its group, their cores take the next block.
void Player::EndCore(CoreState& core)
{
    auto const idle = [](PipeState const& pipe) { return pipe.Idle(); };
    if (core.over || core.next != core.timeline->steps.size()
        || !std::all_of(core.pipes.begin(), core.pipes.end(), idle)) {
        return;
    }
    core.over = true;
    uint32_t const size = running->groupSize;
    double end = 0;
    for (uint32_t i = core.id.group * size; i < (core.id.group + 1) * size; ++i) {
        if (!cores_[i].over) { return; }
        for (PipeState const& pipe : cores_[i].pipes) { end = std::max(end, pipe.Finished()); }
    }
    if (uint64_t{nextGroup_} * size < cores_.size()) { BeginGroup(core.slot, end); }
}

void Player::ArriveCross(CoreState& core, Step const& step, double at)
{
    core.arrivals[step.flag].push_back(at);
    CrossMembers const members = MembersOf(core.id, step.mode, step.flag);
    for (uint32_t const index : members.from) {
        if (cores_[index].arrivals[step.flag].empty()) { return; }
    }
    double when = 0;
    for (uint32_t const index : members.from) {
        when = std::max(when, cores_[index].arrivals[step.flag].front());
        cores_[index].arrivals[step.flag].pop_front();
    }
    for (uint32_t const index : members.to) {
        cores_[index].cross[members.number].push_back(when);
        woken_.push_back(index);
    }
}

/// Sectors that `length` bytes, moved in pieces, touch only because of where they start.
uint64_t Player::Crossings(uint64_t address, uint64_t length, uint64_t piece) const
{
    uint64_t const mask = costs_.sector - 1;  // of a power of two
    if ((address & mask) == 0 && (piece & mask) == 0) { return 0; }
    int const shift = __builtin_ctzll(costs_.sector);
    auto const up = [=](uint64_t bytes) { return (bytes + mask) >> shift; };
    auto const more = [&](uint64_t at, uint64_t bytes) { return up((at & mask) + bytes) - up(bytes); };
    if (length <= piece) { return more(address, length); }
    uint64_t const whole = length / piece;
    uint64_t const rest = length - whole * piece;
    return whole * more(address, piece) + (rest == 0 ? 0 : more(address + whole * piece, rest));
}

/// The copy's bytes begin to move: what of them the L2 cache has decides which way they come.
void Player::BeginFlow(Start const& start)
{
    CoreState& core = cores_[start.core];
    Step const& step = core.timeline->steps[start.step];
    Transfer const& transfer = core.timeline->transfers[step.transfer];
    double const sector = static_cast<double>(costs_.sector);
    double bytes = 0;
    double extra = 0;   // of them, what rows pay for sectors that they only touch because of where they start
    double global = 0;  // bytes that come from global memory
    double stored = 0;  // bytes that go there by and by
    for (uint8_t i = 0; i < transfer.count; ++i) {
        Rectangle const& rectangle = transfer.rectangles[i];
        bool const block = rectangle.written && transfer.block;  // stored after the loads, in `after`
        double rows = 0;
        double spare = 0;
        double missing = 0;
        for (uint32_t r = 0; r < rectangle.rows; ++r) {
            uint64_t const address = reinterpret_cast<uintptr_t>(rectangle.base) + r * rectangle.stride;
            auto const [absent, changed] = cache_.Touch(address, rectangle.length, rectangle.cached, rectangle.written);
            uint64_t const piece = transfer.block ? costs_.l1Row : rectangle.length;
            double const crossing = static_cast<double>(Crossings(address, rectangle.length, piece)) * sector;
            rows += static_cast<double>(rectangle.length);
            spare += crossing;
            missing += absent == 0 ? 0 : static_cast<double>(absent) + crossing;
            stored += writesPass_ ? static_cast<double>(changed) : 0;
        }
        if (!block) {
            bytes += rows + spare;
            extra += spare;
        }
        global += rectangle.written ? 0 : missing;
    }
    bytes = std::max(bytes, 1.0);
    double port = transfer.port;
    if (transfer.atLeast != 0) { port = std::min(port, bytes / static_cast<double>(transfer.atLeast)); }
    copied_ += bytes;
    stored_ += stored;
    core.read += global;
    core.port[start.pipe] += bytes / port;
    flows_.Begin({start.core, start.pipe, start.step, start.at, bytes, global / bytes, port, extra / bytes});
    flows_.WriteBack(stored);
}

void Player::EndFlow(FlowEnd const& end)
{
    CoreState& core = cores_[end.flow.core];
    PipeState& state = core.pipes[end.flow.pipe];
    Step const& step = core.timeline->steps[end.flow.step];
    Transfer const& transfer = core.timeline->transfers[step.transfer];
    // Products of a block lie where those of the block before do, until FIX has stored them.
    state.freeAt = state.moved = std::max(end.at, state.storedTo);
    Busy(core, end.flow.pipe, state.began, state.moved);
    Count(core, step.pipe, kStore, state.moved - end.at);
    double const moved = end.at - end.flow.began;
    double const rows = moved * end.flow.extra;
    double const alone = std::min(moved - rows, (1 - end.flow.extra) * end.flow.bytes / end.flow.port);
    Count(core, step.pipe, transfer.atLeast != 0 ? kWork : kTransfer, alone);
    Count(core, step.pipe, kShared, moved - rows - alone);
    Count(core, step.pipe, kRows, rows);
    CallTime& time = TimeOf(core, step);
    ++time.count;
    time.busy += state.moved - state.began;
    time.rows += rows;
    time.shared += moved - rows - alone;
    state.handsOver = end.flow.step;
    HandOver(core, end.flow.pipe);
}

void Player::Play()
{
    for (uint32_t i = 0; i < cores_.size(); ++i) {
        cores_[i].timeline = &running->fibers[i].core->GetTimeline();
        cores_[i].id = running->fibers[i].core->Id();
    }
    CountWrites();
    auto const groups = static_cast<uint32_t>(cores_.size() / running->groupSize);
    for (uint32_t slot = 0; slot < std::min(groups, Slots()); ++slot) { BeginGroup(slot, 0); }
    for (;;) {
        while (!woken_.empty()) {
            uint32_t const index = woken_.back();
            woken_.pop_back();
            Advance(index);
        }
        double start = kNever;
        if (!starts_.empty()) { start = starts_.top().at; }
        double const end = flows_.NextEnd();
        if (start == kNever && end == kNever) { break; }
        if (start <= end) {
            flows_.MoveTo(start);
            while (!starts_.empty() && starts_.top().at <= start) {
                BeginFlow(starts_.top());
                starts_.pop();
            }
            continue;
        }
        flows_.MoveTo(end);
        for (FlowEnd const& done : flows_.TakeEnded()) {
            EndFlow(done);
            woken_.push_back(done.flow.core);
        }
    }
    double last = 0;
    for (CoreState const& core : cores_) {
        for (PipeState const& pipe : core.pipes) { last = std::max(last, pipe.Finished()); }
    }
    Collect(last);
    Bound();
}

}  // namespace replay

void Replay(LaunchStats& stats) { replay::Player(stats).Play(); }

}  // namespace machine
