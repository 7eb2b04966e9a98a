// One core: its stream of pending instructions, the state that its pipes share, and its local memory.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clock.hpp"
#include "history.hpp"
#include "queue.hpp"
#include "record.hpp"
#include "registers.hpp"
#include "report.hpp"
#include "shadow.hpp"
#include "timeline.hpp"

namespace machine {

/// Flags per pair of pipes.
constexpr int32_t kFlagIds = 8;

/// Flags between cores. Those of mode 4 count for themselves: a cube core has as many again for each vector core.
constexpr uint16_t kCrossFlagIds = 16;
constexpr uint16_t kCrossFlags = 3 * kCrossFlagIds;
constexpr uint8_t kPairMode = 4;
/// The last id of mode 4 that programs may use (CrossCoreSetFlag page).
constexpr uint16_t kLastPairId = 10;

/// Where a core has the flag that its program names by a mode and an id.
constexpr uint16_t NumberOfCross(uint8_t mode, uint16_t id)
{
    return static_cast<uint16_t>(mode == kPairMode ? kCrossFlagIds + id : id);
}
/// The same flag in a report.
std::string NameOfCross(size_t number);

/// Part of a local memory that the program treats as a buffer.
struct Buffer {
    uint64_t end = 0;         // 0: where the next one starts
    uint32_t declaredAt = 0;  // how many declarations there had been, this one included
};

/// What a core has done with a buffer.
struct BufferUse {
    Access first;
    uint32_t pipes = 0;  // a bit for each that has used it
    bool again = false;  // History::Note
};

/// A write of the group's cube core to the UB of a vector core.
struct ForeignWrite {
    Call call;
    uint64_t first;
    uint64_t end;
};

/// Bytes of one core-local space, with their states and history. `allocated` grows as buffers are declared.
struct LocalMemory {
    static constexpr uint64_t kGuard = 4096;  // bytes behind it, for pointers that leave it

    LocalMemory(Space space, uint64_t bytes);
    /// Makes [0, end) ready for use: most kernels declare far more than they touch.
    void Prepare(uint64_t end);
    bool Contains(void const* p, uint64_t beyond = 0) const
    {
        return p >= data.get() && p < data.get() + bytes + beyond;
    }
    uint64_t Offset(void const* p) const { return static_cast<uint64_t>(static_cast<uint8_t const*>(p) - data.get()); }

    Space space;
    uint64_t bytes;
    uint64_t allocated = 0;
    uint64_t prepared = 0;
    std::vector<ForeignWrite> undeclared;  // writes past `allocated`: the core may declare those bytes yet
    std::unique_ptr<uint8_t[]> data;
    std::unique_ptr<uint8_t[]> states;
    History history;
    std::map<uint64_t, Buffer> buffers;  // the program's, by their start
    std::map<uint64_t, BufferUse> uses;  // likewise
};

/// A flag between two pipes: one bit, with the clock of its setter; and sets that came while its wait was issued but not
/// over, for the waits to come.
struct Flag {
    struct Set {
        Clock clock;
        Call setter;
    };

    bool raised = false;
    Set set;
    std::vector<Set> later;
    uint32_t lastWait = 0;  // index, on the waiting pipe, of the wait that lowered it last
    uint32_t sets = 0;
    uint32_t workBefore = 0;  // and of the last instruction before that which was no flag or barrier
};

/// Holds back what S issues later, on every pipe: a wait on S, a cross-core wait, a barrier over all pipes.
struct Gate {
    bool open = false;
    Clock clock;
};

/// The active lanes of a repeat; in counter mode `low` is a number of elements.
struct VectorMask {
    uint64_t low = ~uint64_t{0};
    uint64_t high = ~uint64_t{0};
    bool counts = false;
};

/// A core's place in the launch; never changes.
struct CoreId {
    uint32_t index;
    uint32_t group;
    uint32_t sub;
    Role role;
};

class Core {
public:
    /// `firstOfGroup` and `groupSize`: the cores whose progress this one's clocks follow.
    Core(CoreId const& id, uint32_t firstOfGroup, uint32_t groupSize);

    CoreId const& Id() const { return id_; }
    bool Has(Pipe pipe) const;
    Call MakeCall(char const* name, Pipe pipe, Site site, NodeName const* node = nullptr) const
    {
        return {site, name, pipe, static_cast<int32_t>(id_.index), node};
    }
    Call MakeCall(Instruction const& instruction) const
    {
        return MakeCall(instruction.name, instruction.pipe, instruction.site, instruction.node);
    }

    // ---- the stream

