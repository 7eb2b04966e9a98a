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
    return {
        AddressOf(tensor), sizeof(T), static_cast<uint16_t>(blockStride), static_cast<uint16_t>(repeatStride),
        tensor.Buffer()};
}

/// The forms of a call: with a count, or with a mask and repeats.
enum class Form : uint8_t { Count, Repeats };

/// Whether the call takes elements of type T on this architecture in that form.
template <Op op, typename T, Form form = Form::Repeats>
constexpr bool Takes()
{
    return machine::Holds<T>::In(form == Form::Count ? kArch.TakesByCount(op) : kArch.Takes(op));
}

template <Op op, typename T>
void Arith(Operand const& dst, Operand const& a, Operand const& b, uint64_t scalar, Lanes const& lanes, Site site)
{
    machine::RecordArith(op, machine::FindArith(op, machine::ElementTypeOf<T>::value), dst, a, b, scalar, lanes, site);
}

template <typename T>
struct ElementOfTensor {};
template <typename T>
struct ElementOfTensor<LocalTensor<T>> {
    using Type = T;
};
template <typename T, class = void>
inline constexpr bool kIsTensor = false;
template <typename T>
inline constexpr bool kIsTensor<T, std::void_t<typename ElementOfTensor<T>::Type>> = true;

/// A tensor and a number, in either order.
template <Op op, Form form, typename T, typename S, typename V>
void Flexible(
    LocalTensor<T> const& dst, S const& src0, V const& src1, Lanes const& lanes, UnaryRepeatParams const& p, Site site)
{
    static_assert(Takes<op, T, form>(), "this call does not take this element type on this architecture");
    static_assert(kIsTensor<S> || kIsTensor<V>, "one of the operands is a tensor");
    static_assert(!kIsTensor<S> || !kIsTensor<V>, "the model has no tensor whose first element is the number");
    Operand const to = In(dst, p.dstBlkStride, p.dstRepStride);
    constexpr machine::ElementType type = machine::ElementTypeOf<T>::value;
    if constexpr (kIsTensor<S>) {
        uint64_t const number = machine::ScalarBits(static_cast<T>(src1));
        Operand const from = In(src0, p.srcBlkStride, p.srcRepStride);
        machine::RecordArith(op, machine::FindArith(op, type), to, from, {}, number, lanes, site);
    } else {
        uint64_t const number = machine::ScalarBits(static_cast<T>(src0));
        Operand const from = In(src1, p.srcBlkStride, p.srcRepStride);
        machine::RecordArith(op, machine::FindReversed(op, type), to, from, {}, number, lanes, site);
    }
}

}  // namespace detail

/// Reserved: the operands say their types.
struct BinaryDefaultType {};
/// Which operand is a number that stands in a tensor.
struct BinaryConfig {
    int8_t scalarTensorIndex = 1;
};
inline constexpr BinaryConfig DEFAULT_BINARY_CONFIG = {1};

