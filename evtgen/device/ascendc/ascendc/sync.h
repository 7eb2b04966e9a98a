// Flags, barriers, cross-core flags, and the position of a core in the launch.
#pragma once

#include "types.h"

namespace AscendC {

namespace detail {

struct EventPipes {
    machine::Pipe from;
    machine::Pipe to;
};

constexpr EventPipes PipesOf(HardEvent event)
{
    using P = machine::Pipe;
    switch (event) {
#define ASCENDC_EVENT(from, to) \
    case HardEvent::from##_##to: return {P::from, P::to};
        ASCENDC_EVENTS(ASCENDC_EVENT)
#undef ASCENDC_EVENT
        case HardEvent::MAX: break;
    }
    return {P::S, P::S};
}

constexpr bool HasCrossMode(uint8_t mode) { return mode <= 2 || (mode == 4 && kArch.crossPairs); }

}  // namespace detail

template <HardEvent event> inline void SetFlag(int32_t eventID, Site site = Here())
{
    constexpr detail::EventPipes pipes = detail::PipesOf(event);
    machine::RecordSetFlag(pipes.from, pipes.to, eventID, "SetFlag", site);
}

template <HardEvent event> inline void WaitFlag(int32_t eventID, Site site = Here())
{
    constexpr detail::EventPipes pipes = detail::PipesOf(event);
    machine::RecordWaitFlag(pipes.from, pipes.to, eventID, "WaitFlag", site);
}

/// The same flags, by their two pipes.
template <pipe_t src, pipe_t dst> class TQueSync {
public:
    void SetFlag(TEventID id, Site site = Here())
    {
        machine::RecordSetFlag(detail::PipeOf(src), detail::PipeOf(dst), id, "SetFlag", site);
    }
    void WaitFlag(TEventID id, Site site = Here())
    {
        machine::RecordWaitFlag(detail::PipeOf(src), detail::PipeOf(dst), id, "WaitFlag", site);
    }
};

template <pipe_t pipe> inline void PipeBarrier(Site site = Here())
{
    static_assert(pipe != PIPE_S, "PipeBarrier<PIPE_S> does not exist: S runs its instructions one after the other");
    if constexpr (pipe == PIPE_ALL) {
        machine::RecordBarrierAll(site);
    } else {
        machine::RecordBarrier(detail::PipeOf(pipe), site);
    }
}

template <uint8_t modeId, pipe_t pipe> inline void CrossCoreSetFlag(uint16_t flagId, Site site = Here())
{
    static_assert(detail::HasCrossMode(modeId), "CrossCoreSetFlag: this architecture does not have this mode");
    static_assert(
        pipe != PIPE_ALL && (pipe != PIPE_S || modeId == 4),
        "CrossCoreSetFlag takes V, M, MTE1, MTE2, MTE3 or FIX, and S in mode 4");
    machine::RecordCrossSet(modeId, detail::PipeOf(pipe), flagId, site);
}

/// Holds back what the pipe runs later; on S, everything that the core issues later. On 2201 mode and pipe have no effect:
/// a wait is one on S.
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S> inline void CrossCoreWaitFlag(uint16_t flagId, Site site = Here())
{
    static_assert(detail::HasCrossMode(modeId), "CrossCoreWaitFlag: this architecture does not have this mode");
    static_assert(pipe != PIPE_ALL, "CrossCoreWaitFlag takes S, V, M, MTE1, MTE2, MTE3 or FIX");
    machine::RecordCrossWait(modeId, detail::PipeOf(pipe), flagId, site);
}

/// All cores of the launch wait for each other, or its vector cores, by the flags 11 to 14 (SyncAll page).
template <bool isAIVOnly = true> inline void SyncAll(Site site = Here())
{
    constexpr uint16_t cubes = 11;
    constexpr uint16_t toCube = 12;
    constexpr uint16_t toVector = 13;
    constexpr uint16_t vectors = 14;
    machine::RecordBarrierAll(site);
    if constexpr (isAIVOnly) {
        machine::RecordCrossSet(0, machine::Pipe::MTE3, vectors, site);
        machine::RecordCrossWait(0, machine::Pipe::S, vectors, site);
    } else if (machine::CurrentRole() == machine::Role::AIC) {
        machine::RecordCrossWait(0, machine::Pipe::S, toCube, site);
        machine::RecordCrossSet(0, machine::Pipe::FIX, cubes, site);
        machine::RecordCrossWait(0, machine::Pipe::S, cubes, site);
        machine::RecordCrossSet(2, machine::Pipe::MTE3, toVector, site);
    } else {
        machine::RecordCrossSet(2, machine::Pipe::MTE3, toCube, site);
        machine::RecordCrossWait(0, machine::Pipe::S, toVector, site);
    }
}

/// Kernels that are joined into one start before the one in front has ended; kernels of their own do not.
inline void SetNextTaskStart() {}
inline void WaitPreTaskEnd() {}

/// Fetches instructions into their cache, which the model does not have (ICachePreLoad page).
inline void ICachePreLoad(int64_t) {}

/// The base address of cross-core synchronisation, which the hardware needs and the model does not.
inline void SetSyncBaseAddr(uint64_t) {}

inline int64_t GetBlockIdx() { return machine::BlockIdx(); }
inline int64_t GetBlockNum() { return machine::BlockNum(); }
inline int64_t GetSubBlockIdx() { return machine::SubBlockIdx(); }
inline int64_t GetSubBlockNum() { return machine::SubBlockNum(); }
/// Vector cores per cube core.
inline int64_t GetTaskRation() { return machine::SubBlockNum(); }
inline int64_t GetTaskRatio() { return machine::SubBlockNum(); }

}  // namespace AscendC