    /// Appends an instruction; runs some when the queue is full.
    void Push(Instruction&& instruction);
    /// Holds back the later instructions of every pipe until all pipes have run the earlier ones.
    void PushBarrierAll();
    /// Runs until nothing more can run. False if instructions are left that wait for a flag.
    bool Drain();
    bool CanRun() const;
    /// Whether a pipe waits for a flag that another core has not set.
    bool WaitsForCross() const;
    /// Runs until `pipe` has nothing left, and issues nothing before that. False if it waits for a flag that cannot come.
    bool Force(Pipe pipe);
    /// Reports every pending wait, once nothing can run any more.
    void ReportStuck();
    /// End of kernel: flags left raised, atomic mode left on.
    void Finish();
    /// Adds the buffers that pass from one pipe to another, and the flags.
    void AddTo(CoreUses& uses) const;
    /// Adds this core's instructions.
    void AddTo(LaunchStats& stats) const;
    Timeline& GetTimeline() { return timeline_; }

    /// Makes room for the stream, and frees it with everything else that a finished kernel does not need.
    void Begin();
    void End();
    /// The device call that the kernel made last.
    std::optional<Call> const& LastCall() const { return lastCall_; }
    /// How often S has read the same element, one time after the other.
    uint64_t Polls() const { return polls_; }
    void NoteRead(void const* element)
    {
        polls_ = element == polled_ ? polls_ + 1 : 1;
        polled_ = element;
    }
    void NoteCall(char const* name, Pipe pipe, Site site) { lastCall_ = MakeCall(name, pipe, site); }

    // ---- modes

    AtomicMode const& Atomic() const { return atomic_; }
    void SetAtomic(AtomicMode const& mode) { atomic_ = mode; }
    VectorMask const& Mask() const { return mask_; }
    void SetMask(uint64_t high, uint64_t low)
    {
        mask_.high = high;
        mask_.low = low;
    }
    void SetMaskCounts(bool counts) { mask_.counts = counts; }
    Registers& CurrentRegisters() { return registers_; }
    /// At a kernel's end: it leaves modes as it found them, or as ResetCtrlSpr does.
    void CheckControl();

    // ---- nodes and tiles, where the program names them

    NodeName const* Node() const { return node_; }
    void SetNode(NodeName const* node) { node_ = node; }
    int32_t NextTile() { return tiles_++; }
    void SetTile(int32_t tile) { tile_ = tile; }

    // ---- flags between cores, by NumberOfCross()

    /// Notes a set, with the clock of its setters. Returns how many sets have not been waited for.
    size_t CrossSet(size_t number, Call const& setter, Clock const& clock);
    bool CrossIsSet(size_t number) const { return !crossFlags_[number].sets.empty(); }
    /// S consumes one set that has arrived; every pipe's later instructions come after it.
    void CrossWait(size_t number, Site site);
    /// What S issues from now on comes after what `clock` knows to be over, on every pipe.
    void ComeAfter(Clock const& clock);
    /// What is over once the instruction that runs on `pipe` is.
    Clock ClockAfter(Pipe pipe) const;
    void ReportCrossLeft() const;

    // ---- the data cache of S, which knows nothing of what others write

    /// Writes back the line at an address of global memory, or all lines; S fetches them anew when it comes there next.
    void RefreshCache(void const* address, bool entire);

    // ---- the pipe object and its queues

    PipeObject& CurrentPipe() { return pipe_; }
    PipeObject const& CurrentPipe() const { return pipe_; }

    // ---- local memory

    LocalMemory* Local(Space space);
    /// The memory of this core that holds `address`, or that of another core of its group that it reaches: the UB of a vector
    /// core, the L1 of the cube core. Null if none.
    LocalMemory* LocalOf(void const* address);
    /// The core's own memory whose bytes or guard zone hold the address; null if there is none.
    LocalMemory* LocalNear(void const* address);
    bool Owns(LocalMemory const& memory) const { return locals_[static_cast<size_t>(memory.space)].get() == &memory; }
    /// A vector core of this cube core's group; null if there is no such core.
    Core* VectorCore(uint32_t sub) const;
    /// The cube core of this vector core's group; null if there is none.
    Core* CubeCore() const;
    /// Reports writes of the group's cube core to bytes of UB that this core has not declared by its end.
    void ReportUndeclared();
    /// Takes the next `bytes` of a space, in whole blocks. Returns their offset, which may lie outside.
    uint64_t Take(Space space, uint64_t bytes);
    uint64_t Taken(Space space) const { return taken_[static_cast<size_t>(space)]; }
    void ReleaseAll();
    /// Counts a declaration of a buffer; instructions recorded from now on come after it.
    uint32_t NextDeclaration() { return ++declarations_; }

private:
    /// The progress of one pipe.
    struct PipeState {
        Clock clock;            // the progress of other pipes, as far as it knows
        uint32_t position = 0;  // instructions run, from this launch on
        uint32_t lastWork = 0;  // the last of them that was no flag or barrier
        uint64_t count = 0;
    };

    struct CrossFlag {
        std::vector<Clock> sets;  // those not yet waited for
        uint32_t count = 0;       // of all sets
        Call setter;
    };

    struct Token {
        uint64_t sequence;
        uint32_t slot;  // instruction in pool_
        Kind kind;      // Data and the like: pool_[slot]; BarrierAll and Gate: gate
        std::shared_ptr<Gate> gate;
        uint32_t scalars;  // instructions of S before it
    };

