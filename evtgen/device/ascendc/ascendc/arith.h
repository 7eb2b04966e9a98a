// Vector arithmetic: every call in its count form and in its mask forms (see LanesOf).
#pragma once

#include "../../machine/vector.hpp"
#include "mask.h"
#include "tensor.h"

namespace AscendC {

namespace detail {

using machine::kElementTypeOf;
using machine::Lanes;
using machine::Op;
using machine::Operand;

template <typename T> Operand In(LocalTensor<T> const& tensor, uint32_t blockStride = 1, uint32_t repeatStride = 8)
{
    return {
        AddressOf(tensor), sizeof(T), static_cast<uint16_t>(blockStride), static_cast<uint16_t>(repeatStride),
        tensor.Buffer()};
}

// An operand with its strides, of which a call's structure of parameters has those of all its operands.
template <typename T, class Params> Operand Dst(LocalTensor<T> const& tensor, Params const& p)
{
    return In(tensor, p.dstBlkStride, p.dstRepStride);
}
template <typename T> Operand Src(LocalTensor<T> const& tensor, UnaryRepeatParams const& p)
{
    return In(tensor, p.srcBlkStride, p.srcRepStride);
}
template <typename T> Operand Src0(LocalTensor<T> const& tensor, BinaryRepeatParams const& p)
{
    return In(tensor, p.src0BlkStride, p.src0RepStride);
}
template <typename T> Operand Src1(LocalTensor<T> const& tensor, BinaryRepeatParams const& p)
{
    return In(tensor, p.src1BlkStride, p.src1RepStride);
}

/// The forms of a call: with a count, or with a mask and repeats.
enum class Form : uint8_t { Count, Repeats };

/// Whether the call takes elements of type T on this architecture in that form.
template <Op op, typename T, Form form = Form::Repeats> constexpr bool Takes()
{
    return machine::Holds<T>::In(form == Form::Count ? kArch.TakesByCount(op) : kArch.Takes(op));
}

// ASCENDC_TAKES(Name, T) or ASCENDC_TAKES(Name, T, form)
#define ASCENDC_TAKES(Name, ...) \
    static_assert(               \
        detail::Takes<detail::Op::Name, __VA_ARGS__>(), #Name " does not take this element type on this architecture")

template <Op op, typename T>
void Arith(Operand const& dst, Operand const& a, Operand const& b, uint64_t scalar, Lanes const& lanes, Site site)
{
    machine::RecordArith(op, machine::FindArith(op, kElementTypeOf<T>), dst, a, b, scalar, lanes, site);
}

template <typename T> inline constexpr bool kIsTensor = false;
template <typename T> inline constexpr bool kIsTensor<LocalTensor<T>> = true;

/// A tensor and a number, in either order.
template <Op op, Form form, typename T, typename S, typename V>
void Flexible(
    LocalTensor<T> const& dst, S const& src0, V const& src1, Lanes const& lanes, UnaryRepeatParams const& p, Site site)
{
    static_assert(Takes<op, T, form>(), "this call does not take this element type on this architecture");
    static_assert(kIsTensor<S> || kIsTensor<V>, "one of the operands is a tensor");
    static_assert(!kIsTensor<S> || !kIsTensor<V>, "the model has no tensor whose first element is the number");
    constexpr machine::ElementType type = kElementTypeOf<T>;
    if constexpr (kIsTensor<S>) {
        uint64_t const number = machine::ScalarBits(static_cast<T>(src1));
        machine::RecordArith(op, machine::FindArith(op, type), Dst(dst, p), Src(src0, p), {}, number, lanes, site);
    } else {
        uint64_t const number = machine::ScalarBits(static_cast<T>(src0));
        machine::RecordArith(op, machine::FindReversed(op, type), Dst(dst, p), Src(src1, p), {}, number, lanes, site);
    }
}

}  // namespace detail

template <typename T> template <machine::Op op> void LocalTensor<T>::operator=(detail::Pending<T, op> const& call) const
{
    static_assert(detail::Takes<op, T, detail::Form::Count>(), "this operator does not take this element type");
    detail::Arith<op, T>(
        detail::In(*this), detail::In(call.a), detail::In(call.b), 0, detail::Lanes::Count(GetSize()), call.site);
}

/// Reserved: the operands say their types.
struct BinaryDefaultType {};
/// Which operand is a number that stands in a tensor.
struct BinaryConfig {
    int8_t scalarTensorIndex = 1;
};
inline constexpr BinaryConfig DEFAULT_BINARY_CONFIG = {1};

#define ASCENDC_Binary(Name)                                                                                     \
    template <typename T>                                                                                        \
    inline void Name(                                                                                            \
        const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const int32_t& count, \
        Site site = Here())                                                                                      \
    {                                                                                                            \
        ASCENDC_TAKES(Name, T, detail::Form::Count);                                                             \
        detail::Arith<detail::Op::Name, T>(                                                                      \
            detail::In(dst), detail::In(src0), detail::In(src1), 0, detail::Lanes::Count(count), site);          \
    }                                                                                                            \
    template <typename T, bool isSetMask = true, typename Mask>                                                  \
    inline void Name(                                                                                            \
        const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, Mask mask,            \
        const uint8_t repeatTime, const BinaryRepeatParams& p, Site site = Here())                               \
    {                                                                                                            \
        ASCENDC_TAKES(Name, T);                                                                                  \
        detail::Arith<detail::Op::Name, T>(                                                                      \
            detail::Dst(dst, p), detail::Src0(src0, p), detail::Src1(src1, p), 0,                                \
            detail::LanesOf<isSetMask>(mask, repeatTime, sizeof(T)), site);                                      \
    }

#define ASCENDC_Unary(Name)                                                                                           \
    template <typename T>                                                                                             \
    inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count, Site site = Here())  \
    {                                                                                                                 \
        ASCENDC_TAKES(Name, T, detail::Form::Count);                                                                  \
        detail::Arith<detail::Op::Name, T>(                                                                           \
            detail::In(dst), detail::In(src), {}, 0, detail::Lanes::Count(count), site);                              \
    }                                                                                                                 \
    template <typename T, bool isSetMask = true, typename Mask>                                                       \
    inline void Name(                                                                                                 \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, Mask mask, const uint8_t repeatTime,                    \
        const UnaryRepeatParams& p, Site site = Here())                                                               \
    {                                                                                                                 \
        ASCENDC_TAKES(Name, T);                                                                                       \
        detail::Arith<detail::Op::Name, T>(                                                                           \
            detail::Dst(dst, p), detail::Src(src, p), {}, 0, detail::LanesOf<isSetMask>(mask, repeatTime, sizeof(T)), \
            site);                                                                                                    \
    }

#define ASCENDC_Scalar(Name)                                                                                     \
    template <typename T, bool isSetMask = true>                                                                 \
    inline void Name(                                                                                            \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, const int32_t& count,        \
        Site site = Here())                                                                                      \
    {                                                                                                            \
        ASCENDC_TAKES(Name, T, detail::Form::Count);                                                             \
        detail::Arith<detail::Op::Name, T>(                                                                      \
            detail::In(dst), detail::In(src), {}, machine::ScalarBits(scalarValue), detail::Lanes::Count(count), \
            site);                                                                                               \
    }                                                                                                            \
    template <typename T, bool isSetMask = true, typename Mask>                                                  \
    inline void Name(                                                                                            \
        const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, Mask mask,                   \
        const uint8_t repeatTime, const UnaryRepeatParams& p, Site site = Here())                                \
    {                                                                                                            \
        ASCENDC_TAKES(Name, T);                                                                                  \
        detail::Arith<detail::Op::Name, T>(                                                                      \
            detail::Dst(dst, p), detail::Src(src, p), {}, machine::ScalarBits(scalarValue),                      \
            detail::LanesOf<isSetMask>(mask, repeatTime, sizeof(T)), site);                                      \
    }

#define ASCENDC_Flexible(Name)                                                                                       \
    template <                                                                                                       \
        typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG,   \
        typename U, typename S, typename V>                                                                          \
    inline void Name(const U& dst, const S& src0, const V& src1, const int32_t& count, Site site = Here())           \
    {                                                                                                                \
        detail::Flexible<detail::Op::Name, detail::Form::Count>(                                                     \
            dst, src0, src1, detail::Lanes::Count(count), {}, site);                                                 \
    }                                                                                                                \
    template <                                                                                                       \
        typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG,   \
        typename U, typename S, typename V, typename Mask>                                                           \
    inline void Name(                                                                                                \
        const U& dst, const S& src0, const V& src1, Mask mask, const uint8_t repeatTime, const UnaryRepeatParams& p, \
        Site site = Here())                                                                                          \
    {                                                                                                                \
        detail::Flexible<detail::Op::Name, detail::Form::Repeats>(                                                   \
            dst, src0, src1, detail::LanesOf<isSetMask>(mask, repeatTime, sizeof(typename U::PrimType)), p, site);   \
    }

// Silu is in activation.h; Duplicate and Copy are below, calls that accumulate in fused.h.
#define ASCENDC_Function(Name)
#define ASCENDC_Fill(Name)
#define ASCENDC_Move(Name)
#define ASCENDC_Accumulate(Name)
#define ASCENDC_AccumulateScalar(Name)
#define EVT_ARITH(name, shape, domain, price, off, value) ASCENDC_##shape(name)
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
    ASCENDC_TAKES(Duplicate, T, detail::Form::Count);
    detail::Arith<detail::Op::Duplicate, T>(
        detail::In(dst), {}, {}, machine::ScalarBits(scalarValue), detail::Lanes::Count(count), site);
}

