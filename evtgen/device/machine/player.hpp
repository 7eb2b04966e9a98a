// The player of a launch's timelines. replay.cpp has what happens when, totals.cpp what a launch comes to.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <queue>
#include <vector>

#include "cache.hpp"
#include "flows.hpp"
#include "report.hpp"
#include "running.hpp"

namespace machine::replay {

/// What a pipe's time goes to. A wait for a flag has a number of its own per pair of pipes, after these.
#define EVT_CAUSES(X)                             \
    X(Work, "work")                               \
    X(Start, "start of instructions")             \
    X(Conflicts, "bank conflicts")                \
    X(CopyStart, "start of copies")               \
    X(Transfer, "transfer")                       \
    X(Shared, "bandwidth that other copies take") \
    X(Rows, "rows off their sectors")             \
    X(Store, "store of the block before")         \
    X(Barrier, "barrier")                         \
    X(Issue, "issue by S")                        \
    X(Cross, "wait for the other core")           \
    X(Over, "nothing left to do")                 \
    X(Tail, "tail: other cores still work")
#define EVT_CAUSE(name, text) k##name,
enum CauseNumber : uint32_t { EVT_CAUSES(EVT_CAUSE) kFirstWait };
#undef EVT_CAUSE
constexpr uint32_t kCauses = kFirstWait + kPipes * kPipes;

inline uint32_t WaitFor(Pipe from, Pipe to)
{
    return kFirstWait + static_cast<uint32_t>(from) * kPipes + static_cast<uint32_t>(to);
}

/// The reason for which S issued nothing, and until when.
struct Hold {
    double until = 0;
    uint32_t reason = kIssue;
};

/// First in, first out; takes no room while it is empty.
template <class T> class Fifo {
public:
    bool empty() const { return next_ == all_.size(); }
    T const& front() const { return all_[next_]; }
    void push_back(T const& one) { all_.push_back(one); }
    void pop_front()
    {
        if (++next_ == all_.size()) {
            all_.clear();
            next_ = 0;
        }
    }

private:
    std::vector<T> all_;
    size_t next_ = 0;
};

/// An instruction that S has issued.
struct Issued {
    uint32_t step;
    double at;
    Hold hold;  // the last before it
};

struct PipeState {
    Fifo<Issued> queue;
    double freeAt = 0;    // from when it can go on
    double doneAt = 0;    // when everything that it has begun is finished
    double busyTo = 0;    // end of the time that is counted as busy
    bool copies = false;  // a transfer is under way
    double began = 0;     // of that
    double setUp = 0;     // when its start was over
    double synced = 0;    // when the last wait or barrier was over
    double moved = 0;     // when the transfer was over
    double storedTo = 0;  // when the last block was stored
    uint64_t count = 0;
    std::vector<uint32_t> held;         // steps: waits for cross-core flags that it has come to
    std::optional<uint32_t> handsOver;  // step: a block that such a wait keeps from storing what it has computed

    bool Idle() const { return !copies && queue.empty() && held.empty(); }

    double Finished() const { return std::max(freeAt, doneAt); }
};

class Player {
public:
    explicit Player(LaunchStats& stats)
        : stats_(stats), costs_(Arch().costs), cache_(costs_.sector, costs_.line, costs_.l2Size << 20), flows_(costs_),
          cores_(running->fibers.size())
    {}

    void Play();

private:
    struct CoreState {
        Timeline const* timeline = nullptr;
        CoreId id{};
        size_t next = 0;
        double issue = 0;  // when S can issue the next
        Hold hold;
        std::array<PipeState, kPipes> pipes;
        std::map<uint32_t, Fifo<double>> raised;    // flags by pipes and id
        std::map<uint32_t, Fifo<double>> cross;     // sets that all have made, by NumberOfCross()
        std::map<uint32_t, Fifo<double>> arrivals;  // sets of its own that wait for others
        uint32_t slot = 0;                          // of the device's cores, the one that it runs on
        bool over = false;
        std::array<double, kPipes> port{};  // cycles that the copies of each pipe take at least
        double read = 0;                    // bytes from global memory
    };

    /// A copy whose start is over.
    struct Start {
        double at;
        uint32_t core;
        uint8_t pipe;
        uint32_t step;
        bool operator>(Start const& other) const
        {
            return at != other.at ? at > other.at : core != other.core ? core > other.core : pipe > other.pipe;
        }
    };

    void Advance(uint32_t core);
    void BeginGroup(uint32_t slot, double at);
    void EndCore(CoreState& core);
    bool IssueNext(CoreState& core);
    bool RunHead(CoreState& core, size_t pipe);
    bool IsBlock(CoreState const& core, Step const& step) const;
    bool Settle(CoreState& core, size_t pipe);
    bool HandOver(CoreState& core, size_t pipe);
    uint64_t Crossings(uint64_t address, uint64_t length, uint64_t piece) const;
    void BeginFlow(Start const& start);
    void EndFlow(FlowEnd const& end);
    void ArriveCross(CoreState& core, Step const& step, double at);
    double Began(CoreState& core, size_t pipe, Issued const& issued);
    void Count(CoreState const& core, Pipe pipe, uint32_t cause, double cycles);
    void Busy(CoreState& core, size_t pipe, double begin, double end);
    void Slice(CoreState const& core, uint32_t step, double begin, double end, double done);
    void CountWrites();
    CallTime& TimeOf(CoreState const& core, Step const& step);
    void Collect(double last);
    uint32_t Slots() const;
    void Bound();
    static uint32_t FlagKey(Pipe from, Pipe to, uint32_t id)
    {
        return (static_cast<uint32_t>(from) * kPipes + static_cast<uint32_t>(to)) * kFlagIds + id;
    }

    LaunchStats& stats_;
    Costs const& costs_;
    Cache cache_;
    Flows flows_;
    double copied_ = 0;  // bytes of all copies so far
    double stored_ = 0;  // bytes that the L2 cache has to write back
    std::vector<CoreState> cores_;
    std::priority_queue<Start, std::vector<Start>, std::greater<Start>> starts_;
    std::vector<uint32_t> woken_;
    uint32_t nextGroup_ = 0;
    double causes_[2][kPipes][kCauses] = {};  // by Role
    std::vector<CallTime> calls_[2];          // by Role, then by label
    bool writesPass_ = false;  // the launch moves more than the L2 cache holds: what it writes goes on to global memory
};

}  // namespace machine::replay
