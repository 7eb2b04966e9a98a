// Recording the transposition of sixteen data blocks, at addresses of their own.
#pragma once

#include <array>

#include "vector.hpp"

namespace machine {

constexpr size_t kTransposedBlocks = 16;

/// The data blocks of one side: where each starts, where in it the elements do, and bytes between two repeats of it.
struct BlockList {
    std::array<uint8_t*, kTransposedBlocks> blocks;
    uint32_t offset = 0;
    uint64_t repeatStride = 0;

    /// One after the other, from `first` on.
    static BlockList From(void* first)
    {
        BlockList list;
        for (size_t i = 0; i < kTransposedBlocks; ++i) {
            list.blocks[i] = static_cast<uint8_t*>(first) + i * kBlockBytes;
        }
        return list;
    }
};

/// Per repeat, the sources are the rows of a matrix of sixteen rows, and its columns, one after the other, fill the
/// destinations. `length` is the part of a data block that takes part, in bytes of elements of `size` bytes.
void RecordTranspose(
    char const* name, BlockList const& dst, BlockList const& src, uint32_t size, uint32_t length, uint32_t repeats,
    Site site);

/// A tensor of four axes with its last one brought to the second place (`inner`: the second brought to the last). dst and
/// src do not overlap. `scratch`: bytes of `tmp` that are overwritten.
struct Axes {
    uint32_t n, c, h, w;
    bool inner;
};
void RecordPermute(
    char const* name, Operand const& dst, Operand const& src, Operand const& tmp, uint32_t scratch, Axes const& axes,
    Site site);

}  // namespace machine
