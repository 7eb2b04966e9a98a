// Vector arithmetic: every call in its count form and in its two mask forms.
#ifndef EVTGEN_ASCENDC_ARITH_H
#define EVTGEN_ASCENDC_ARITH_H

#include "../../machine/vector.hpp"
#include "mask.h"
#include "tensor.h"

namespace AscendC {

namespace detail {

using machine::Lanes;
using machine::Op;
using machine::Operand;

template <typename T>
Operand In(LocalTensor<T> const& tensor, uint32_t blockStride = 1, uint32_t repeatStride = 8)
{
    return {tensor.GetPhyAddr(), sizeof(T), static_cast<uint16_t>(blockStride), static_cast<uint16_t>(repeatStride)};
}

/// Cycles per repeat: 1 for simple operations, 4 (assumed) for those that iterate.
constexpr uint32_t WeightOf(Op op)
{
    bool const iterates =
        op == Op::Div || op == Op::Exp || op == Op::Ln || op == Op::Sqrt || op == Op::Rsqrt || op == Op::Reciprocal;
    return iterates ? 4 : 1;
}

template <Op op, typename T>
void Arith(
    char const* name, Operand const& dst, Operand const& a, Operand const& b, uint64_t scalar, Lanes const& lanes,
    Site site, bool readsDst = false)
{
    machine::RecordArith(
        name, machine::FindArith(op, machine::ElementTypeOf<T>::value), dst, a, b, scalar, lanes, readsDst, site,
        WeightOf(op), op == Op::And || op == Op::Or || op == Op::Not);
}

// Element types per call and architecture (basic arithmetic pages).
#if CATLASS_ARCH == 3510
template <typename T>
constexpr bool kTakesArith = IsOneOf<T, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>;
template <typename T>
constexpr bool kTakesScalarArith = IsOneOf<T, int16_t, half, bfloat16_t, int32_t, float>;
#else
template <typename T>
constexpr bool kTakesArith = IsOneOf<T, int16_t, half, int32_t, float>;
template <typename T>
constexpr bool kTakesScalarArith = IsOneOf<T, int16_t, half, int32_t, float>;
#endif
template <typename T>
constexpr bool kTakesFloat = IsOneOf<T, half, float>;
template <typename T>
constexpr bool kTakesRelu = IsOneOf<T, half, int32_t, float>;
template <typename T>
constexpr bool kTakesAddRelu = IsOneOf<T, int16_t, half, float>;
template <typename T>
constexpr bool kTakesBits = IsOneOf<T, int16_t, uint16_t>;
template <typename T>
constexpr bool kTakesShift = IsOneOf<T, int16_t, uint16_t, int32_t, uint32_t>;
template <typename T>
constexpr bool kTakesMove = IsOneOf<T, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>;

}  // namespace detail

#define ASCENDC_BINARY(Name, takes)                                                                                    \
    template <typename T>                                                                                              \
    inline void Name(                                                                                                  \
        const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const int32_t& count,       \
        Site site = Here())                                                                                            \
    {                                                                                                                  \
        static_assert(detail::takes<T>, #Name " does not take this element type on this architecture");                \
        detail::Arith<detail::Op::Name, T>(                                                                            \
            #Name, detail::In(dst), detail::In(src0), detail::In(src1), 0, detail::Lanes::Count(count), site);         \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    inline void Name(                                                                                                  \
        const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask[],            \
        const uint8_t repeatTime, const BinaryRepeatParams& p, Site site = Here())                                     \
    {                                                                                                                  \
        static_assert(detail::takes<T>, #Name " does not take this element type on this architecture");                \
        detail::Arith<detail::Op::Name, T>(                                                                            \
            #Name, detail::In(dst, p.dstBlkStride, p.dstRepStride),                                                    \
            detail::In(src0, p.src0BlkStride, p.src0RepStride), detail::In(src1, p.src1BlkStride, p.src1RepStride), 0, \
            detail::BitLanes<isSetMask>(mask, repeatTime, sizeof(T)), site);                                           \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    inline void Name(                                                                                                  \
        const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask,              \
        const uint8_t repeatTime, const BinaryRepeatParams& p, Site site = Here())                                     \
    {                                                                                                                  \
        static_assert(detail::takes<T>, #Name " does not take this element type on this architecture");                \
        detail::Arith<detail::Op::Name, T>(                                                                            \
            #Name, detail::In(dst, p.dstBlkStride, p.dstRepStride),                                                    \
            detail::In(src0, p.src0BlkStride, p.src0RepStride), detail::In(src1, p.src1BlkStride, p.src1RepStride), 0, \
            detail::FirstLanes<isSetMask>(mask, repeatTime, sizeof(T)), site);                                         \
    }

#define ASCENDC_UNARY(Name, takes)                                                                                   \
    template <typename T>                                                                                            \
    inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count, Site site = Here()) \
    {                                                                                                                \
        static_assert(detail::takes<T>, #Name " does not take this element type on this architecture");              \
        detail::Arith<detail::Op::Name, T>(                                                                          \
            #Name, detail::In(dst), detail::In(src), {}, 0, detail::Lanes::Count(count), site);                      \
    }                                                                                                                \
    template <typename T, bool isSetMask = true>                                                                     \
    inline void Name(                                                                                                \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask[], const uint8_t repeatTime,             \
        const UnaryRepeatParams& p, Site site = Here())                                                              \
    {                                                                                                                \
        static_assert(detail::takes<T>, #Name " does not take this element type on this architecture");              \
        detail::Arith<detail::Op::Name, T>(                                                                          \
            #Name, detail::In(dst, p.dstBlkStride, p.dstRepStride), detail::In(src, p.srcBlkStride, p.srcRepStride), \
            {}, 0, detail::BitLanes<isSetMask>(mask, repeatTime, sizeof(T)), site);                                  \
    }                                                                                                                \
    template <typename T, bool isSetMask = true>                                                                     \
    inline void Name(                                                                                                \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, const uint8_t repeatTime,               \
        const UnaryRepeatParams& p, Site site = Here())                                                              \
    {                                                                                                                \
        static_assert(detail::takes<T>, #Name " does not take this element type on this architecture");              \
        detail::Arith<detail::Op::Name, T>(                                                                          \
            #Name, detail::In(dst, p.dstBlkStride, p.dstRepStride), detail::In(src, p.srcBlkStride, p.srcRepStride), \
            {}, 0, detail::FirstLanes<isSetMask>(mask, repeatTime, sizeof(T)), site);                                \
    }

#define ASCENDC_SCALAR(Name, takes)                                                                                  \
    template <typename T, bool isSetMask = true>                                                                     \
    inline void Name(                                                                                                \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, const int32_t& count,            \
        Site site = Here())                                                                                          \
    {                                                                                                                \
        static_assert(detail::takes<T>, #Name " does not take this element type on this architecture");              \
        detail::Arith<detail::Op::Name, T>(                                                                          \
            #Name, detail::In(dst), detail::In(src), {}, machine::ScalarBits(scalarValue),                           \
            detail::Lanes::Count(count), site);                                                                      \
    }                                                                                                                \
    template <typename T, bool isSetMask = true>                                                                     \
    inline void Name(                                                                                                \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask[],                 \
        const uint8_t repeatTime, const UnaryRepeatParams& p, Site site = Here())                                    \
    {                                                                                                                \
        static_assert(detail::takes<T>, #Name " does not take this element type on this architecture");              \
        detail::Arith<detail::Op::Name, T>(                                                                          \
            #Name, detail::In(dst, p.dstBlkStride, p.dstRepStride), detail::In(src, p.srcBlkStride, p.srcRepStride), \
            {}, machine::ScalarBits(scalarValue), detail::BitLanes<isSetMask>(mask, repeatTime, sizeof(T)), site);   \
    }                                                                                                                \
    template <typename T, bool isSetMask = true>                                                                     \
    inline void Name(                                                                                                \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask,                   \
        const uint8_t repeatTime, const UnaryRepeatParams& p, Site site = Here())                                    \
    {                                                                                                                \
        static_assert(detail::takes<T>, #Name " does not take this element type on this architecture");              \
        detail::Arith<detail::Op::Name, T>(                                                                          \
            #Name, detail::In(dst, p.dstBlkStride, p.dstRepStride), detail::In(src, p.srcBlkStride, p.srcRepStride), \
            {}, machine::ScalarBits(scalarValue), detail::FirstLanes<isSetMask>(mask, repeatTime, sizeof(T)), site); \
    }

ASCENDC_BINARY(Add, kTakesArith)
ASCENDC_BINARY(Sub, kTakesArith)
ASCENDC_BINARY(Mul, kTakesArith)
ASCENDC_BINARY(Div, kTakesFloat)
ASCENDC_BINARY(Max, kTakesArith)
ASCENDC_BINARY(Min, kTakesArith)
ASCENDC_BINARY(And, kTakesBits)
ASCENDC_BINARY(Or, kTakesBits)
ASCENDC_BINARY(AddRelu, kTakesAddRelu)
ASCENDC_BINARY(SubRelu, kTakesAddRelu)

ASCENDC_UNARY(Relu, kTakesRelu)
ASCENDC_UNARY(Abs, kTakesFloat)
ASCENDC_UNARY(Exp, kTakesFloat)
ASCENDC_UNARY(Ln, kTakesFloat)
ASCENDC_UNARY(Sqrt, kTakesFloat)
ASCENDC_UNARY(Rsqrt, kTakesFloat)
ASCENDC_UNARY(Reciprocal, kTakesFloat)
ASCENDC_UNARY(Not, kTakesBits)

ASCENDC_SCALAR(Adds, kTakesScalarArith)
ASCENDC_SCALAR(Muls, kTakesScalarArith)
ASCENDC_SCALAR(Maxs, kTakesScalarArith)
ASCENDC_SCALAR(Mins, kTakesScalarArith)
ASCENDC_SCALAR(LeakyRelu, kTakesFloat)
ASCENDC_SCALAR(ShiftLeft, kTakesShift)
ASCENDC_SCALAR(ShiftRight, kTakesShift)

#undef ASCENDC_BINARY
#undef ASCENDC_UNARY
#undef ASCENDC_SCALAR

/// Fills `count` elements with one value.
template <typename T>
inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const int32_t& count, Site site = Here())
{
    static_assert(detail::kTakesMove<T>, "Duplicate does not take this element type on this architecture");
    detail::Arith<detail::Op::Fill, T>(
        "Duplicate", detail::In(dst), {}, {}, machine::ScalarBits(scalarValue), detail::Lanes::Count(count), site);
}

template <typename T, bool isSetMask = true>
inline void Duplicate(
    const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask[], const uint8_t repeatTime,
    const uint16_t dstBlockStride, const uint8_t dstRepeatStride, Site site = Here())
{
    static_assert(detail::kTakesMove<T>, "Duplicate does not take this element type on this architecture");
    detail::Arith<detail::Op::Fill, T>(
        "Duplicate", detail::In(dst, dstBlockStride, dstRepeatStride), {}, {}, machine::ScalarBits(scalarValue),
        detail::BitLanes<isSetMask>(mask, repeatTime, sizeof(T)), site);
}

template <typename T, bool isSetMask = true>
inline void Duplicate(
    const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask, const uint8_t repeatTime,
    const uint16_t dstBlockStride, const uint8_t dstRepeatStride, Site site = Here())
{
    static_assert(detail::kTakesMove<T>, "Duplicate does not take this element type on this architecture");
    detail::Arith<detail::Op::Fill, T>(
        "Duplicate", detail::In(dst, dstBlockStride, dstRepeatStride), {}, {}, machine::ScalarBits(scalarValue),
        detail::FirstLanes<isSetMask>(mask, repeatTime, sizeof(T)), site);
}

/// Within UB, by mask and repeats: strides of blocks and of repeats are free, and a repeat stride of 0 reads one row
/// again.
template <typename T, bool isSetMask = true>
inline void Copy(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[], const uint8_t repeatTime,
    const CopyRepeatParams& p, Site site = Here())
{
    static_assert(detail::kTakesMove<T>, "Copy does not take this element type on this architecture");
    detail::Arith<detail::Op::Copy, T>(
        "Copy", detail::In(dst, p.dstStride, p.dstRepeatSize), detail::In(src, p.srcStride, p.srcRepeatSize), {}, 0,
        detail::BitLanes<isSetMask>(mask, repeatTime, sizeof(T)), site);
}

template <typename T, bool isSetMask = true>
inline void Copy(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask, const uint8_t repeatTime,
    const CopyRepeatParams& p, Site site = Here())
{
    static_assert(detail::kTakesMove<T>, "Copy does not take this element type on this architecture");
    detail::Arith<detail::Op::Copy, T>(
        "Copy", detail::In(dst, p.dstStride, p.dstRepeatSize), detail::In(src, p.srcStride, p.srcRepeatSize), {}, 0,
        detail::FirstLanes<isSetMask>(mask, repeatTime, sizeof(T)), site);
}

}  // namespace AscendC

#endif  // EVTGEN_ASCENDC_ARITH_H
