// Comparisons, which write a bit per element, and selections by such bits.
#pragma once

#include "../../machine/copy.hpp"
#include "../../machine/select.hpp"
#include "registers.h"

namespace cce {

/// Where the vector unit keeps the bits of a comparison.
inline Operand CompareMask()
{
    return {machine::LocalAddress(machine::Space::VREG, 0, kArch.SizeOf(machine::Space::VREG)), 1};
}

/// A register's sixteen bytes, from or to UB.
inline void CopyWithin(void* dst, machine::Space to, void* src, machine::Space from, char const* name, Site site)
{
    machine::CopyShape shape{};
    shape.blocks = 1;
    shape.bytes = 16;
    machine::RecordCopy(
        name, machine::Pipe::V, {dst, to, shape.bytes}, {src, from, shape.bytes}, shape, machine::ElementType::U8,
        site);
}

/// The byte of UB that a register of 32 bits points to.
inline uint8_t* FromLowBits(uint64_t bits)
{
    auto* const base =
        static_cast<uint8_t*>(machine::LocalAddress(machine::Space::UB, 0, kArch.SizeOf(machine::Space::UB)));
    return base + static_cast<uint32_t>(bits - reinterpret_cast<uint64_t>(base));
}

template <class T>
void Compare(
    machine::Comparison comparison, void* dst, T* a, uint64_t aBlockStride, uint64_t aRepeatStride, Operand const& b,
    uint64_t scalar, uint64_t repeat, char const* name, Site site)
{
    machine::RecordCompare(
        name, comparison, machine::kElementTypeOf<T>, Ub(static_cast<uint8_t*>(dst)),
        Ub(a, aBlockStride, aRepeatStride), b, scalar, Lanes::AllOfCore(static_cast<uint32_t>(repeat), sizeof(T)),
        site);
}

}  // namespace cce

#define EVTGEN_CCE_COMPARE(suffix, comparison)                                                                     \
    template <class T>                                                                                             \
    inline void vcmpv_##suffix(                                                                                    \
        uint8_t* dst, T* src0, T* src1, uint8_t repeat, uint8_t, uint8_t src0BlockStride, uint8_t src1BlockStride, \
        uint8_t, uint8_t src0RepeatStride, uint8_t src1RepeatStride, cce::Site site = cce::Here())                 \
    {                                                                                                              \
        cce::Compare(                                                                                              \
            machine::Comparison::comparison, dst, src0, src0BlockStride, src0RepeatStride,                         \
            cce::Ub(src1, src1BlockStride, src1RepeatStride), 0, repeat, "Compare", site);                         \
    }                                                                                                              \
    template <class T>                                                                                             \
    inline void vcmpvs_##suffix(                                                                                   \
        uint8_t* dst, T* src, std::common_type_t<T> scalar, uint8_t repeat, uint16_t, uint16_t srcBlockStride,     \
        uint16_t, uint16_t srcRepeatStride, cce::Site site = cce::Here())                                          \
    {                                                                                                              \
        cce::Compare(                                                                                              \
            machine::Comparison::comparison, dst, src, srcBlockStride, srcRepeatStride, {},                        \
            machine::ScalarBits(scalar), repeat, "CompareScalar", site);                                           \
    }                                                                                                              \
    template <class T>                                                                                             \
    inline void vcmp_##suffix(                                                                                     \
        T* src0, T* src1, uint8_t repeat, uint8_t, uint8_t src0BlockStride, uint8_t src1BlockStride, uint8_t,      \
        uint8_t src0RepeatStride, uint8_t src1RepeatStride, cce::Site site = cce::Here())                          \
    {                                                                                                              \
        machine::RecordCompare(                                                                                    \
            "Compare", machine::Comparison::comparison, machine::kElementTypeOf<T>, cce::CompareMask(),            \
            cce::Ub(src0, src0BlockStride, src0RepeatStride), cce::Ub(src1, src1BlockStride, src1RepeatStride), 0, \
            cce::Chosen(repeat, sizeof(T)), site);                                                                 \
    }
EVTGEN_CCE_COMPARE(lt, Less)
EVTGEN_CCE_COMPARE(gt, Greater)
EVTGEN_CCE_COMPARE(eq, Equal)
EVTGEN_CCE_COMPARE(le, LessEqual)
EVTGEN_CCE_COMPARE(ge, GreaterEqual)
EVTGEN_CCE_COMPARE(ne, NotEqual)
#undef EVTGEN_CCE_COMPARE

/// Loads the register that holds a selection's bits, its scalar, or the address of its bits.
template <class T> inline void set_cmpmask(T* src, cce::Site site = cce::Here())
{
    cce::registers.selector = src == cce::registers.filled ? cce::registers.filling : cce::kUnknown;
    cce::registers.filled = nullptr;  // once: other instructions may write there from now on
    cce::CopyWithin(cce::CompareMask().data, machine::Space::VREG, src, machine::Space::UB, "SetCmpMask", site);
}
template <class T> inline void get_cmpmask(T* dst, cce::Site site = cce::Here())
{
    cce::CopyWithin(dst, machine::Space::UB, cce::CompareMask().data, machine::Space::VREG, "GetCmpMask", site);
}

/// By the bits of the register, the same for every repeat.
template <class T>
inline void vsel(
    T* dst, T* src0, T* src1, uint8_t repeat, uint8_t dstBlockStride, uint8_t src0BlockStride, uint8_t src1BlockStride,
    uint8_t dstRepeatStride, uint8_t src0RepeatStride, uint8_t src1RepeatStride, cce::Site site = cce::Here())
{
    machine::RecordSelect(
        "Select", cce::CompareMask(), true, cce::Ub(dst, dstBlockStride, dstRepeatStride),
        cce::Ub(src0, src0BlockStride, src0RepeatStride), cce::Ub(src1, src1BlockStride, src1RepeatStride), 0,
        cce::Chosen(repeat, sizeof(T)), site);
}

/// Mode 1: between src0 and the register's scalar, by the bits at `src1`. Mode 2: between src0 and src1, by the bits at
/// the register's address.
template <class T, class U>
inline void vsel(
    T* dst, T* src0, U* src1, uint8_t repeat, uint8_t dstBlockStride, uint8_t src0BlockStride, uint8_t src1BlockStride,
    uint8_t dstRepeatStride, uint8_t src0RepeatStride, uint8_t src1RepeatStride, uint8_t mode,
    cce::Site site = cce::Here())
{
    uint64_t const selector = cce::registers.selector;
    if (selector == cce::kUnknown) {
        machine::RefuseParameter(
            "Select", "the model knows the register of a selection where vector_dup has filled its source", site);
        return;
    }
    cce::Operand const to = cce::Ub(dst, dstBlockStride, dstRepeatStride);
    cce::Operand const first = cce::Ub(src0, src0BlockStride, src0RepeatStride);
    cce::Lanes const lanes = cce::Chosen(repeat, sizeof(T));
    if (mode == 1) {
        machine::RecordSelect("Select", cce::Ub(src1), false, to, first, {}, selector, lanes, site);
        return;
    }
    cce::Operand const second = cce::Ub(src1, src1BlockStride, src1RepeatStride);
    machine::RecordSelect("Select", cce::Ub(cce::FromLowBits(selector)), false, to, first, second, 0, lanes, site);
}
