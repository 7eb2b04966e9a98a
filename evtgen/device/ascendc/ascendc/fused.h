// Calls that do two operations, or also read their destination.
#pragma once

#include "arith.h"

namespace AscendC {

namespace detail {

template <Op op, Form form, typename T, typename U>
void Accumulate(Operand const& dst, Operand const& a, Operand const& b, uint64_t scalar, Lanes const& lanes, Site site)
{
    static_assert(
        std::is_same_v<T, U> || (std::is_same_v<T, float> && std::is_same_v<U, half>),
        "source and destination have one element type, or are half and float");
    static_assert(Takes<op, T, form>(), "this call does not take this element type on this architecture");
    machine::RecordArith(
        op, machine::FindMixed(op, kElementTypeOf<T>, kElementTypeOf<U>), dst, a, b, scalar, lanes, site);
}

template <typename T, typename U> constexpr uint32_t Wider = sizeof(T) > sizeof(U) ? sizeof(T) : sizeof(U);

}  // namespace detail

/// dst += src * scalarValue.
template <typename T, typename U>
inline void Axpy(
    const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, const int32_t& count,
    Site site = Here())
{
    detail::Accumulate<detail::Op::Axpy, detail::Form::Count, T, U>(
        detail::In(dst), detail::In(src), {}, machine::ScalarBits(scalarValue), detail::Lanes::Count(count), site);
}

template <typename T, typename U, bool isSetMask = true, typename Mask>
inline void Axpy(
    const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, Mask mask, const uint8_t repeatTime,
    const UnaryRepeatParams& p, Site site = Here())
{
    detail::Accumulate<detail::Op::Axpy, detail::Form::Repeats, T, U>(
        detail::Dst(dst, p), detail::Src(src, p), {}, machine::ScalarBits(scalarValue),
        detail::LanesOf<isSetMask>(mask, repeatTime, detail::Wider<T, U>), site);
}

// MulAddDst alone may take half and add to float.
#define ASCENDC_ACCUMULATE(Name, U, ...)                                                                         \
    template <__VA_ARGS__>                                                                                       \
    inline void Name(                                                                                            \
        const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, const int32_t& count, \
        Site site = Here())                                                                                      \
    {                                                                                                            \
        detail::Accumulate<detail::Op::Name, detail::Form::Count, T, U>(                                         \
            detail::In(dst), detail::In(src0), detail::In(src1), 0, detail::Lanes::Count(count), site);          \
    }                                                                                                            \
    template <__VA_ARGS__, bool isSetMask = true, typename Mask>                                                 \
    inline void Name(                                                                                            \
        const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, Mask mask,            \
        const uint8_t repeatTime, const BinaryRepeatParams& p, Site site = Here())                               \
    {                                                                                                            \
        detail::Accumulate<detail::Op::Name, detail::Form::Repeats, T, U>(                                       \
            detail::Dst(dst, p), detail::Src0(src0, p), detail::Src1(src1, p), 0,                                \
            detail::LanesOf<isSetMask>(mask, repeatTime, detail::Wider<T, U>), site);                            \
    }
ASCENDC_ACCUMULATE(MulAddDst, U, typename T, typename U)
ASCENDC_ACCUMULATE(FusedMulAdd, T, typename T)
ASCENDC_ACCUMULATE(FusedMulAddRelu, T, typename T)
#undef ASCENDC_ACCUMULATE

}  // namespace AscendC
