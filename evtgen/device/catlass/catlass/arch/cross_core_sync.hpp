// Flags between the cube core and its vector cores.
#ifndef CATLASS_ARCH_CROSS_CORE_SYNC_HPP
#define CATLASS_ARCH_CROSS_CORE_SYNC_HPP

#include "catlass/catlass.hpp"

namespace Catlass::Arch {

/// A flag counts to 15. A core that sets it without ever waiting would overflow the counter and hang the device, so
/// the "with reverse" pair below answers once per this many sets.
constexpr uint32_t MAX_REVERSE_DEPTH = 15;

using FlagID = uint16_t;
constexpr FlagID AIV_INTER_BLOCK_BARRIER = 8;
constexpr FlagID AIC_INTER_BLOCK_BARRIER = 9;
constexpr FlagID AIV_INTER_SUBBLOCK_BARRIER = 10;
constexpr FlagID FFTS_MAX_FLAG = 7;

struct CrossCoreFlag {
    CATLASS_DEVICE CrossCoreFlag(FlagID id_ = 0) : id(id_) {}

    FlagID id;
};

template <uint32_t REVERSE_DEPTH_ = MAX_REVERSE_DEPTH> struct CrossCoreFlagWithReverse {
    CATLASS_DEVICE CrossCoreFlagWithReverse() : CrossCoreFlagWithReverse(0, 0) {}
    CATLASS_DEVICE CrossCoreFlagWithReverse(FlagID id_, FlagID reverseId_) : id(id_), reverseId(reverseId_) {}

    FlagID id;
    FlagID reverseId;
    uint32_t count{0};
};

/// The cores wait for each other: in mode 0 all of their kind, in mode 1 the vector cores of a group.
template <uint8_t MODE, pipe_t PIPE> CATLASS_DEVICE void CrossCoreBarrier()
{
    static_assert(MODE <= 1, "the other modes are between cores of different kinds");
    constexpr FlagID ALL = g_coreType == AscendC::AIC ? AIC_INTER_BLOCK_BARRIER : AIV_INTER_BLOCK_BARRIER;
    constexpr FlagID ID = MODE == 0 ? ALL : AIV_INTER_SUBBLOCK_BARRIER;
    AscendC::CrossCoreSetFlag<MODE, PIPE>(ID);
    AscendC::CrossCoreWaitFlag(ID);
}

template <uint8_t MODE, pipe_t PIPE> CATLASS_DEVICE void CrossCoreSetFlag(CrossCoreFlag &flag)
{
    AscendC::CrossCoreSetFlag<MODE, PIPE>(flag.id);
}

CATLASS_DEVICE void CrossCoreWaitFlag(CrossCoreFlag &flag)
{
    AscendC::CrossCoreWaitFlag(flag.id);
}

template <uint8_t MODE, pipe_t PIPE, uint32_t REVERSE_DEPTH>
CATLASS_DEVICE void CrossCoreSetFlagWithReverse(CrossCoreFlagWithReverse<REVERSE_DEPTH> &flag)
{
    AscendC::CrossCoreSetFlag<MODE, PIPE>(flag.id);
    flag.count += 1;
    if (flag.count >= REVERSE_DEPTH) {
        flag.count = 0;
        AscendC::CrossCoreWaitFlag(flag.reverseId);
    }
}

template <uint8_t MODE, pipe_t PIPE, uint32_t REVERSE_DEPTH>
CATLASS_DEVICE void CrossCoreWaitFlagWithReverse(CrossCoreFlagWithReverse<REVERSE_DEPTH> &flag)
{
    AscendC::CrossCoreWaitFlag(flag.id);
    flag.count += 1;
    if (flag.count >= REVERSE_DEPTH) {
        flag.count = 0;
        AscendC::CrossCoreSetFlag<MODE, PIPE>(flag.reverseId);
    }
}

}  // namespace Catlass::Arch

#endif  // CATLASS_ARCH_CROSS_CORE_SYNC_HPP
