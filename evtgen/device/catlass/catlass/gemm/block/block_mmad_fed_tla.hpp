// A block whose B vector cores write to L1, tile by tile, where the program's copy of B waits for them instead of copying.
//
// The block is recorded in parts, as the pipes of Catlass's run: the load of a tile of A and the program's copy on MTE2, on MTE1
// the copy of the tile of B out of L1, its products on M, and on FIX the block as a whole, which computes and stores.
#ifndef CATLASS_GEMM_BLOCK_BLOCK_MMAD_FED_TLA_HPP
#define CATLASS_GEMM_BLOCK_BLOCK_MMAD_FED_TLA_HPP

#if defined(CATLASS_ARCH) && CATLASS_ARCH == 3510

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "catlass/gemm/block/block_mmad.hpp"
#include "machine/core.hpp"
#include "machine/shadow.hpp"
#include "tla/layout.hpp"
#include "tla/tensor.hpp"

namespace Catlass::Gemm::Block::standin {

/// Whether the copies say that B may come from vector cores: then it has no address.
template <class TileCopy, class = void> struct MayBeFed : std::false_type {};
template <class TileCopy> struct MayBeFed<TileCopy, std::void_t<typename TileCopy::FedTiles>> : std::true_type {};

/// A matrix as it was collected from the tiles in L1, by rows.
template <class T> struct CollectedMatrix {
    using Element = T const;

    std::shared_ptr<std::vector<T>> elements;
    T *data;
    int64_t columns;

    CollectedMatrix(uint32_t rows, uint32_t columns)
        : elements(std::make_shared<std::vector<T>>(size_t{rows} * columns)), data(elements->data()), columns(columns)
    {}

    int64_t Index(int64_t row, int64_t column) const { return row * columns + column; }
    int64_t RowAt(int64_t offset) const { return offset / columns; }
    int64_t ColumnAt(int64_t offset) const { return offset % columns; }
};

/// The tiles of B in L1, as MTE1 takes them from there.
template <class ElementB, class LayoutB, uint32_t L1_TILE_N, uint32_t L1_TILE_K> struct TilesInL1 {
    static constexpr bool BY_ROWS = std::is_same_v<LayoutB, layout::RowMajor>;
    static_assert(BY_ROWS || std::is_same_v<LayoutB, layout::ColumnMajor>, "B lies by rows or by columns");

    using Tile = machine::BlockedMatrix<ElementB, BY_ROWS>;
    static constexpr uint32_t LINES = BY_ROWS ? L1_TILE_K : L1_TILE_N;

    /// Takes a tile of depth x columns at `address` as the rows of B from `first` on.
    static machine::Instruction Taking(ElementB *address, CollectedMatrix<ElementB> const &matrix, uint32_t first,
                                       uint32_t depth, uint32_t columns, machine::Site site)
    {
        Tile const tile{address, int64_t{LINES} * Tile::kBlock};
        uint32_t const lines = BY_ROWS ? depth : columns;
        uint32_t const blocks = CeilDiv<uint32_t{Tile::kBlock}>(BY_ROWS ? columns : depth);
        machine::Instruction taking(machine::Pipe::MTE1, "BlockMmad", site);
        taking
            .Reads(machine::Rows(machine::Space::L1, address, blocks, uint64_t{lines} * BYTE_PER_C0,
                                 uint64_t{LINES} * BYTE_PER_C0))
            .Work(uint64_t{depth} * columns * sizeof(ElementB));
        taking.Act([=] {
            for (uint32_t row = 0; row < depth; ++row) {
                for (uint32_t column = 0; column < columns; ++column) {
                    matrix.data[matrix.Index(first + row, column)] = tile.data[tile.Index(row, column)];
                }
            }
        });
        taking.Shadow([=] {
            bool defined = true;
            for (uint32_t row = 0; row < depth; ++row) {
                for (uint32_t column = 0; column < columns; ++column) {
                    defined = defined && machine::LocalDefined(tile.data + tile.Index(row, column), sizeof(ElementB));
                }
            }
            if (!defined) {
                machine::Report({machine::Fault::UndefinedStored,
                                 machine::MakeCall("BlockMmad", machine::Pipe::MTE1, site),
                                 "a tile of B in L1 holds undefined bytes"});
            }
        });
        return taking;
    }
};

/// Flags of a pair of pipes, as Catlass's block has them.
struct FedFlags {
    machine::Site site;

    void Set(machine::Pipe from, machine::Pipe to, uint32_t id) const
    {
        machine::RecordSetFlag(from, to, static_cast<int32_t>(id), "BlockMmad", site);
    }
    void Wait(machine::Pipe from, machine::Pipe to, uint32_t id) const
    {
        machine::RecordWaitFlag(from, to, static_cast<int32_t>(id), "BlockMmad", site);
    }
    /// What `to` does next comes after what `from` has done.
    void Order(machine::Pipe from, machine::Pipe to, uint32_t id) const
    {
        Set(from, to, id);
        Wait(from, to, id);
    }
};

}  // namespace Catlass::Gemm::Block::standin

#endif  // CATLASS_ARCH == 3510

#endif  // CATLASS_GEMM_BLOCK_BLOCK_MMAD_FED_TLA_HPP
