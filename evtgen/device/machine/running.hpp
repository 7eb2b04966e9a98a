// The current launch: its cores, each with the fiber that runs the kernel on it.
#pragma once

#include <ucontext.h>

#include <array>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "core.hpp"
#include "launch.hpp"
#include "locals.hpp"

namespace machine {

/// The stack of a fiber, with a guard below it that must not be touched: endless recursion and large arrays end there.
class Stack {
public:
    Stack() = default;
    Stack(Stack const&) = delete;
    Stack& operator=(Stack const&) = delete;
    Stack(Stack&& other) noexcept : pages_(std::exchange(other.pages_, nullptr)) {}
    Stack& operator=(Stack&& other) noexcept
    {
        std::swap(pages_, other.pages_);
        return *this;
    }
    ~Stack() { Free(); }

    /// Throws std::bad_alloc if there is no room.
    void Make();
    void Free();
    bool Guards(void const* address) const;
    char* Begin() const { return pages_ + kGuard; }
    static constexpr size_t kBytes = size_t{512} * 1024;

private:
    static constexpr size_t kGuard = size_t{16} * 1024 * 1024;  // whole pages, of any size; takes addresses only

    char* pages_ = nullptr;
};

/// A core with the fiber that runs the kernel on it.
struct Fiber {
    /// WaitsOnPipe: it can go on once a pipe whose wait for a cross-core flag is issued has gone on.
    enum class Where : uint8_t { Fresh, Ready, WaitsCross, WaitsWord, WaitsOnPipe, Stuck, Done };

    std::unique_ptr<Core> core;
    Where where = Where::Fresh;
    uint16_t waitsFor = 0;       // NumberOfCross(), while WaitsCross
    void const* word = nullptr;  // while WaitsWord, with the value that it must have and the call that waits
    int32_t value = 0;
    char const* waitCall = "";
    Site waitSite = {"", 0};
    Stack stack;
    BlockLocals locals;
    ucontext_t context{};
};

struct Running {
    char const* kernel;
    Site site;
    uint32_t blockDim;
    KernelKind kind;
    void (*runs[2])(void const* self, Role);  // on vector cores and on cube cores
    void const* self;
    std::vector<Fiber> fibers;
    Fiber* current = nullptr;
    ucontext_t scheduler{};
    uint32_t groupSize;
    CoreUses uses;           // of the cores that are done
    std::mt19937_64 random;  // of the turns of cores
    /// Cross-core sets that wait for the other cores of their mode, per core and flag.
    std::vector<std::array<std::vector<Clock>, kCrossFlags>> arrivals;
    std::map<void const*, Clock> words;  // by which cores wait for each other: what was over when they were written
};

/// Null outside a launch.
extern Running* running;

/// The cores that a set of a cross-core flag joins.
struct CrossMembers {
    std::vector<uint32_t> from;  // all must have set it
    std::vector<uint32_t> to;    // their counters go up then
    uint16_t number;             // of those: NumberOfCross()
};
/// `number`: the flag as the core that sets it has it.
CrossMembers MembersOf(CoreId const& core, uint8_t mode, uint16_t number);

/// Leaves the running fiber; returns when the scheduler resumes it.
void SwitchOut();

/// Leaves the running fiber until its pipes, which nothing else holds back, have gone on after a cross-core flag. False if
/// they wait for none.
bool AwaitCross();

/// Whether the word that a fiber waits for has its value.
bool WordIsThere(Fiber const& fiber);

/// Ends the running fiber, which waits for what cannot come any more.
void GiveUp();

/// Reports, once nothing can run any more, cores that wait for a cross-core flag, and flags that nothing waited for.
void ReportCrossDeadlock();
void ReportCrossLeft();

}  // namespace machine
