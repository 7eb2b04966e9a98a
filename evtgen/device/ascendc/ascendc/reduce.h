// Reductions: over a tensor, a repeat, a data block, or pairs of lanes.
#ifndef EVTGEN_ASCENDC_REDUCE_H
#define EVTGEN_ASCENDC_REDUCE_H

#include "../../machine/reduce.hpp"
#include "arith.h"

namespace AscendC {

enum class ReduceType : uint8_t { IS_REDUCE_SUM = 0, IS_REDUCE_MAX, IS_REDUCE_MIN };

namespace detail {

using machine::ReduceGroup;
using machine::ReduceResult;
using machine::Reduction;

template <Op op, typename T>
void Reduce(
    Reduction reduction, ReduceGroup group, ReduceResult result, LocalTensor<T> const& dst, uint32_t dstStride,
    LocalTensor<T> const& src, Lanes const& lanes, int32_t srcBlkStride, int32_t srcRepStride, Site site)
{
    static_assert(Takes<op, T>(), "this reduction does not take this element type on this architecture");
    machine::RecordReduce(
        machine::InfoOf(op).name, reduction, group, result, machine::ElementTypeOf<T>::value, In(dst), dstStride,
        In(src, static_cast<uint32_t>(srcBlkStride), static_cast<uint32_t>(srcRepStride)), lanes, site);
}

inline ReduceResult ResultOf(ReduceOrder order)
{
    switch (order) {
        case ReduceOrder::ORDER_VALUE_INDEX:
            return ReduceResult::ValueIndex;
        case ReduceOrder::ORDER_INDEX_VALUE:
            return ReduceResult::IndexValue;
        case ReduceOrder::ORDER_ONLY_VALUE:
            return ReduceResult::Value;
        case ReduceOrder::ORDER_ONLY_INDEX:
            break;
    }
    return ReduceResult::Index;
}

/// Scratch elements that a two-step reduction uses: one or two per repeat, in whole data blocks (ReduceMax page).
template <typename T>
uint32_t ScratchBytes(uint64_t repeats, uint32_t perRepeat)
{
    uint64_t const bytes = repeats * perRepeat * sizeof(T);
    return static_cast<uint32_t>((bytes + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE * ONE_BLK_SIZE);
}

template <Op op, typename T>
void ReduceAll(
    Reduction reduction, bool withIndex, LocalTensor<T> const& dst, LocalTensor<T> const& src,
    LocalTensor<T> const& tmp, uint32_t scratch, Lanes const& lanes, int32_t srcRepStride, Site site)
{
    static_assert(Takes<op, T>(), "this reduction does not take this element type on this architecture");
    machine::RecordReduceAll(
        machine::InfoOf(op).name, reduction, withIndex, machine::ElementTypeOf<T>::value, In(dst),
        In(src, 1, static_cast<uint32_t>(srcRepStride)), In(tmp), scratch, lanes, site);
}

}  // namespace detail

template <typename T, bool isSetMask = true>
inline void ReduceSum(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, const int32_t count,
    Site site = Here())
{
    detail::ReduceAll<detail::Op::ReduceSum>(
        detail::Reduction::Sum, false, dst, src, sharedTmpBuffer, 0, detail::Lanes::Count(count), 8, site);
}

template <typename T>
inline void ReduceSum(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, const uint64_t mask[],
    const int32_t repeatTime, const int32_t srcRepStride, Site site = Here())
{
    detail::ReduceAll<detail::Op::ReduceSum>(
        detail::Reduction::Sum, false, dst, src, sharedTmpBuffer,
        detail::ScratchBytes<T>(static_cast<uint64_t>(repeatTime), 1),
        detail::Lanes::Masked(mask, static_cast<uint32_t>(repeatTime), sizeof(T)), srcRepStride, site);
}

template <typename T>
inline void ReduceSum(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, const int32_t mask,
    const int32_t repeatTime, const int32_t srcRepStride, Site site = Here())
{
    detail::ReduceAll<detail::Op::ReduceSum>(
        detail::Reduction::Sum, false, dst, src, sharedTmpBuffer,
        detail::ScratchBytes<T>(static_cast<uint64_t>(repeatTime), 1),
        detail::Lanes::First(static_cast<uint64_t>(mask), static_cast<uint32_t>(repeatTime), sizeof(T)), srcRepStride,
        site);
}

#define ASCENDC_REDUCE_EXTREME(Name, reduction)                                                                   \
    template <typename T>                                                                                         \
    inline void Name(                                                                                             \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,              \
        const int32_t count, bool calIndex = 0, Site site = Here())                                               \
    {                                                                                                             \
        detail::Lanes const lanes = detail::Lanes::Count(count);                                                  \
        detail::ReduceAll<detail::Op::Name>(                                                                      \
            reduction, calIndex, dst, src, sharedTmpBuffer, detail::ScratchBytes<T>(lanes.Repeats(sizeof(T)), 2), \
            lanes, 8, site);                                                                                      \
    }                                                                                                             \
    template <typename T>                                                                                         \
    inline void Name(                                                                                             \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,              \
        const uint64_t mask[], const int32_t repeatTime, const int32_t srcRepStride, bool calIndex = 0,           \
        Site site = Here())                                                                                       \
    {                                                                                                             \
        detail::ReduceAll<detail::Op::Name>(                                                                      \
            reduction, calIndex, dst, src, sharedTmpBuffer,                                                       \
            detail::ScratchBytes<T>(static_cast<uint64_t>(repeatTime), 2),                                        \
            detail::Lanes::Masked(mask, static_cast<uint32_t>(repeatTime), sizeof(T)), srcRepStride, site);       \
    }                                                                                                             \
    template <typename T>                                                                                         \
    inline void Name(                                                                                             \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,              \
        const int32_t mask, const int32_t repeatTime, const int32_t srcRepStride, bool calIndex = 0,              \
        Site site = Here())                                                                                       \
    {                                                                                                             \
        detail::ReduceAll<detail::Op::Name>(                                                                      \
            reduction, calIndex, dst, src, sharedTmpBuffer,                                                       \
            detail::ScratchBytes<T>(static_cast<uint64_t>(repeatTime), 2),                                        \
            detail::Lanes::First(static_cast<uint64_t>(mask), static_cast<uint32_t>(repeatTime), sizeof(T)),      \
            srcRepStride, site);                                                                                  \
    }

ASCENDC_REDUCE_EXTREME(ReduceMax, detail::Reduction::Max)
ASCENDC_REDUCE_EXTREME(ReduceMin, detail::Reduction::Min)
#undef ASCENDC_REDUCE_EXTREME

// Per repeat: one result. dstRepStride counts results (elements; pairs where value and index are written).
template <typename T, bool isSetMask = true>
inline void WholeReduceSum(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t mask, const int32_t repeatTime,
    const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride, Site site = Here())
{
    detail::Reduce<detail::Op::WholeReduceSum>(
        detail::Reduction::Sum, detail::ReduceGroup::Repeat, detail::ReduceResult::Value, dst,
        static_cast<uint32_t>(dstRepStride) * sizeof(T), src,
        detail::FirstLanes<isSetMask>(static_cast<uint64_t>(mask), static_cast<uint32_t>(repeatTime), sizeof(T)),
        srcBlkStride, srcRepStride, site);
}

template <typename T, bool isSetMask = true>
inline void WholeReduceSum(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[], const int32_t repeatTime,
    const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride, Site site = Here())
{
    detail::Reduce<detail::Op::WholeReduceSum>(
        detail::Reduction::Sum, detail::ReduceGroup::Repeat, detail::ReduceResult::Value, dst,
        static_cast<uint32_t>(dstRepStride) * sizeof(T), src,
        detail::BitLanes<isSetMask>(mask, static_cast<uint32_t>(repeatTime), sizeof(T)), srcBlkStride, srcRepStride,
        site);
}

/// The same with repeat count and mask exchanged.
template <typename T, bool isSetMask = true>
inline void RepeatReduceSum(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime, const int32_t mask,
    const int32_t dstBlkStride, const int32_t srcBlkStride, const int32_t dstRepStride, const int32_t srcRepStride,
    Site site = Here())
{
    (void)dstBlkStride;  // documented as having no effect: one element per repeat is written
    detail::Reduce<detail::Op::RepeatReduceSum>(
        detail::Reduction::Sum, detail::ReduceGroup::Repeat, detail::ReduceResult::Value, dst,
        static_cast<uint32_t>(dstRepStride) * sizeof(T), src,
        detail::FirstLanes<isSetMask>(static_cast<uint64_t>(mask), static_cast<uint32_t>(repeatTime), sizeof(T)),
        srcBlkStride, srcRepStride, site);
}

#define ASCENDC_WHOLE_EXTREME(Name, reduction)                                                                        \
    template <typename T, bool isSetMask = true>                                                                      \
    inline void Name(                                                                                                 \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t mask, const int32_t repeatTime,           \
        const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,                           \
        ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, Site site = Here())                                       \
    {                                                                                                                 \
        detail::ReduceResult const result = detail::ResultOf(order);                                                  \
        detail::Reduce<detail::Op::Name>(                                                                             \
            reduction, detail::ReduceGroup::Repeat, result, dst,                                                      \
            static_cast<uint32_t>(dstRepStride) * machine::ResultBytes(result, sizeof(T)), src,                       \
            detail::FirstLanes<isSetMask>(static_cast<uint64_t>(mask), static_cast<uint32_t>(repeatTime), sizeof(T)), \
            srcBlkStride, srcRepStride, site);                                                                        \
    }                                                                                                                 \
    template <typename T, bool isSetMask = true>                                                                      \
    inline void Name(                                                                                                 \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[], const int32_t repeatTime,        \
        const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,                           \
        ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, Site site = Here())                                       \
    {                                                                                                                 \
        detail::ReduceResult const result = detail::ResultOf(order);                                                  \
        detail::Reduce<detail::Op::Name>(                                                                             \
            reduction, detail::ReduceGroup::Repeat, result, dst,                                                      \
            static_cast<uint32_t>(dstRepStride) * machine::ResultBytes(result, sizeof(T)), src,                       \
            detail::BitLanes<isSetMask>(mask, static_cast<uint32_t>(repeatTime), sizeof(T)), srcBlkStride,            \
            srcRepStride, site);                                                                                      \
    }

ASCENDC_WHOLE_EXTREME(WholeReduceMax, detail::Reduction::Max)
ASCENDC_WHOLE_EXTREME(WholeReduceMin, detail::Reduction::Min)
#undef ASCENDC_WHOLE_EXTREME

// Per data block: eight results per repeat; dstRepStride counts those eight. Per pair: half as many as there are lanes.
#define ASCENDC_GROUP_REDUCE(Name, reduction, group, resultsPerRepeat)                                                \
    template <typename T, bool isSetMask = true>                                                                      \
    inline void Name(                                                                                                 \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime, const int32_t mask,           \
        const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride, Site site = Here())       \
    {                                                                                                                 \
        detail::Reduce<detail::Op::Name>(                                                                             \
            reduction, detail::ReduceGroup::group, detail::ReduceResult::Value, dst,                                  \
            static_cast<uint32_t>(dstRepStride) * (resultsPerRepeat) * sizeof(T), src,                                \
            detail::FirstLanes<isSetMask>(static_cast<uint64_t>(mask), static_cast<uint32_t>(repeatTime), sizeof(T)), \
            srcBlkStride, srcRepStride, site);                                                                        \
    }                                                                                                                 \
    template <typename T, bool isSetMask = true>                                                                      \
    inline void Name(                                                                                                 \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime, const uint64_t mask[],        \
        const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride, Site site = Here())       \
    {                                                                                                                 \
        detail::Reduce<detail::Op::Name>(                                                                             \
            reduction, detail::ReduceGroup::group, detail::ReduceResult::Value, dst,                                  \
            static_cast<uint32_t>(dstRepStride) * (resultsPerRepeat) * sizeof(T), src,                                \
            detail::BitLanes<isSetMask>(mask, static_cast<uint32_t>(repeatTime), sizeof(T)), srcBlkStride,            \
            srcRepStride, site);                                                                                      \
    }

ASCENDC_GROUP_REDUCE(BlockReduceSum, detail::Reduction::Sum, Block, 8)
ASCENDC_GROUP_REDUCE(BlockReduceMax, detail::Reduction::Max, Block, 8)
ASCENDC_GROUP_REDUCE(BlockReduceMin, detail::Reduction::Min, Block, 8)
ASCENDC_GROUP_REDUCE(PairReduceSum, detail::Reduction::Sum, Pair, 128 / sizeof(T))
#undef ASCENDC_GROUP_REDUCE

}  // namespace AscendC

#endif  // EVTGEN_ASCENDC_REDUCE_H
