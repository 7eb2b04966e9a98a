// Walking the lanes of a vector instruction, one by one or in contiguous runs.
#pragma once

#include <algorithm>

#include "vector.hpp"

namespace machine {

/// The byte of an operand at an offset; null if the operand has no data.
inline uint8_t* At(Operand const& operand, uint64_t offset)
{
    return operand.data == nullptr ? nullptr : static_cast<uint8_t*>(operand.data) + offset;
}

/// Byte offset of element `e` of repeat `r` of an operand.
inline uint64_t LaneOffset(Operand const& operand, uint32_t r, uint32_t e)
{
    if (operand.size == 0) { return 0; }
    uint32_t const perBlock = kBlockBytes / operand.size;
    return (uint64_t{r} * operand.repeatStride + uint64_t{e / perBlock} * operand.blockStride) * kBlockBytes
           + uint64_t{e % perBlock} * operand.size;
}

/// Elements from `e` on that lie next to each other in the operand.
inline uint32_t LaneRun(Operand const& operand, uint32_t e, uint32_t left)
{
    if (operand.size == 0 || operand.blockStride == 1) { return left; }
    uint32_t const perBlock = kBlockBytes / operand.size;
    return std::min(left, perBlock - e % perBlock);
}

/// Calls f(number of the lane, offsets of its element in dst, a and b) for each active lane.
template <class F> void ForEachLane(Lanes const& lanes, Operand const& dst, Operand const& a, Operand const& b, F&& f)
{
    if (lanes.repeat == 0) {
        for (uint64_t i = 0; i < lanes.count; ++i) { f(i, i * dst.size, i * a.size, i * b.size); }
        return;
    }
    for (uint32_t r = 0; r < lanes.repeat; ++r) {
        for (uint32_t e = 0; e < lanes.perRepeat; ++e) {
            if (lanes.Has(r, e)) {
                f(uint64_t{r} * lanes.perRepeat + e, LaneOffset(dst, r, e), LaneOffset(a, r, e), LaneOffset(b, r, e));
            }
        }
    }
}

/// Calls f(offsets in dst, a and b, elements) for each run of lanes whose elements lie next to each other in all three.
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
            while (end < lanes.perRepeat && chosen(end)) { ++end; }
            while (e < end) {
                uint32_t const n = LaneRun(dst, e, LaneRun(a, e, LaneRun(b, e, end - e)));
                f(LaneOffset(dst, r, e), LaneOffset(a, r, e), LaneOffset(b, r, e), size_t{n});
                e += n;
            }
        }
    }
}

}  // namespace machine
