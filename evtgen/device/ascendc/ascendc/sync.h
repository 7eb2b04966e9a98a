// Flags, barriers, cross-core flags, and where a core finds itself.
#ifndef EVTGEN_ASCENDC_SYNC_H
#define EVTGEN_ASCENDC_SYNC_H

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
#define ASCENDC_EVENT(from, to)  \
    case HardEvent::from##_##to: \
        return {P::from, P::to};
        ASCENDC_EVENT(MTE2, MTE1)
        ASCENDC_EVENT(MTE1, MTE2) ASCENDC_EVENT(MTE1, M) ASCENDC_EVENT(M, MTE1) ASCENDC_EVENT(MTE2, V)
            ASCENDC_EVENT(V, MTE2) ASCENDC_EVENT(MTE3, V) ASCENDC_EVENT(V, MTE3) ASCENDC_EVENT(M, V) ASCENDC_EVENT(V, M)
                ASCENDC_EVENT(V, V) ASCENDC_EVENT(MTE3, MTE1) ASCENDC_EVENT(MTE1, MTE3) ASCENDC_EVENT(MTE1, V)
                    ASCENDC_EVENT(MTE2, M) ASCENDC_EVENT(M, MTE2) ASCENDC_EVENT(V, MTE1) ASCENDC_EVENT(M, FIX)
                        ASCENDC_EVENT(FIX, M) ASCENDC_EVENT(MTE3, MTE2) ASCENDC_EVENT(MTE2, MTE3) ASCENDC_EVENT(S, V)
                            ASCENDC_EVENT(V, S) ASCENDC_EVENT(S, MTE2) ASCENDC_EVENT(MTE2, S) ASCENDC_EVENT(S, MTE3)
                                ASCENDC_EVENT(MTE3, S) ASCENDC_EVENT(MTE2, FIX) ASCENDC_EVENT(FIX, MTE2)
                                    ASCENDC_EVENT(FIX, S) ASCENDC_EVENT(M, S) ASCENDC_EVENT(FIX, MTE3)
                                        ASCENDC_EVENT(MTE1, FIX) ASCENDC_EVENT(FIX, MTE1) ASCENDC_EVENT(FIX, FIX)
                                            ASCENDC_EVENT(S, M) ASCENDC_EVENT(S, MTE1) ASCENDC_EVENT(MTE1, S)
                                                ASCENDC_EVENT(S, FIX) ASCENDC_EVENT(FIX, V) ASCENDC_EVENT(V, FIX)
                                                    ASCENDC_EVENT(M, MTE3) ASCENDC_EVENT(MTE3, M)
                                                        ASCENDC_EVENT(MTE3, FIX)
#undef ASCENDC_EVENT
                                                            default : return {P::S, P::S};
    }
}

}  // namespace detail

template <HardEvent event>
inline void SetFlag(int32_t eventID, Site site = Here())
{
    constexpr detail::EventPipes pipes = detail::PipesOf(event);
    machine::RecordSetFlag(pipes.from, pipes.to, eventID, "SetFlag", site);
}

template <HardEvent event>
inline void WaitFlag(int32_t eventID, Site site = Here())
{
    constexpr detail::EventPipes pipes = detail::PipesOf(event);
    machine::RecordWaitFlag(pipes.from, pipes.to, eventID, "WaitFlag", site);
}

template <pipe_t pipe>
inline void PipeBarrier(Site site = Here())
{
    static_assert(pipe != PIPE_S, "PipeBarrier<PIPE_S> does not exist: S runs its instructions one after the other");
    if constexpr (pipe == PIPE_ALL) {
        machine::RecordBarrierAll(site);
    } else {
        machine::RecordBarrier(detail::PipeOf(pipe), site);
    }
}

template <uint8_t modeId, pipe_t pipe>
inline void CrossCoreSetFlag(uint16_t flagId, Site site = Here())
{
    static_assert(modeId <= 2, "CrossCoreSetFlag: the CPU model has modes 0, 1 and 2");
    static_assert(pipe != PIPE_S && pipe != PIPE_ALL, "CrossCoreSetFlag takes V, M, MTE1, MTE2, MTE3 or FIX");
    machine::RecordCrossSet(modeId, detail::PipeOf(pipe), flagId, site);
}

/// Holds back everything that the core issues later. On 2201 mode and pipe have no effect.
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
inline void CrossCoreWaitFlag(uint16_t flagId, Site site = Here())
{
    machine::RecordCrossWait(flagId, site);
}

/// The base address of cross-core synchronisation, which the hardware needs and the model does not.
inline void SetSyncBaseAddr(uint64_t) {}

inline int64_t GetBlockIdx()
{
    return machine::BlockIdx();
}
inline int64_t GetBlockNum()
{
    return machine::BlockNum();
}
inline int64_t GetSubBlockIdx()
{
    return machine::SubBlockIdx();
}
inline int64_t GetSubBlockNum()
{
    return machine::SubBlockNum();
}
/// Vector cores per cube core.
inline int64_t GetTaskRation()
{
    return machine::SubBlockNum();
}
inline int64_t GetTaskRatio()
{
    return machine::SubBlockNum();
}

}  // namespace AscendC

#endif  // EVTGEN_ASCENDC_SYNC_H