    void MakeRoom();
    void PushAllPipes(Kind kind, std::shared_ptr<Gate> const& gate);
    Clock TakeCross(size_t number);
    bool DrainPipe(Pipe pipe);
    bool RunOne();
    bool Runnable(size_t pipe) const;
    /// Whether a flag that the compiler inserts holds the instruction back: of the scalar unit and another pipe, the later
    /// one waits until the earlier one is over, in every order of execution.
    bool WaitsForInserted(Token const& head) const;
    void RunHead(size_t pipe);
    void RunBarrierAll();
    void Pass(PipeState& pipe, Gate const& gate);
    void Execute(Instruction& instruction);
    void ExecuteSync(Instruction& instruction);
    uint32_t Known(Pipe of, PipeState const& to) const;
    void CheckSet(Instruction const& instruction, Flag const& flag);
    bool OnlyTheWaitIsLeft(Instruction const& set, Flag const& flag) const;
    void CheckOrder(Instruction const& instruction);
    /// The history of a region that has passed its checks, and the address at which that memory starts.
    std::pair<History*, uint8_t const*> HistoryOf(Region const& region);
    Access const* BeyondItsBuffer(Region const& region, Conflict const& conflict, Access const& later);
    void InsertFlag(Access const& earlier, Instruction const& later);
    void NoteRegion(Region const& region, Access access, Instruction const& instruction);
    /// Writes to the same lines of global memory, if one of the two goes through a data cache: it writes back whole lines.
    std::optional<Access> SharesLine(Region const& region, Access const& access, Instruction const& instruction);
    void WriteBack(void const* written);
    /// What S knew when it last forgot the line of the data cache at an address: what it reads there may be as old.
    Clock const& FetchedAt(void const* address) const;
    static uint32_t Window();
    PipeState& PipeOf(Pipe pipe) { return pipes_[static_cast<size_t>(pipe)]; }
    static size_t FlagIndex(Pipe from, Pipe to, int32_t id)
    {
        return (static_cast<size_t>(from) * kPipes + static_cast<size_t>(to)) * kFlagIds + static_cast<size_t>(id);
    }

    CoreId id_;
    std::array<PipeState, kPipes> pipes_;
    std::vector<std::deque<Token>> queues_;  // per pipe, while the kernel runs
    std::vector<Instruction> pool_;
    std::vector<uint32_t> freeSlots_;
    uint64_t pending_ = 0;
    uint64_t sequence_ = 0;
    uint32_t scalars_ = 0;       // instructions recorded on S
    uint32_t declarations_ = 0;  // of buffers
    uint64_t instructions_ = 0;
    std::mt19937_64 random_;

    std::vector<Flag> flags_;
    std::array<CrossFlag, kCrossFlags> crossFlags_;
    std::map<uintptr_t, Clock> fetched_;        // by line of the data cache, where it was forgotten alone
    Clock allFetched_;                          // and where it was with all others
    std::set<uintptr_t> read_;                  // lines that S has read since it forgot them
    std::map<uintptr_t, void const*> written_;  // that it has written since, with an address in each
    std::optional<Call> lastCall_;
    void const* polled_ = nullptr;
    uint64_t polls_ = 0;
    NodeName const* node_ = nullptr;
    int32_t tiles_ = 0;  // how many tiles the program has begun
    int32_t tile_ = -1;  // the one that it works on
    AtomicMode atomic_;
    VectorMask mask_;
    Registers registers_;
    PipeObject pipe_;

    std::vector<std::unique_ptr<LocalMemory>> locals_;
    std::array<uint64_t, kSpaces> taken_{};  // bytes of each local space that buffers have
    Timeline timeline_;
};

/// The core whose fiber or instruction runs; null outside a launch.
Core* CurrentCore();
void SetCurrentCore(Core* core);
Instruction const* CurrentInstruction();
/// A call that the running core makes, or the host.
Call MakeCall(char const* name, Pipe pipe, Site site);

/// Bounds, alignment and overlap of a data instruction; reports, and marks it faulty if it must not run.
void CheckOperands(Core& core, Instruction& instruction);

/// Moves definedness along: the instruction's own shadow, or all-or-nothing.
void RunShadow(Core& core, Instruction& instruction);

/// The running core at a call on a cross-core flag, or null after a report.
Core* CoreOfCross(char const* name, uint8_t mode, Pipe pipe, uint16_t id, Site site);

/// Reports a call by which all blocks wait for each other if the device does not run so many at once.
void CheckMeeting(Core const& core, char const* name, Pipe pipe, Site site);

/// A cross-core set that has run on `core`: raises counters on the cores its mode joins.
void CrossSetArrived(Core& core, Instruction const& instruction, Clock const& clock);

/// Numbers (name, site) pairs, so that histories can be small.
uint32_t InternCall(char const* name, Site site, NodeName const* node);
Call CallOf(Access const& access);

}  // namespace machine
