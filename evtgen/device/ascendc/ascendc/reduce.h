// Reductions: over a tensor, a repeat, a data block, or pairs of lanes.
#pragma once

#include "../../machine/reduce.hpp"
#include "../../machine/registers.hpp"
#include "arith.h"

namespace AscendC {

enum class ReduceType { NONE = -1, SUM = 0, MAX, MIN };

namespace detail {

using machine::ReduceGroup;
using machine::ReduceResult;
using machine::Reduction;

/// Results of a repeat. A stride between two repeats counts so many.
template <typename T> constexpr uint32_t ResultsOf(ReduceGroup group)
{
    return group == ReduceGroup::Repeat ? 1 : group == ReduceGroup::Block ? 8 : ONE_REPEAT_BYTE_SIZE / 2 / sizeof(T);
}

/// One result, or pair of a value and its index, per group of lanes.
template <Op op, bool isSetMask, typename T, typename Mask>
void Reduce(
    Reduction reduction, ReduceGroup group, ReduceResult result, LocalTensor<T> const& dst, LocalTensor<T> const& src,
    Mask mask, int32_t repeatTime, int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride, Site site)
{
    static_assert(Takes<op, T>(), "this reduction does not take this element type on this architecture");
    machine::RecordReduce(
        machine::InfoOf(op).name, reduction, group, result, kElementTypeOf<T>, In(dst),
        static_cast<uint32_t>(dstRepStride) * ResultsOf<T>(group) * machine::ResultBytes(result, sizeof(T)),
        In(src, static_cast<uint32_t>(srcBlkStride), static_cast<uint32_t>(srcRepStride)),
        LanesOf<isSetMask>(mask, static_cast<uint32_t>(repeatTime), sizeof(T)), site);
}

template <ReduceType type> constexpr Reduction ReductionOf()
{
    static_assert(type != ReduceType::NONE, "the reduction is SUM, MAX or MIN");
    return type == ReduceType::SUM ? Reduction::Sum : type == ReduceType::MAX ? Reduction::Max : Reduction::Min;
}

inline ReduceResult ResultOf(ReduceOrder order)
{
    switch (order) {
        case ReduceOrder::ORDER_VALUE_INDEX: return ReduceResult::ValueIndex;
        case ReduceOrder::ORDER_INDEX_VALUE: return ReduceResult::IndexValue;
        case ReduceOrder::ORDER_ONLY_VALUE: return ReduceResult::Value;
        case ReduceOrder::ORDER_ONLY_INDEX: break;
    }
    return ReduceResult::Index;
}

/// Scratch elements that a two-step reduction uses: one or two per repeat, in whole data blocks (ReduceMax page).
template <typename T> uint32_t ScratchBytes(uint64_t repeats, uint32_t perRepeat)
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
        machine::InfoOf(op).name, reduction, withIndex, machine::kElementTypeOf<T>, In(dst),
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

template <typename T, typename Mask>
inline void ReduceSum(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, Mask mask,
    const int32_t repeatTime, const int32_t srcRepStride, Site site = Here())
{
    detail::ReduceAll<detail::Op::ReduceSum>(
        detail::Reduction::Sum, false, dst, src, sharedTmpBuffer,
        detail::ScratchBytes<T>(static_cast<uint64_t>(repeatTime), 1),
        detail::LanesOf(mask, static_cast<uint32_t>(repeatTime), sizeof(T)), srcRepStride, site);
}

/// The result of the last ReduceSum of `count` elements; S waits for it.
template <typename T> inline T GetReduceRepeatSumSpr()
{
    static_assert(detail::IsOneOf<T, half, float>, "GetReduceRepeatSumSpr: half or float");
    return detail::FromBits<T>(machine::SettledRegisters().sum);
}
/// The older name.
template <typename T> inline T GetAccVal() { return GetReduceRepeatSumSpr<T>(); }

#define ASCENDC_REDUCE_EXTREME(Name, reduction)                                                                 \
    template <typename T>                                                                                       \
    inline void Name(                                                                                           \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,            \
        const int32_t count, bool calIndex = 0, Site site = Here())                                             \
    {                                                                                                           \
        detail::Lanes const lanes = detail::Lanes::Count(count);                                                \
        detail::ReduceAll<detail::Op::Name>(                                                                    \
            detail::Reduction::reduction, calIndex, dst, src, sharedTmpBuffer,                                  \
            detail::ScratchBytes<T>(lanes.Repeats(sizeof(T)), 2), lanes, 8, site);                              \
    }                                                                                                           \
    template <typename T, typename Mask>                                                                        \
    inline void Name(                                                                                           \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, Mask mask, \
        const int32_t repeatTime, const int32_t srcRepStride, bool calIndex = 0, Site site = Here())            \
    {                                                                                                           \
        detail::ReduceAll<detail::Op::Name>(                                                                    \
            detail::Reduction::reduction, calIndex, dst, src, sharedTmpBuffer,                                  \
            detail::ScratchBytes<T>(static_cast<uint64_t>(repeatTime), 2),                                      \
            detail::LanesOf(mask, static_cast<uint32_t>(repeatTime), sizeof(T)), srcRepStride, site);           \
    }
ASCENDC_REDUCE_EXTREME(ReduceMax, Max)
ASCENDC_REDUCE_EXTREME(ReduceMin, Min)
#undef ASCENDC_REDUCE_EXTREME

// Per repeat: one result. dstRepStride counts results (elements; pairs where value and index are written).
template <typename T, bool isSetMask = true, typename Mask>
inline void WholeReduceSum(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, Mask mask, const int32_t repeatTime,
    const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride, Site site = Here())
{
    detail::Reduce<detail::Op::WholeReduceSum, isSetMask>(
        detail::Reduction::Sum, detail::ReduceGroup::Repeat, detail::ReduceResult::Value, dst, src, mask, repeatTime,
        dstRepStride, srcBlkStride, srcRepStride, site);
}

/// The same with repeat count and mask exchanged. dstBlkStride has no effect: one element per repeat is written.
template <typename T, bool isSetMask = true>
inline void RepeatReduceSum(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime, const int32_t mask,
    const int32_t /*dstBlkStride*/, const int32_t srcBlkStride, const int32_t dstRepStride, const int32_t srcRepStride,
    Site site = Here())
{
    detail::Reduce<detail::Op::RepeatReduceSum, isSetMask>(
        detail::Reduction::Sum, detail::ReduceGroup::Repeat, detail::ReduceResult::Value, dst, src, mask, repeatTime,
        dstRepStride, srcBlkStride, srcRepStride, site);
}

#define ASCENDC_WHOLE_EXTREME(Name, reduction)                                                                  \
    template <typename T, bool isSetMask = true, typename Mask>                                                 \
    inline void Name(                                                                                           \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, Mask mask, const int32_t repeatTime,              \
        const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,                     \
        ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, Site site = Here())                                 \
    {                                                                                                           \
        detail::Reduce<detail::Op::Name, isSetMask>(                                                            \
            detail::Reduction::reduction, detail::ReduceGroup::Repeat, detail::ResultOf(order), dst, src, mask, \
            repeatTime, dstRepStride, srcBlkStride, srcRepStride, site);                                        \
    }
ASCENDC_WHOLE_EXTREME(WholeReduceMax, Max)
ASCENDC_WHOLE_EXTREME(WholeReduceMin, Min)
#undef ASCENDC_WHOLE_EXTREME

// Per data block: eight results per repeat. Per pair: half as many as there are lanes.
#define ASCENDC_GROUP_REDUCE(Name, reduction, group)                                                               \
    template <typename T, bool isSetMask = true, typename Mask>                                                    \
    inline void Name(                                                                                              \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime, Mask mask,                 \
        const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride, Site site = Here())    \
    {                                                                                                              \
        detail::Reduce<detail::Op::Name, isSetMask>(                                                               \
            detail::Reduction::reduction, detail::ReduceGroup::group, detail::ReduceResult::Value, dst, src, mask, \
            repeatTime, dstRepStride, srcBlkStride, srcRepStride, site);                                           \
    }
ASCENDC_GROUP_REDUCE(BlockReduceSum, Sum, Block)
ASCENDC_GROUP_REDUCE(BlockReduceMax, Max, Block)
ASCENDC_GROUP_REDUCE(BlockReduceMin, Min, Block)
ASCENDC_GROUP_REDUCE(PairReduceSum, Sum, Pair)
#undef ASCENDC_GROUP_REDUCE

// The newer names: one per group of lanes, the reduction as a template argument. A sum has no index.
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true, typename Mask>
inline void ReduceRepeat(
    const LocalTensor<T>& dst, const LocalTensor<U>& src, Mask mask, const int32_t repeatTime,
    const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,
    ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, Site site = Here())
{
    static_assert(std::is_same_v<T, U>, "ReduceRepeat: source and destination have one element type");
    detail::Reduce<detail::Op::ReduceRepeat, isSetMask>(
        detail::ReductionOf<reduceType>(), detail::ReduceGroup::Repeat,
        reduceType == ReduceType::SUM ? detail::ReduceResult::Value : detail::ResultOf(order), dst, src, mask,
        repeatTime, dstRepStride, srcBlkStride, srcRepStride, site);
}

#define ASCENDC_REDUCE_GROUP(Name, group)                                                                         \
    template <ReduceType reduceType, typename T, typename U, bool isSetMask = true, typename Mask>                \
    inline void Name(                                                                                             \
        const LocalTensor<T>& dst, const LocalTensor<U>& src, Mask mask, const int32_t repeatTime,                \
        const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride, Site site = Here())   \
    {                                                                                                             \
        static_assert(std::is_same_v<T, U>, #Name ": source and destination have one element type");              \
        static_assert(                                                                                            \
            detail::ReduceGroup::group != detail::ReduceGroup::Pair || reduceType == ReduceType::SUM,             \
            #Name " has the sum only");                                                                           \
        detail::Reduce<detail::Op::Name, isSetMask>(                                                              \
            detail::ReductionOf<reduceType>(), detail::ReduceGroup::group, detail::ReduceResult::Value, dst, src, \
            mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, site);                                    \
    }
ASCENDC_REDUCE_GROUP(ReduceDataBlock, Block)
ASCENDC_REDUCE_GROUP(ReducePairElem, Pair)
#undef ASCENDC_REDUCE_GROUP

}  // namespace AscendC
