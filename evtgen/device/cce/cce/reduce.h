// Reductions of a repeat, a data block or a pair of lanes, and broadcasting elements over data blocks.
#pragma once

#include "../../machine/reduce.hpp"
#include "../../machine/select.hpp"
#include "registers.h"

namespace cce {

constexpr machine::ReduceResult ResultOf(Order_t order)
{
    switch (order) {
        case Order_t::VALUE_INDEX: return machine::ReduceResult::ValueIndex;
        case Order_t::INDEX_VALUE: return machine::ReduceResult::IndexValue;
        case Order_t::ONLY_VALUE: return machine::ReduceResult::Value;
        default: return machine::ReduceResult::Index;
    }
}

/// Where the vector unit keeps the sum of everything.
inline void* SumRegister()
{
    constexpr uint64_t offset = 32;
    return machine::LocalAddress(machine::Space::VREG, offset, kArch.SizeOf(machine::Space::VREG));
}

/// `unit`: results that the stride between two repeats counts.
template <machine::Op op, class T>
void Reduce(
    machine::Reduction reduction, machine::ReduceGroup group, machine::ReduceResult result, T* dst, T* src,
    uint64_t repeat, uint64_t dstRepeatStride, uint64_t unit, uint64_t srcBlockStride, uint64_t srcRepeatStride,
    Site site)
{
    static_assert(machine::Holds<T>::In(kArch.Takes(op)), "the reduction does not take this element type");
    machine::RecordReduce(
        machine::InfoOf(op).name, reduction, group, result, machine::kElementTypeOf<T>, Ub(dst),
        static_cast<uint32_t>(dstRepeatStride * unit * machine::ResultBytes(result, sizeof(T))),
        Ub(src, srcBlockStride, srcRepeatStride), Chosen(repeat, sizeof(T)), site);
}

}  // namespace cce

/// `accumulate` puts the sum of everything into a register instead, for get_acc_val.
template <class T>
inline void vcadd(
    T* dst, T* src, uint8_t repeat, uint16_t dstRepeatStride, uint16_t srcBlockStride, uint16_t srcRepeatStride,
    bool accumulate, cce::Site site = cce::Here())
{
    if (accumulate) {
        cce::registers.sumBytes = sizeof(T);
        machine::RecordReduceAll(
            "ReduceSum", machine::Reduction::Sum, false, machine::kElementTypeOf<T>, {cce::SumRegister(), sizeof(T)},
            cce::Ub(src, srcBlockStride, srcRepeatStride), {}, 0, cce::Chosen(repeat, sizeof(T)), site);
        return;
    }
    cce::Reduce<machine::Op::WholeReduceSum>(
        machine::Reduction::Sum, machine::ReduceGroup::Repeat, machine::ReduceResult::Value, dst, src, repeat,
        dstRepeatStride, 1, srcBlockStride, srcRepeatStride, site);
}

inline int64_t get_acc_val(cce::Site site = cce::Here())
{
    return static_cast<int64_t>(
        machine::ReadScalar(machine::Bytes(machine::Space::VREG, cce::SumRegister(), cce::registers.sumBytes), site));
}

#define EVTGEN_CCE_EXTREME(name, op, reduction)                                                                      \
    template <class T>                                                                                               \
    inline void name(                                                                                                \
        T* dst, T* src, uint8_t repeat, uint16_t dstRepeatStride, uint16_t srcBlockStride, uint16_t srcRepeatStride, \
        Order_t order, cce::Site site = cce::Here())                                                                 \
    {                                                                                                                \
        cce::Reduce<machine::Op::op>(                                                                                \
            machine::Reduction::reduction, machine::ReduceGroup::Repeat, cce::ResultOf(order), dst, src, repeat,     \
            dstRepeatStride, 1, srcBlockStride, srcRepeatStride, site);                                              \
    }
EVTGEN_CCE_EXTREME(vcmax, WholeReduceMax, Max)
EVTGEN_CCE_EXTREME(vcmin, WholeReduceMin, Min)
#undef EVTGEN_CCE_EXTREME

#define EVTGEN_CCE_GROUP(name, op, reduction, group, unit)                                                           \
    template <class T>                                                                                               \
    inline void name(                                                                                                \
        T* dst, T* src, uint8_t repeat, uint16_t dstRepeatStride, uint16_t srcBlockStride, uint16_t srcRepeatStride, \
        cce::Site site = cce::Here())                                                                                \
    {                                                                                                                \
        cce::Reduce<machine::Op::op>(                                                                                \
            machine::Reduction::reduction, machine::ReduceGroup::group, machine::ReduceResult::Value, dst, src,      \
            repeat, dstRepeatStride, unit, srcBlockStride, srcRepeatStride, site);                                   \
    }
EVTGEN_CCE_GROUP(vcgadd, BlockReduceSum, Sum, Block, 8)
EVTGEN_CCE_GROUP(vcgmax, BlockReduceMax, Max, Block, 8)
EVTGEN_CCE_GROUP(vcgmin, BlockReduceMin, Min, Block, 8)
EVTGEN_CCE_GROUP(vcpadd, PairReduceSum, Sum, Pair, 128 / sizeof(T))
#undef EVTGEN_CCE_GROUP

/// Each of eight elements per repeat fills a data block.
template <class T>
inline void vbrcb(
    T* dst, T* src, uint16_t dstBlockStride, uint16_t dstRepeatStride, uint8_t repeat, cce::Site site = cce::Here())
{
    machine::RecordBroadcastBlocks(
        "Brcb", cce::Ub(dst, dstBlockStride == 0 ? 1 : dstBlockStride, dstRepeatStride), cce::Ub(src), repeat, site);
}
