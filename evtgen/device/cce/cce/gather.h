// Gathers: elements or data blocks by their offsets, and elements by a mask, packed.
#pragma once

#include "../../machine/gather.hpp"
#include "../../machine/registers.hpp"
#include "operand.h"

namespace cce {

/// The source of a gather: AscendC passes the low bits of its address, and no length.
template <class T> Operand SourceAt(uint32_t address)
{
    auto* const ub =
        static_cast<uint8_t*>(machine::LocalAddress(machine::Space::UB, 0, kArch.SizeOf(machine::Space::UB)));
    return Ub(reinterpret_cast<T*>(ub + (address - static_cast<uint32_t>(reinterpret_cast<uintptr_t>(ub)))));
}

}  // namespace cce

/// By offsets in bytes, which the lanes of all repeats take one after the other.
template <class T>
inline void vgather(
    T* dst, uint32_t* offsets, uint32_t source, uint16_t dstRepeatStride, uint8_t repeat, cce::Site site = cce::Here())
{
    machine::RecordGather(
        "Gather", cce::Ub(dst, 1, dstRepeatStride), cce::SourceAt<T>(source), machine::kAnyLength, cce::Ub(offsets),
        cce::Chosen(repeat, sizeof(T)), site);
}

/// Eight data blocks per repeat.
template <class T>
inline void vgatherb(
    T* dst, uint32_t* offsets, uint32_t source, uint16_t dstRepeatStride, uint8_t dstBlockStride, uint8_t repeat,
    cce::Site site = cce::Here())
{
    machine::RecordGatherBlocks(
        "Gatherb", cce::Ub(dst, dstBlockStride == 0 ? 1 : dstBlockStride, dstRepeatStride), cce::SourceAt<T>(source),
        machine::kAnyLength, cce::Ub(offsets), repeat, site);
}

/// By a pattern, or with pattern 0 by the bits at `mask`. In counter mode the vector mask is the number of elements of
/// each repeat, otherwise each is 256 bytes.
template <class T>
inline void vreducev2(
    T* dst, T* src, T* mask, uint16_t repeat, uint8_t srcBlockStride, uint8_t pattern, uint16_t srcRepeatStride,
    uint8_t maskRepeatStride, cce::Site site = cce::Here())
{
    uint32_t const counted = cce::Chosen(1, sizeof(T)).count;
    machine::RecordGatherMask(
        "GatherMask", cce::Ub(dst), cce::Ub(src, srcBlockStride, srcRepeatStride),
        pattern == 0 ? cce::Ub(mask, 1, maskRepeatStride) : cce::Operand{}, pattern,
        counted != 0 ? counted : machine::kRepeatBytes / sizeof(T), repeat, site);
}

inline int64_t get_rsvd_cnt() { return static_cast<int64_t>(machine::CurrentRegisters().kept); }
