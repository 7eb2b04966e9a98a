// The transposition of sixteen data blocks, whose addresses stand in registers.
#pragma once

#include <array>

#include "../../machine/transpose.hpp"
#include "operand.h"

enum ub_addr8_t { VA0 = 0, VA1, VA2, VA3, VA4, VA5, VA6, VA7 };

namespace cce {

/// Eight addresses of data blocks per register.
__BLOCK_LOCAL__ inline std::array<std::array<uint64_t, 8>, 8> addressRegisters;

/// The blocks of register `first` and the next. With one repeat the stride is added to the addresses (TransDataTo5HD
/// page).
inline machine::BlockList BlocksOf(ub_addr8_t first, uint64_t repeat, uint64_t stride, bool highHalf)
{
    machine::BlockList side;
    side.offset = highHalf ? machine::kBlockBytes / 2 : 0;
    side.repeatStride = stride * machine::kBlockBytes;
    for (size_t i = 0; i < machine::kTransposedBlocks; ++i) {
        uint64_t const address = addressRegisters[first + i / 8][i % 8];
        side.blocks[i] = reinterpret_cast<uint8_t*>(address + (repeat == 1 ? side.repeatStride : 0));
    }
    return side;
}

}  // namespace cce

inline void set_va_reg_sb(ub_addr8_t name, uint64_t* addresses)
{
    std::copy(addresses, addresses + 8, cce::addressRegisters[name].begin());
}

#define EVTGEN_CCE_TRANSPOSE(bits)                                                                       \
    inline void scatter_vnchwconv_b##bits(                                                               \
        ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dstStride, uint16_t srcStride,          \
        cce::Site site = cce::Here())                                                                    \
    {                                                                                                    \
        machine::RecordTranspose(                                                                        \
            "TransDataTo5HD", cce::BlocksOf(dst, repeat, dstStride, false),                              \
            cce::BlocksOf(src, repeat, srcStride, false), bits / 8, machine::kBlockBytes, repeat, site); \
    }
EVTGEN_CCE_TRANSPOSE(16)
EVTGEN_CCE_TRANSPOSE(32)
#undef EVTGEN_CCE_TRANSPOSE

/// Elements of a byte fill half of a data block, the lower one or the higher one.
inline void scatter_vnchwconv_b8(
    ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dstStride, uint16_t srcStride, bool dstHighHalf,
    bool srcHighHalf, cce::Site site = cce::Here())
{
    machine::RecordTranspose(
        "TransDataTo5HD", cce::BlocksOf(dst, repeat, dstStride, dstHighHalf),
        cce::BlocksOf(src, repeat, srcStride, srcHighHalf), 1, machine::kBlockBytes / 2, repeat, site);
}

/// 16 x 16 elements of two bytes.
inline void vtranspose(uint16_t* dst, uint16_t* src, cce::Site site = cce::Here())
{
    machine::RecordTranspose(
        "Transpose", machine::BlockList::From(dst), machine::BlockList::From(src), sizeof(uint16_t),
        machine::kBlockBytes, 1, site);
}
