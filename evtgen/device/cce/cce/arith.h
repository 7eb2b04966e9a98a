// Vector arithmetic: v<operation>(dst, sources, repeat, block strides, repeat strides), strides in data blocks.
#pragma once

#include "registers.h"

namespace cce {

template <machine::Op op, class T> machine::ArithFn Function()
{
    static_assert(machine::Holds<T>::In(kArch.Takes(op)), "the instruction does not take this element type");
    return machine::FindArith(op, machine::kElementTypeOf<T>);
}

template <machine::Op op, class T>
void Arith(Operand const& dst, Operand const& a, Operand const& b, uint64_t scalar, uint64_t repeat, Site site)
{
    machine::RecordArith(op, Function<op, T>(), dst, a, b, scalar, Chosen(repeat, sizeof(T)), site);
}

}  // namespace cce

#define EVTGEN_CCE_BINARY(name, op)                                                                           \
    template <class T>                                                                                        \
    inline void name(                                                                                         \
        T* dst, T* src0, T* src1, uint8_t repeat, uint8_t dstBlockStride, uint8_t src0BlockStride,            \
        uint8_t src1BlockStride, uint8_t dstRepeatStride, uint8_t src0RepeatStride, uint8_t src1RepeatStride, \
        cce::Site site = cce::Here())                                                                         \
    {                                                                                                         \
        cce::Arith<machine::Op::op, T>(                                                                       \
            cce::Ub(dst, dstBlockStride, dstRepeatStride), cce::Ub(src0, src0BlockStride, src0RepeatStride),  \
            cce::Ub(src1, src1BlockStride, src1RepeatStride), 0, repeat, site);                               \
    }
EVTGEN_CCE_BINARY(vadd, Add)
EVTGEN_CCE_BINARY(vsub, Sub)
EVTGEN_CCE_BINARY(vmul, Mul)
EVTGEN_CCE_BINARY(vdiv, Div)
EVTGEN_CCE_BINARY(vmax, Max)
EVTGEN_CCE_BINARY(vmin, Min)
EVTGEN_CCE_BINARY(vand, And)
EVTGEN_CCE_BINARY(vor, Or)
EVTGEN_CCE_BINARY(vaddrelu, AddRelu)
EVTGEN_CCE_BINARY(vsubrelu, SubRelu)
EVTGEN_CCE_BINARY(vmadd, FusedMulAdd)
EVTGEN_CCE_BINARY(vmaddrelu, FusedMulAddRelu)
#undef EVTGEN_CCE_BINARY

/// dst += src0 * src1, also with a float destination for half sources.
template <class D, class S>
inline void vmla(
    D* dst, S* src0, S* src1, uint8_t repeat, uint8_t dstBlockStride, uint8_t src0BlockStride, uint8_t src1BlockStride,
    uint8_t dstRepeatStride, uint8_t src0RepeatStride, uint8_t src1RepeatStride, cce::Site site = cce::Here())
{
    constexpr bool mixed = !std::is_same_v<D, S>;
    static_assert(!mixed || (std::is_same_v<D, float> && std::is_same_v<S, half>), "vmla does not mix these types");
    machine::RecordArith(
        machine::Op::MulAddDst,
        mixed ? machine::FindMixed(machine::Op::MulAddDst, machine::kElementTypeOf<D>, machine::kElementTypeOf<S>)
              : cce::Function<machine::Op::MulAddDst, D>(),
        cce::Ub(dst, dstBlockStride, dstRepeatStride), cce::Ub(src0, src0BlockStride, src0RepeatStride),
        cce::Ub(src1, src1BlockStride, src1RepeatStride), 0, cce::Chosen(repeat, sizeof(D)), site);
}

#define EVTGEN_CCE_UNARY(name, op)                                                                                 \
    template <class T>                                                                                             \
    inline void name(                                                                                              \
        T* dst, T* src, uint8_t repeat, uint16_t dstBlockStride, uint16_t srcBlockStride, uint8_t dstRepeatStride, \
        uint8_t srcRepeatStride, cce::Site site = cce::Here())                                                     \
    {                                                                                                              \
        cce::Arith<machine::Op::op, T>(                                                                            \
            cce::Ub(dst, dstBlockStride, dstRepeatStride), cce::Ub(src, srcBlockStride, srcRepeatStride), {}, 0,   \
            repeat, site);                                                                                         \
    }
EVTGEN_CCE_UNARY(vrelu, Relu)
EVTGEN_CCE_UNARY(vabs, Abs)
EVTGEN_CCE_UNARY(vexp, Exp)
EVTGEN_CCE_UNARY(vln, Ln)
EVTGEN_CCE_UNARY(vsqrt, Sqrt)
EVTGEN_CCE_UNARY(vrsqrt, Rsqrt)
EVTGEN_CCE_UNARY(vrec, Reciprocal)
EVTGEN_CCE_UNARY(vnot, Not)
#undef EVTGEN_CCE_UNARY

