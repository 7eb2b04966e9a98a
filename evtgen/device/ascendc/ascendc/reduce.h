// Reductions: over a tensor, a repeat, a data block, or pairs of lanes.
#ifndef EVTGEN_ASCENDC_REDUCE_H
#define EVTGEN_ASCENDC_REDUCE_H

#include "../../machine/reduce.hpp"
#include "../../machine/registers.hpp"
#include "arith.h"

namespace AscendC {

enum class ReduceType { NONE = -1, SUM = 0, MAX, MIN };

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

template <ReduceType type>
constexpr Reduction ReductionOf()
{
    static_assert(type != ReduceType::NONE, "the reduction is SUM, MAX or MIN");
    return type == ReduceType::SUM ? Reduction::Sum : type == ReduceType::MAX ? Reduction::Max : Reduction::Min;
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

/// The result of the last ReduceSum of `count` elements; S waits for it.
template <typename T>
inline T GetReduceRepeatSumSpr()
{
    static_assert(detail::IsOneOf<T, half, float>, "GetReduceRepeatSumSpr: half or float");
    return detail::FromBits<T>(machine::SettledRegisters().sum);
}
/// The older name.
template <typename T>
inline T GetAccVal()
{
    return GetReduceRepeatSumSpr<T>();
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

// The newer names: one per group of lanes, the reduction as a template argument. A sum has no index.
#define ASCENDC_REDUCE_REPEAT(MaskType, MakeLanes)                                                          \
    template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>                         \
    inline void ReduceRepeat(                                                                               \
        const LocalTensor<T>& dst, const LocalTensor<U>& src, MaskType, const int32_t repeatTime,           \
        const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,                 \
        ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, Site site = Here())                             \
    {                                                                                                       \
        static_assert(std::is_same_v<T, U>, "ReduceRepeat: source and destination have one element type");  \
        detail::ReduceResult const result =                                                                 \
            reduceType == ReduceType::SUM ? detail::ReduceResult::Value : detail::ResultOf(order);          \
        detail::Reduce<detail::Op::ReduceRepeat>(                                                           \
            detail::ReductionOf<reduceType>(), detail::ReduceGroup::Repeat, result, dst,                    \
            static_cast<uint32_t>(dstRepStride) * machine::ResultBytes(result, sizeof(T)), src,             \
            detail::MakeLanes<isSetMask>(mask, static_cast<uint32_t>(repeatTime), sizeof(T)), srcBlkStride, \
            srcRepStride, site);                                                                            \
    }
ASCENDC_REDUCE_REPEAT(const int32_t mask, FirstLanes)
ASCENDC_REDUCE_REPEAT(const uint64_t mask[], BitLanes)
#undef ASCENDC_REDUCE_REPEAT

#define ASCENDC_REDUCE_GROUP(Name, group, resultsPerRepeat, MaskType, MakeLanes)                                \
    template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>                             \
    inline void Name(                                                                                           \
        const LocalTensor<T>& dst, const LocalTensor<U>& src, MaskType, const int32_t repeatTime,               \
        const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride, Site site = Here()) \
    {                                                                                                           \
        static_assert(std::is_same_v<T, U>, #Name ": source and destination have one element type");            \
        static_assert(                                                                                          \
            detail::ReduceGroup::group != detail::ReduceGroup::Pair || reduceType == ReduceType::SUM,           \
            #Name " has the sum only");                                                                         \
        detail::Reduce<detail::Op::Name>(                                                                       \
            detail::ReductionOf<reduceType>(), detail::ReduceGroup::group, detail::ReduceResult::Value, dst,    \
            static_cast<uint32_t>(dstRepStride) * (resultsPerRepeat) * sizeof(T), src,                          \
            detail::MakeLanes<isSetMask>(mask, static_cast<uint32_t>(repeatTime), sizeof(T)), srcBlkStride,     \
            srcRepStride, site);                                                                                \
    }
ASCENDC_REDUCE_GROUP(ReduceDataBlock, Block, 8, const int32_t mask, FirstLanes)
ASCENDC_REDUCE_GROUP(ReduceDataBlock, Block, 8, const uint64_t mask[], BitLanes)
ASCENDC_REDUCE_GROUP(ReducePairElem, Pair, ONE_REPEAT_BYTE_SIZE / sizeof(T) / 2, const int32_t mask, FirstLanes)
ASCENDC_REDUCE_GROUP(ReducePairElem, Pair, ONE_REPEAT_BYTE_SIZE / sizeof(T) / 2, const uint64_t mask[], BitLanes)
#undef ASCENDC_REDUCE_GROUP

}  // namespace AscendC

#endif  // EVTGEN_ASCENDC_REDUCE_H
