// One core: its stream of pending instructions, the state that its pipes share, and its local memory.
#ifndef EVTGEN_MACHINE_CORE_HPP
#define EVTGEN_MACHINE_CORE_HPP

#include <array>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "channel.hpp"
#include "clock.hpp"
#include "history.hpp"
#include "record.hpp"
#include "report.hpp"
#include "shadow.hpp"

namespace machine {

/// Flags per pair of pipes.
constexpr int32_t kFlagIds = 8;

/// Bytes of one core-local space, with their states and history. `allocated` grows as buffers are declared.
struct LocalMemory {
    LocalMemory(Space space, uint64_t bytes);
    /// Makes [0, end) ready for use: most kernels declare far more than they touch.
    void Prepare(uint64_t end);
    bool Contains(void const* p) const
    {
        return p >= data.get() && p < data.get() + bytes;
    }
    uint64_t Offset(void const* p) const
    {
        return static_cast<uint64_t>(static_cast<uint8_t const*>(p) - data.get());
    }

    Space space;
    uint64_t bytes;
    uint64_t allocated = 0;
    uint64_t prepared = 0;
    std::unique_ptr<uint8_t[]> data;
    std::unique_ptr<uint8_t[]> states;
    History history;
};

/// A flag between two pipes: one bit, with what its setter knew.
struct Flag {
    bool raised = false;
    Clock clock;
    uint64_t time = 0;
    Call setter;
    uint32_t lastWait = 0;  // index, on the waiting pipe, of the wait that lowered it last
};

/// What holds later instructions of every pipe back: a barrier over all pipes, a wait on S, a cross-core wait.
struct Gate {
    bool open = false;
    Clock clock;
    uint64_t time = 0;
};

class Core {
public:
    Core(
        uint32_t index, uint32_t group, uint32_t sub, Role role, uint32_t firstOfGroup, uint32_t groupSize,
        uint32_t sharers);

    /// Appends an instruction; runs some when the queue is full.
    void Push(Instruction&& instruction);
    /// Holds every pipe's later instructions until a gate is open. Kind::BarrierAll or Kind::Gate.
    void PushAllPipes(Kind kind, std::shared_ptr<Gate> gate);
    /// Runs until nothing more can run. False if instructions are left that wait for a flag.
    bool Drain();
    /// Runs until `pipe` has nothing left. False if it waits for a flag that cannot come.
    bool DrainPipe(Pipe pipe);
    bool Empty() const
    {
        return pending_ == 0;
    }
    /// Reports who waits for what, once nothing can run any more.
    void ReportStuck();
    /// End of kernel: flags left raised, atomic mode left on.
    void Finish();

    LocalMemory* Local(Space space);
    LocalMemory* LocalOf(void const* address);
    bool Has(Pipe pipe) const;
    Call MakeCall(Instruction const& instruction) const
    {
        return {instruction.site, instruction.name, instruction.pipe, static_cast<int32_t>(index)};
    }

    uint32_t const index;
    uint32_t const group;
    uint32_t const sub;
    Role const role;

    Combine atomic = Combine::Store;
    uint8_t atomicType = 0;
    Site atomicSite = {"", 0};

    uint64_t mask[2] = {~uint64_t{0}, ~uint64_t{0}};  // low, high
    bool maskCounts = false;

    struct CrossFlag {
        std::deque<std::pair<Clock, uint64_t>> sets;  // what each set that nobody has waited for knew, and when it came
        Call setter;
    };
    std::array<CrossFlag, 16> crossFlags;

    std::array<uint64_t, kSpaces> taken{};  // bytes of each local space that buffers have
    std::array<Clock, kPipes> clocks;
    std::array<uint32_t, kPipes> position{};  // instructions run, per pipe
    std::array<uint64_t, kPipes> freeAt{};    // cycle from which the pipe can go on
    std::array<uint64_t, kPipes> doneAt{};    // cycle at which all that it has begun is finished
    std::array<uint64_t, kPipes> busy{};
    std::array<uint64_t, kPipes> count{};
    Channel channel;            // to global memory
    uint64_t globalBytes = 0;   // moved from and to global memory by copies
    uint64_t issueAt = 0;       // when S has issued what was recorded last
    uint64_t instructions = 0;

private:
    struct Token {
        uint64_t sequence;
        uint32_t slot;  // instruction in pool_
        Kind kind;      // Data and the like: pool_[slot]; BarrierAll and Gate: gate
        std::shared_ptr<Gate> gate;
        uint64_t issued;  // cycle
    };

    bool RunOne();
    bool Runnable(size_t pipe) const;
    void RunHead(size_t pipe);
    void RunBarrierAll();
    void Execute(Instruction& instruction, uint64_t issued);
    void ExecuteSync(Instruction& instruction);
    void CheckOrder(Instruction const& instruction);
    void NoteRegion(Region const& region, Access access, Instruction const& instruction);
    uint32_t Window() const;
    Flag& FlagOf(Pipe from, Pipe to, int32_t id);

    void Spend(Instruction const& instruction);

    uint32_t sharers_;  // cores that share global memory's bandwidth
    std::vector<std::unique_ptr<LocalMemory>> locals_;
    std::vector<Instruction> pool_;
    std::vector<uint32_t> freeSlots_;
    std::array<std::deque<Token>, kPipes> queues_;
    uint64_t pending_ = 0;
    uint64_t sequence_ = 0;
    std::vector<Flag> flags_;
    std::mt19937_64 random_;
};

/// The core whose fiber or instruction runs; null outside a launch.
Core* CurrentCore();
void SetCurrentCore(Core* core);
Instruction const* CurrentInstruction();

/// Bounds, alignment and overlap of a data instruction; reports, and marks it faulty if it must not run.
void CheckOperands(Core& core, Instruction& instruction);

/// Moves definedness along: the instruction's own shadow, or all-or-nothing.
void RunShadow(Core& core, Instruction& instruction);

/// A cross-core set that has run on `core`: raises counters on the cores its mode joins.
void CrossSetArrived(Core& core, Instruction const& instruction, Clock const& clock, uint64_t time);

/// Numbers (name, site) pairs, so that histories can be small.
uint32_t InternCall(char const* name, Site site);
Call CallOf(Access const& access);

}  // namespace machine

#endif  // EVTGEN_MACHINE_CORE_HPP
