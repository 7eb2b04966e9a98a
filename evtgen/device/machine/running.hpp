// The current launch: its cores, each with the fiber that runs the kernel on it.
#ifndef EVTGEN_MACHINE_RUNNING_HPP
#define EVTGEN_MACHINE_RUNNING_HPP

#include <ucontext.h>

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "core.hpp"
#include "launch.hpp"

namespace machine {

/// A core with the fiber that runs the kernel on it.
struct Fiber {
    enum class Where : uint8_t { Fresh, Ready, WaitsCross, Stuck, Done };

    std::unique_ptr<Core> core;
    Where where = Where::Fresh;
    uint16_t waitsFor = 0;  // cross-core flag id, while WaitsCross
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
    /// A cross-core set that waits for the other cores of its mode.
    struct Arrival {
        Clock clock;
        uint64_t time;
    };
    std::vector<std::array<std::deque<Arrival>, kCrossFlagIds>> arrivals;  // per core and flag id
};

/// Null outside a launch.
extern Running* running;

/// Leaves the running fiber; returns when the scheduler resumes it.
void SwitchOut();

/// Reports, once nothing can run any more, cores that wait for a cross-core flag, and flags that nothing waited for.
void ReportCrossDeadlock();
void ReportCrossLeft();

}  // namespace machine

#endif  // EVTGEN_MACHINE_RUNNING_HPP
