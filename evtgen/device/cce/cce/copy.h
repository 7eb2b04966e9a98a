// Copies: between global memory and UB, in data blocks or in bytes, and within UB.
#pragma once

#include "../../machine/copy.hpp"
#include "registers.h"

namespace cce {

using machine::Space;

/// `count` runs of `bytes`, the starts `dstStride` and `srcStride` bytes apart. The element type is not part of a plain
/// copy: an atomic store takes that of the atomic mode.
inline void Copy(
    char const* name, machine::Pipe pipe, Space to, void* dst, uint64_t dstStride, Space from, void* src,
    uint64_t srcStride, machine::CopyShape const& shape, Site site)
{
    machine::AtomicMode const atomic = machine::CurrentAtomic();
    machine::CopyShape typed = shape;
    if (to == Space::GM && atomic.combine != machine::Combine::Store) {
        typed.elementBytes = static_cast<uint32_t>(machine::SizeOf(atomic.type));
    }
    machine::RecordCopy(name, pipe, {dst, to, dstStride}, {src, from, srcStride}, typed, atomic.type, site);
}

/// Lengths and gaps in data blocks.
inline void CopyBlocks(
    machine::Pipe pipe, Space to, void* dst, Space from, void* src, uint64_t count, uint64_t length, uint64_t srcGap,
    uint64_t dstGap, Site site)
{
    if (count > 4095) {
        machine::RefuseParameter("DataCopy", "blockCount is at most 4095", site);
        return;
    }
    machine::CopyShape shape{};
    shape.blocks = static_cast<uint32_t>(count);
    shape.bytes = length * machine::kBlockBytes;
    Copy(
        "DataCopy", pipe, to, dst, (length + dstGap) * machine::kBlockBytes, from, src,
        (length + srcGap) * machine::kBlockBytes, shape, site);
}

inline bool CheckPadded(uint64_t count, uint64_t bytes, uint64_t elementBytes, Site site)
{
    if (count > 4095) { return machine::RefuseParameter("DataCopyPad", "blockCount is at most 4095", site); }
    if (bytes > 2097151) { return machine::RefuseParameter("DataCopyPad", "blockLen is at most 2097151 bytes", site); }
    if (bytes % elementBytes != 0) {
        return machine::RefuseParameter("DataCopyPad", "blockLen is not a multiple of the element", site);
    }
    return true;
}

/// Rounded up to whole data blocks.
constexpr uint64_t WholeBlocks(uint64_t bytes)
{
    return (bytes + machine::kBlockBytes - 1) / machine::kBlockBytes * machine::kBlockBytes;
}

/// Into UB: lengths and the source's gaps in bytes, the destination's in data blocks, padding in elements. Padding that
/// the program asks for has the value of set_mov_pad_val; otherwise it is undefined.
inline void CopyPaddedIn(
    uint32_t elementBytes, void* dst, void* src, uint64_t count, uint64_t bytes, uint32_t left, uint32_t right,
    uint64_t srcGap, uint64_t dstGap, Site site)
{
    if (!CheckPadded(count, bytes, elementBytes, site)) { return; }
    machine::CopyShape shape{};
    shape.blocks = static_cast<uint32_t>(count);
    shape.bytes = bytes;
    shape.left = left * elementBytes;
    shape.right = right * elementBytes;
    if (shape.left > machine::kBlockBytes || shape.right > machine::kBlockBytes) {
        machine::RefuseParameter("DataCopyPad", "a side's padding is at most 32 bytes", site);
        return;
    }
    shape.filled = WholeBlocks(shape.left + bytes + shape.right);
    shape.padDefined = left != 0 || right != 0;
    shape.padValue = registers.paddingValue;
    shape.elementBytes = elementBytes;
    Copy(
        "DataCopyPad", machine::Pipe::MTE2, Space::UB, dst, shape.filled + dstGap * machine::kBlockBytes, Space::GM,
        src, bytes + srcGap, shape, site);
}

/// Out of UB, exactly its bytes.
inline void CopyPaddedOut(
    uint32_t elementBytes, void* dst, void* src, uint64_t count, uint64_t bytes, uint64_t srcGap, uint64_t dstGap,
    Site site)
{
    if (!CheckPadded(count, bytes, elementBytes, site)) { return; }
    machine::CopyShape shape{};
    shape.blocks = static_cast<uint32_t>(count);
    shape.bytes = bytes;
    shape.elementBytes = elementBytes;
    Copy(
        "DataCopyPad", machine::Pipe::MTE3, Space::GM, dst, bytes + dstGap, Space::UB, src,
        WholeBlocks(bytes) + srcGap * machine::kBlockBytes, shape, site);
}

}  // namespace cce

inline void copy_gm_to_ubuf(
    void* dst, void* src, uint8_t, uint16_t count, uint16_t length, uint16_t srcGap, uint16_t dstGap,
    cce::Site site = cce::Here())
{
    cce::CopyBlocks(machine::Pipe::MTE2, cce::Space::UB, dst, cce::Space::GM, src, count, length, srcGap, dstGap, site);
}
inline void copy_ubuf_to_gm(
    void* dst, void* src, uint8_t, uint16_t count, uint16_t length, uint16_t srcGap, uint16_t dstGap,
    cce::Site site = cce::Here())
{
    cce::CopyBlocks(machine::Pipe::MTE3, cce::Space::GM, dst, cce::Space::UB, src, count, length, srcGap, dstGap, site);
}
inline void copy_ubuf_to_ubuf(
    void* dst, void* src, uint8_t, uint16_t count, uint16_t length, uint16_t srcGap, uint16_t dstGap,
    cce::Site site = cce::Here())
{
    cce::CopyBlocks(machine::Pipe::V, cce::Space::UB, dst, cce::Space::UB, src, count, length, srcGap, dstGap, site);
}

#define EVTGEN_CCE_PADDED(bits)                                                                                      \
    inline void copy_gm_to_ubuf_align_b##bits(                                                                       \
        void* dst, void* src, uint8_t, uint16_t count, uint32_t bytes, uint8_t left, uint8_t right, uint32_t srcGap, \
        uint32_t dstGap, cce::Site site = cce::Here())                                                               \
    {                                                                                                                \
        cce::CopyPaddedIn(bits / 8, dst, src, count, bytes, left, right, srcGap, dstGap, site);                      \
    }                                                                                                                \
    inline void copy_ubuf_to_gm_align_b##bits(                                                                       \
        void* dst, void* src, uint8_t, uint16_t count, uint32_t bytes, uint8_t, uint8_t, uint32_t srcGap,            \
        uint32_t dstGap, cce::Site site = cce::Here())                                                               \
    {                                                                                                                \
        cce::CopyPaddedOut(bits / 8, dst, src, count, bytes, srcGap, dstGap, site);                                  \
    }
EVTGEN_CCE_PADDED(8)
EVTGEN_CCE_PADDED(16)
EVTGEN_CCE_PADDED(32)
#undef EVTGEN_CCE_PADDED
