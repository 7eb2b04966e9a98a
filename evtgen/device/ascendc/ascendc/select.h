// Comparisons, selections, and broadcasting elements over data blocks.
#pragma once

#include "../../machine/copy.hpp"
#include "../../machine/select.hpp"
#include "arith.h"
#include "copy.h"

namespace AscendC {

namespace detail {

inline machine::Comparison ComparisonOf(CMPMODE mode)
{
    switch (mode) {
        case CMPMODE::LT: return machine::Comparison::Less;
        case CMPMODE::GT: return machine::Comparison::Greater;
        case CMPMODE::EQ: return machine::Comparison::Equal;
        case CMPMODE::LE: return machine::Comparison::LessEqual;
        case CMPMODE::GE: return machine::Comparison::GreaterEqual;
        case CMPMODE::NE: break;
    }
    return machine::Comparison::NotEqual;
}

template <Op op, Form form, typename T, typename U>
void CompareLanes(
    LocalTensor<U> const& dst, Operand const& a, Operand const& b, uint64_t scalar, CMPMODE mode, Lanes const& lanes,
    Site site)
{
    // Equality always takes int32_t; a table of the call that has it means every comparison.
    constexpr bool taken = Takes<op, T, form>();
    static_assert(taken || std::is_same_v<T, int32_t>, "Compare does not take this element type on this architecture");
    static_assert(IsOneOf<U, int8_t, uint8_t>, "Compare writes its bits to int8_t or uint8_t");
    char const* const name = machine::InfoOf(op).name;
    if (!taken && mode != CMPMODE::EQ) {
        machine::RefuseParameter(name, "int32_t can only be compared for equality", site);
        return;
    }
    machine::RecordCompare(name, ComparisonOf(mode), machine::kElementTypeOf<T>, In(dst), a, b, scalar, lanes, site);
}

/// Whole repeats only: elements that do not fill 256 bytes are not compared (Compare page).
template <typename T> Lanes WholeRepeats(char const* name, uint32_t count, Site site)
{
    uint32_t const perRepeat = ONE_REPEAT_BYTE_SIZE / sizeof(T);
    if (count % perRepeat != 0) {
        machine::ReportRounded(name, machine::Pipe::V, uint64_t{count} * sizeof(T), ONE_REPEAT_BYTE_SIZE, site);
    }
    return Lanes::Count(count / perRepeat * perRepeat);
}

/// All lanes: comparisons ignore masks on Atlas A2/A3.
template <typename T> Lanes AllLanes(uint32_t repeat)
{
    return Lanes::First(ONE_REPEAT_BYTE_SIZE / sizeof(T), repeat, sizeof(T));
}

template <Form form, typename T, typename U>
void SelectLanes(
    LocalTensor<U> const& selMask, Operand const& to, Operand const& a, Operand const& b, uint64_t scalar, SELMODE mode,
    Lanes const& lanes, Site site)
{
    ASCENDC_TAKES(Select, T, form);
    machine::RecordSelect("Select", In(selMask), mode == SELMODE::VSEL_CMPMASK_SPR, to, a, b, scalar, lanes, site);
}

}  // namespace detail

template <typename T, typename U>
inline void Compare(
    const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, uint32_t count,
    Site site = Here())
{
    detail::CompareLanes<detail::Op::Compare, detail::Form::Count, T>(
        dst, detail::In(src0), detail::In(src1), 0, cmpMode, detail::WholeRepeats<T>("Compare", count, site), site);
}

/// The mask has no effect.
template <typename T, typename U, bool isSetMask = true, typename Mask>
inline void Compare(
    const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, Mask,
    uint8_t repeatTime, const BinaryRepeatParams& p, Site site = Here())
{
    detail::CompareLanes<detail::Op::Compare, detail::Form::Repeats, T>(
        dst, detail::Src0(src0, p), detail::Src1(src1, p), 0, cmpMode, detail::AllLanes<T>(repeatTime), site);
}

namespace detail {

/// Where the vector unit keeps the bits of a comparison without a destination.
inline Operand CompareMask()
{
    return {machine::LocalAddress(machine::Space::VREG, 0, kArch.SizeOf(machine::Space::VREG)), 1};
}

}  // namespace detail

// Of one repeat, to the vector unit's register. GetCmpMask stores its 16 bytes (its page asks for room for 128, its
// sample has room for 32).
template <typename T, bool isSetMask = true, typename Mask>
inline void Compare(
    const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, Mask mask, const BinaryRepeatParams& p,
    Site site = Here())
{
    ASCENDC_TAKES(Compare, T);
    machine::RecordCompare(
        "Compare", detail::ComparisonOf(cmpMode), detail::kElementTypeOf<T>, detail::CompareMask(),
        detail::Src0(src0, p), detail::Src1(src1, p), 0, detail::LanesOf<isSetMask>(mask, 1, sizeof(T)), site);
}

template <typename T> inline void GetCmpMask(const LocalTensor<T>& dst, Site site = Here())
{
    machine::CopyShape shape{};
    shape.blocks = 1;
    shape.bytes = 16;
    machine::RecordCopy(
        "GetCmpMask", machine::Pipe::V, detail::Side(dst, shape.bytes),
        {detail::CompareMask().data, machine::Space::VREG, shape.bytes}, shape, machine::ElementType::U8, site);
}

#define ASCENDC_COMPARE_SCALAR(Name)                                                                                \
    template <typename T, typename U>                                                                               \
    inline void Name(                                                                                               \
        const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode, uint32_t count, \
        Site site = Here())                                                                                         \
    {                                                                                                               \
        detail::CompareLanes<detail::Op::Name, detail::Form::Count, T>(                                             \
            dst, detail::In(src0), {}, machine::ScalarBits(src1Scalar), cmpMode,                                    \
            detail::WholeRepeats<T>(#Name, count, site), site);                                                     \
    }                                                                                                               \
    template <typename T, typename U, bool isSetMask = true>                                                        \
    inline void Name(                                                                                               \
        const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode, const uint64_t, \
        uint8_t repeatTime, const UnaryRepeatParams& p, Site site = Here())                                         \
    {                                                                                                               \
        detail::CompareLanes<detail::Op::Name, detail::Form::Repeats, T>(                                           \
            dst, detail::In(src0, p.srcBlkStride, p.srcRepStride), {}, machine::ScalarBits(src1Scalar), cmpMode,    \
            detail::AllLanes<T>(repeatTime), site);                                                                 \
    }
ASCENDC_COMPARE_SCALAR(Compares)
ASCENDC_COMPARE_SCALAR(CompareScalar)
#undef ASCENDC_COMPARE_SCALAR

template <typename T, typename U>
inline void Select(
    const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1, SELMODE selMode,
    uint32_t count, Site site = Here())
{
    detail::SelectLanes<detail::Form::Count, T>(
        selMask, detail::In(dst), detail::In(src0), {}, machine::ScalarBits(src1), selMode, detail::Lanes::Count(count),
        site);
}

template <typename T, typename U>
inline void Select(
    const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
    SELMODE selMode, uint32_t count, Site site = Here())
{
    detail::SelectLanes<detail::Form::Count, T>(
        selMask, detail::In(dst), detail::In(src0), detail::In(src1), 0, selMode, detail::Lanes::Count(count), site);
}

template <typename T, typename U, bool isSetMask = true, typename Mask>
inline void Select(
    const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1, SELMODE selMode,
    Mask mask, uint8_t repeatTime, const BinaryRepeatParams& p, Site site = Here())
{
    detail::SelectLanes<detail::Form::Repeats, T>(
        selMask, detail::Dst(dst, p), detail::Src0(src0, p), {}, machine::ScalarBits(src1), selMode,
        detail::LanesOf<isSetMask>(mask, repeatTime, sizeof(T)), site);
}

template <typename T, typename U, bool isSetMask = true, typename Mask>
inline void Select(
    const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
    SELMODE selMode, Mask mask, uint8_t repeatTime, const BinaryRepeatParams& p, Site site = Here())
{
    detail::SelectLanes<detail::Form::Repeats, T>(
        selMask, detail::Dst(dst, p), detail::Src0(src0, p), detail::Src1(src1, p), 0, selMode,
        detail::LanesOf<isSetMask>(mask, repeatTime, sizeof(T)), site);
}

/// Each of eight elements per repeat fills one data block.
template <typename T>
inline void Brcb(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint8_t repeatTime,
    const BrcbRepeatParams& repeatParams, Site site = Here())
{
    ASCENDC_TAKES(Brcb, T);
    uint32_t const blockStride = repeatParams.dstBlkStride == 0 ? 1 : repeatParams.dstBlkStride;
    machine::RecordBroadcastBlocks(
        "Brcb", detail::In(dst, blockStride, repeatParams.dstRepStride), detail::In(src), repeatTime, site);
}

}  // namespace AscendC
