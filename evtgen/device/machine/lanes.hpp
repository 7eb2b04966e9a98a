// Walking the lanes of a vector instruction in contiguous runs.
#ifndef EVTGEN_MACHINE_LANES_HPP
#define EVTGEN_MACHINE_LANES_HPP

#include <algorithm>

#include "vector.hpp"

namespace machine {

/// Byte offset of element `e` of repeat `r` of an operand.
inline uint64_t LaneOffset(Operand const& operand, uint32_t r, uint32_t e)
{
    if (operand.size == 0) {
        return 0;
    }
    uint32_t const perBlock = kBlockBytes / operand.size;
    return (uint64_t{r} * operand.repeatStride + uint64_t{e / perBlock} * operand.blockStride) * kBlockBytes
           + uint64_t{e % perBlock} * operand.size;
}

/// Elements from `e` on that lie next to each other in the operand.
inline uint32_t LaneRun(Operand const& operand, uint32_t e, uint32_t left)
{
    if (operand.size == 0 || operand.blockStride == 1) {
        return left;
    }
    uint32_t const perBlock = kBlockBytes / operand.size;
    return std::min(left, perBlock - e % perBlock);
}

template <class F>
void ForEachLaneRun(Lanes const& lanes, Operand const& dst, Operand const& a, Operand const& b, F&& f)
{
    if (lanes.repeat == 0) {
        f(uint64_t{0}, uint64_t{0}, uint64_t{0}, size_t{lanes.count});
        return;
    }
    for (uint32_t r = 0; r < lanes.repeat; ++r) {
        auto const chosen = [&lanes, r](uint32_t e) { return lanes.Has(r, e); };
        uint32_t e = 0;
        while (e < lanes.perRepeat) {
            if (!chosen(e)) {
                ++e;
                continue;
            }
            uint32_t end = e + 1;
            while (end < lanes.perRepeat && chosen(end)) {
                ++end;
            }
            while (e < end) {
                uint32_t const n = LaneRun(dst, e, LaneRun(a, e, LaneRun(b, e, end - e)));
                f(LaneOffset(dst, r, e), LaneOffset(a, r, e), LaneOffset(b, r, e), size_t{n});
                e += n;
            }
        }
    }
}

}  // namespace machine

#endif  // EVTGEN_MACHINE_LANES_HPP