#define ASCENDC_Binary(Name)                                                                                      \
    template <typename T>                                                                                         \
    inline void Name(                                                                                             \
        const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const int32_t& count,  \
        Site site = Here())                                                                                       \
    {                                                                                                             \
        static_assert(                                                                                            \
            detail::Takes<detail::Op::Name, T, detail::Form::Count>(),                                            \
            #Name " does not take this element type on this architecture");                                       \
        detail::Arith<detail::Op::Name, T>(                                                                       \
            detail::In(dst), detail::In(src0), detail::In(src1), 0, detail::Lanes::Count(count), site);           \
    }                                                                                                             \
    template <typename T, bool isSetMask = true>                                                                  \
    inline void Name(                                                                                             \
        const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask[],       \
        const uint8_t repeatTime, const BinaryRepeatParams& p, Site site = Here())                                \
    {                                                                                                             \
        static_assert(                                                                                            \
            detail::Takes<detail::Op::Name, T>(), #Name " does not take this element type on this architecture"); \
        detail::Arith<detail::Op::Name, T>(                                                                       \
            detail::In(dst, p.dstBlkStride, p.dstRepStride), detail::In(src0, p.src0BlkStride, p.src0RepStride),  \
            detail::In(src1, p.src1BlkStride, p.src1RepStride), 0,                                                \
            detail::BitLanes<isSetMask>(mask, repeatTime, sizeof(T)), site);                                      \
    }                                                                                                             \
    template <typename T, bool isSetMask = true>                                                                  \
    inline void Name(                                                                                             \
        const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask,         \
        const uint8_t repeatTime, const BinaryRepeatParams& p, Site site = Here())                                \
    {                                                                                                             \
        static_assert(                                                                                            \
            detail::Takes<detail::Op::Name, T>(), #Name " does not take this element type on this architecture"); \
        detail::Arith<detail::Op::Name, T>(                                                                       \
            detail::In(dst, p.dstBlkStride, p.dstRepStride), detail::In(src0, p.src0BlkStride, p.src0RepStride),  \
            detail::In(src1, p.src1BlkStride, p.src1RepStride), 0,                                                \
            detail::FirstLanes<isSetMask>(mask, repeatTime, sizeof(T)), site);                                    \
    }

#define ASCENDC_Unary(Name)                                                                                          \
    template <typename T>                                                                                            \
    inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count, Site site = Here()) \
    {                                                                                                                \
        static_assert(                                                                                               \
            detail::Takes<detail::Op::Name, T, detail::Form::Count>(),                                               \
            #Name " does not take this element type on this architecture");                                          \
        detail::Arith<detail::Op::Name, T>(                                                                          \
            detail::In(dst), detail::In(src), {}, 0, detail::Lanes::Count(count), site);                             \
    }                                                                                                                \
    template <typename T, bool isSetMask = true>                                                                     \
    inline void Name(                                                                                                \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask[], const uint8_t repeatTime,             \
        const UnaryRepeatParams& p, Site site = Here())                                                              \
    {                                                                                                                \
        static_assert(                                                                                               \
            detail::Takes<detail::Op::Name, T>(), #Name " does not take this element type on this architecture");    \
        detail::Arith<detail::Op::Name, T>(                                                                          \
            detail::In(dst, p.dstBlkStride, p.dstRepStride), detail::In(src, p.srcBlkStride, p.srcRepStride), {}, 0, \
            detail::BitLanes<isSetMask>(mask, repeatTime, sizeof(T)), site);                                         \
    }                                                                                                                \
    template <typename T, bool isSetMask = true>                                                                     \
    inline void Name(                                                                                                \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, const uint8_t repeatTime,               \
        const UnaryRepeatParams& p, Site site = Here())                                                              \
    {                                                                                                                \
        static_assert(                                                                                               \
            detail::Takes<detail::Op::Name, T>(), #Name " does not take this element type on this architecture");    \
        detail::Arith<detail::Op::Name, T>(                                                                          \
            detail::In(dst, p.dstBlkStride, p.dstRepStride), detail::In(src, p.srcBlkStride, p.srcRepStride), {}, 0, \
            detail::FirstLanes<isSetMask>(mask, repeatTime, sizeof(T)), site);                                       \
    }

#define ASCENDC_Scalar(Name)                                                                                      \
    template <typename T, bool isSetMask = true>                                                                  \
    inline void Name(                                                                                             \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, const int32_t& count,         \
        Site site = Here())                                                                                       \
    {                                                                                                             \
        static_assert(                                                                                            \
            detail::Takes<detail::Op::Name, T, detail::Form::Count>(),                                            \
            #Name " does not take this element type on this architecture");                                       \
        detail::Arith<detail::Op::Name, T>(                                                                       \
            detail::In(dst), detail::In(src), {}, machine::ScalarBits(scalarValue), detail::Lanes::Count(count),  \
            site);                                                                                                \
    }                                                                                                             \
    template <typename T, bool isSetMask = true>                                                                  \
    inline void Name(                                                                                             \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask[],              \
        const uint8_t repeatTime, const UnaryRepeatParams& p, Site site = Here())                                 \
    {                                                                                                             \
        static_assert(                                                                                            \
            detail::Takes<detail::Op::Name, T>(), #Name " does not take this element type on this architecture"); \
        detail::Arith<detail::Op::Name, T>(                                                                       \
            detail::In(dst, p.dstBlkStride, p.dstRepStride), detail::In(src, p.srcBlkStride, p.srcRepStride), {}, \
            machine::ScalarBits(scalarValue), detail::BitLanes<isSetMask>(mask, repeatTime, sizeof(T)), site);    \
    }                                                                                                             \
    template <typename T, bool isSetMask = true>                                                                  \
    inline void Name(                                                                                             \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask,                \
        const uint8_t repeatTime, const UnaryRepeatParams& p, Site site = Here())                                 \
    {                                                                                                             \
        static_assert(                                                                                            \
            detail::Takes<detail::Op::Name, T>(), #Name " does not take this element type on this architecture"); \
        detail::Arith<detail::Op::Name, T>(                                                                       \
            detail::In(dst, p.dstBlkStride, p.dstRepStride), detail::In(src, p.srcBlkStride, p.srcRepStride), {}, \
            machine::ScalarBits(scalarValue), detail::FirstLanes<isSetMask>(mask, repeatTime, sizeof(T)), site);  \
    }

#define ASCENDC_Flexible(Name)                                                                                        \
    template <                                                                                                        \
        typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG,    \
        typename U, typename S, typename V>                                                                           \
    inline void Name(const U& dst, const S& src0, const V& src1, const int32_t& count, Site site = Here())            \
    {                                                                                                                 \
        detail::Flexible<detail::Op::Name, detail::Form::Count>(                                                      \
            dst, src0, src1, detail::Lanes::Count(count), {}, site);                                                  \
    }                                                                                                                 \
    template <                                                                                                        \
        typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG,    \
        typename U, typename S, typename V>                                                                           \
    inline void Name(                                                                                                 \
        const U& dst, const S& src0, const V& src1, uint64_t mask[], const uint8_t repeatTime,                        \
        const UnaryRepeatParams& p, Site site = Here())                                                               \
    {                                                                                                                 \
        detail::Flexible<detail::Op::Name, detail::Form::Repeats>(                                                    \
            dst, src0, src1, detail::BitLanes<isSetMask>(mask, repeatTime, sizeof(typename U::PrimType)), p, site);   \
    }                                                                                                                 \
    template <                                                                                                        \
        typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG,    \
        typename U, typename S, typename V>                                                                           \
    inline void Name(                                                                                                 \
        const U& dst, const S& src0, const V& src1, uint64_t mask, const uint8_t repeatTime,                          \
        const UnaryRepeatParams& p, Site site = Here())                                                               \
    {                                                                                                                 \
        detail::Flexible<detail::Op::Name, detail::Form::Repeats>(                                                    \
            dst, src0, src1, detail::FirstLanes<isSetMask>(mask, repeatTime, sizeof(typename U::PrimType)), p, site); \
    }

// Silu is in activation.h; Duplicate and Copy are below, calls that accumulate in fused.h.
#define ASCENDC_Function(Name)
#define ASCENDC_Fill(Name)
#define ASCENDC_Move(Name)
#define ASCENDC_Accumulate(Name)
#define ASCENDC_AccumulateScalar(Name)
#define EVT_ARITH(name, shape, domain, price, value, host) ASCENDC_##shape(name)
#define EVT_CALL(name)
#include "../../machine/calls.def"
#undef EVT_ARITH
#undef EVT_CALL
#undef ASCENDC_Unary
#undef ASCENDC_Binary
#undef ASCENDC_Scalar
#undef ASCENDC_Flexible
#undef ASCENDC_Function
#undef ASCENDC_Fill
#undef ASCENDC_Move
#undef ASCENDC_Accumulate
#undef ASCENDC_AccumulateScalar

/// Fills `count` elements with one value.
template <typename T>
inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const int32_t& count, Site site = Here())
{
    static_assert(
        detail::Takes<detail::Op::Duplicate, T, detail::Form::Count>(),
        "Duplicate does not take this element type on this architecture");
    detail::Arith<detail::Op::Duplicate, T>(
        detail::In(dst), {}, {}, machine::ScalarBits(scalarValue), detail::Lanes::Count(count), site);
}

template <typename T, bool isSetMask = true>
inline void Duplicate(
    const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask[], const uint8_t repeatTime,
    const uint16_t dstBlockStride, const uint8_t dstRepeatStride, Site site = Here())
{
    static_assert(
        detail::Takes<detail::Op::Duplicate, T>(), "Duplicate does not take this element type on this architecture");
    detail::Arith<detail::Op::Duplicate, T>(
        detail::In(dst, dstBlockStride, dstRepeatStride), {}, {}, machine::ScalarBits(scalarValue),
        detail::BitLanes<isSetMask>(mask, repeatTime, sizeof(T)), site);
}

template <typename T, bool isSetMask = true>
inline void Duplicate(
    const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask, const uint8_t repeatTime,
    const uint16_t dstBlockStride, const uint8_t dstRepeatStride, Site site = Here())
{
    static_assert(
        detail::Takes<detail::Op::Duplicate, T>(), "Duplicate does not take this element type on this architecture");
    detail::Arith<detail::Op::Duplicate, T>(
        detail::In(dst, dstBlockStride, dstRepeatStride), {}, {}, machine::ScalarBits(scalarValue),
        detail::FirstLanes<isSetMask>(mask, repeatTime, sizeof(T)), site);
}

namespace detail {

template <typename T>
void CopyLanes(
    LocalTensor<T> const& dst, LocalTensor<T> const& src, Lanes const& lanes, uint8_t repeatTime,
    CopyRepeatParams const& p, Site site)
{
    static_assert(Takes<Op::Copy, T>(), "Copy does not take this element type on this architecture");
    machine::RecordMove(
        Op::Copy, machine::FindArith(Op::Copy, machine::ElementTypeOf<T>::value), In(dst, p.dstStride, p.dstRepeatSize),
        In(src, p.srcStride, p.srcRepeatSize), lanes, repeatTime, site);
}

}  // namespace detail

/// Within UB, by mask and repeats: strides of blocks and of repeats are free, and a repeat stride of 0 reads one row
/// again.
template <typename T, bool isSetMask = true>
inline void Copy(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[], const uint8_t repeatTime,
    const CopyRepeatParams& p, Site site = Here())
{
    detail::CopyLanes<T>(dst, src, detail::BitLanes<isSetMask>(mask, repeatTime, sizeof(T)), repeatTime, p, site);
}

template <typename T, bool isSetMask = true>
inline void Copy(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask, const uint8_t repeatTime,
    const CopyRepeatParams& p, Site site = Here())
{
    detail::CopyLanes<T>(dst, src, detail::FirstLanes<isSetMask>(mask, repeatTime, sizeof(T)), repeatTime, p, site);
}

}  // namespace AscendC

#endif  // EVTGEN_ASCENDC_ARITH_H