/// The last: parameters after the strides, which have no meaning on this architecture.
#define EVTGEN_CCE_SCALAR(name, op, ...)                                                                      \
    template <class T>                                                                                        \
    inline void name(                                                                                         \
        T* dst, T* src, std::common_type_t<T> scalar, uint8_t repeat, uint16_t dstBlockStride,                \
        uint16_t srcBlockStride, uint16_t dstRepeatStride, uint16_t srcRepeatStride __VA_ARGS__,              \
        cce::Site site = cce::Here())                                                                         \
    {                                                                                                         \
        cce::Arith<machine::Op::op, T>(                                                                       \
            cce::Ub(dst, dstBlockStride, dstRepeatStride), cce::Ub(src, srcBlockStride, srcRepeatStride), {}, \
            machine::ScalarBits(scalar), repeat, site);                                                       \
    }
#define EVTGEN_CCE_COMMA ,
EVTGEN_CCE_SCALAR(vadds, Adds)
EVTGEN_CCE_SCALAR(vmuls, Muls)
EVTGEN_CCE_SCALAR(vmaxs, Maxs, EVTGEN_CCE_COMMA bool EVTGEN_CCE_COMMA bool)
EVTGEN_CCE_SCALAR(vmins, Mins, EVTGEN_CCE_COMMA bool EVTGEN_CCE_COMMA bool)
EVTGEN_CCE_SCALAR(vlrelu, LeakyRelu)
#undef EVTGEN_CCE_COMMA
#undef EVTGEN_CCE_SCALAR

/// dst += src * scalar, also with a float destination for a half source.
template <class D, class S>
inline void vaxpy(
    D* dst, S* src, std::common_type_t<S> scalar, uint8_t repeat, uint16_t dstBlockStride, uint16_t srcBlockStride,
    uint8_t dstRepeatStride, uint8_t srcRepeatStride, cce::Site site = cce::Here())
{
    constexpr bool mixed = !std::is_same_v<D, S>;
    static_assert(!mixed || (std::is_same_v<D, float> && std::is_same_v<S, half>), "vaxpy does not mix these types");
    machine::RecordArith(
        machine::Op::Axpy,
        mixed ? machine::FindMixed(machine::Op::Axpy, machine::kElementTypeOf<D>, machine::kElementTypeOf<S>)
              : cce::Function<machine::Op::Axpy, D>(),
        cce::Ub(dst, dstBlockStride, dstRepeatStride), cce::Ub(src, srcBlockStride, srcRepeatStride), {},
        machine::ScalarBits(scalar), cce::Chosen(repeat, sizeof(D)), site);
}

template <class T>
inline void vshl(
    T* dst, T* src, uint32_t distance, uint8_t repeat, uint16_t dstBlockStride, uint16_t srcBlockStride,
    uint16_t dstRepeatStride, uint16_t srcRepeatStride, cce::Site site = cce::Here())
{
    cce::Arith<machine::Op::ShiftLeft, T>(
        cce::Ub(dst, dstBlockStride, dstRepeatStride), cce::Ub(src, srcBlockStride, srcRepeatStride), {},
        machine::ScalarBits(static_cast<T>(distance)), repeat, site);
}

/// `round`: adds the last bit that is shifted out.
template <class T>
inline void vshr(
    T* dst, T* src, int32_t distance, uint8_t repeat, uint16_t dstBlockStride, uint16_t srcBlockStride,
    uint16_t dstRepeatStride, uint16_t srcRepeatStride, bool round, cce::Site site = cce::Here())
{
    if (round) {
        machine::RefuseParameter("ShiftRight", "the model does not round shifts", site);
        return;
    }
    cce::Arith<machine::Op::ShiftRight, T>(
        cce::Ub(dst, dstBlockStride, dstRepeatStride), cce::Ub(src, srcBlockStride, srcRepeatStride), {},
        machine::ScalarBits(static_cast<T>(distance)), repeat, site);
}

/// dst = scalar. The source's strides have no meaning.
template <class T>
inline void vector_dup(
    T* dst, std::common_type_t<T> scalar, uint64_t repeat, uint16_t dstBlockStride, uint16_t, uint16_t dstRepeatStride,
    uint16_t, cce::Site site = cce::Here())
{
    cce::registers.filled = dst;
    cce::registers.filling = machine::ScalarBits(scalar);
    cce::Arith<machine::Op::Duplicate, T>(
        cce::Ub(dst, dstBlockStride, dstRepeatStride), {}, {}, machine::ScalarBits(scalar), repeat, site);
}

/// dst = src, by the mask.
template <class T>
inline void vcopy(
    T* dst, T* src, uint8_t repeat, uint16_t dstBlockStride, uint16_t srcBlockStride, uint16_t dstRepeatStride,
    uint16_t srcRepeatStride, cce::Site site = cce::Here())
{
    machine::RecordMove(
        machine::Op::Copy, cce::Function<machine::Op::Copy, T>(), cce::Ub(dst, dstBlockStride, dstRepeatStride),
        cce::Ub(src, srcBlockStride, srcRepeatStride), cce::Chosen(repeat, sizeof(T)), repeat, site);
}