template <typename T, bool isSetMask = true, typename Mask>
inline void Duplicate(
    const LocalTensor<T>& dst, const T& scalarValue, Mask mask, const uint8_t repeatTime, const uint16_t dstBlockStride,
    const uint8_t dstRepeatStride, Site site = Here())
{
    ASCENDC_TAKES(Duplicate, T);
    detail::Arith<detail::Op::Duplicate, T>(
        detail::In(dst, dstBlockStride, dstRepeatStride), {}, {}, machine::ScalarBits(scalarValue),
        detail::LanesOf<isSetMask>(mask, repeatTime, sizeof(T)), site);
}

/// Within UB, by mask and repeats: strides of blocks and of repeats are free, and a repeat stride of 0 reads one row
/// again.
template <typename T, bool isSetMask = true, typename Mask>
inline void Copy(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, Mask mask, const uint8_t repeatTime,
    const CopyRepeatParams& p, Site site = Here())
{
    ASCENDC_TAKES(Copy, T);
    machine::RecordMove(
        detail::Op::Copy, machine::FindArith(detail::Op::Copy, detail::kElementTypeOf<T>),
        detail::In(dst, p.dstStride, p.dstRepeatSize), detail::In(src, p.srcStride, p.srcRepeatSize),
        detail::LanesOf<isSetMask>(mask, repeatTime, sizeof(T)), repeatTime, site);
}

}  // namespace AscendC
