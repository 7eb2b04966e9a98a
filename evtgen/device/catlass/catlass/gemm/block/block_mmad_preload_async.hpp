// BlockMmads that load tiles ahead of the multiplication, beyond the end of a block too.
//
// A block is recorded in parts, because what a core waits for before it stores one does not hold back the loads of the
// next: the loads of each L1 tile on MTE2, its products on M, and on FIX the block as a whole, which computes and stores.
#ifndef CATLASS_GEMM_BLOCK_BLOCK_MMAD_PRELOAD_ASYNC_HPP
#define CATLASS_GEMM_BLOCK_BLOCK_MMAD_PRELOAD_ASYNC_HPP

#include <algorithm>
#include <type_traits>
#include <utility>

#include "catlass/detail/callback.hpp"
#include "catlass/gemm/block/block_mmad.hpp"

namespace Catlass::Gemm::Block {

namespace standin {

/// A block is stored when PRELOAD_STAGES tiles have been loaded after its last one, by calls for later blocks or not
/// before SynchronizeBlock or the end.
template <class DispatchPolicy, class L1TileShape, class L0TileShape, class AType, class BType, class CType,
          class BiasType, class TileMmad>
struct AsyncBlock : Block<DispatchPolicy, L1TileShape, L0TileShape, AType, BType, CType, BiasType, TileMmad> {
    using Base = Block<DispatchPolicy, L1TileShape, L0TileShape, AType, BType, CType, BiasType, TileMmad>;
    using typename Base::ArchTag;
    using typename Base::ElementA;
    using typename Base::ElementB;
    using typename Base::ElementC;
    using typename Base::LayoutA;
    using typename Base::LayoutB;
    using typename Base::LayoutC;

    static constexpr uint32_t PRELOAD_STAGES = DispatchPolicy::PRELOAD_STAGES;
    static constexpr uint32_t L1_STAGES = std::min(Stages<DispatchPolicy>::L1A, Stages<DispatchPolicy>::L1B);
    static constexpr uint32_t L0A_STAGES = DispatchPolicy::L0A_STAGES;
    static constexpr uint32_t L0B_STAGES = DispatchPolicy::L0B_STAGES;
    static constexpr uint32_t L0C_STAGES = DispatchPolicy::L0C_STAGES;
    static constexpr bool ENABLE_SHUFFLE_K = DispatchPolicy::ENABLE_SHUFFLE_K;

    static_assert(std::is_void_v<BiasType>, "this policy has no bias");
    static_assert(PRELOAD_STAGES > 0 && PRELOAD_STAGES <= L1_STAGES, "L1 has no room for tiles so far ahead");

    CATLASS_DEVICE AsyncBlock(Arch::Resource<ArchTag> &resource, uint32_t l1BufAddrStart = 0,
                              machine::Site site = machine::Here())
        : Base(resource, l1BufAddrStart), site_(site)
    {
        for (uint32_t stage = 0; stage < L1_STAGES; ++stage) {
            Set(machine::Pipe::M, machine::Pipe::MTE2, stage, site_);
        }
        for (uint32_t id = 0; id < STORES; ++id) { Set(machine::Pipe::FIX, machine::Pipe::M, id, site_); }
    }

    AsyncBlock(AsyncBlock const &) = delete;
    AsyncBlock &operator=(AsyncBlock const &) = delete;

    CATLASS_DEVICE ~AsyncBlock()
    {
        SynchronizeBlock();
        for (uint32_t stage = 0; stage < L1_STAGES; ++stage) {
            Wait(machine::Pipe::M, machine::Pipe::MTE2, stage, site_);
        }
        for (uint32_t id = 0; id < STORES; ++id) { Wait(machine::Pipe::FIX, machine::Pipe::M, id, site_); }
    }

    CATLASS_DEVICE void SynchronizeBlock()
    {
        while (loaded_ != 0) { MultiplyOldest(); }
    }

protected:
    /// The callbacks run right before and right after the block is stored.
    void Load(AscendC::GlobalTensor<ElementA> const &gmA, LayoutA const &layoutA,
              AscendC::GlobalTensor<ElementB> const &gmB, LayoutB const &layoutB,
              AscendC::GlobalTensor<ElementC> const &gmC, LayoutC const &layoutC, GemmCoord const &actualShape,
              Callback const &beforeFixpipe, Callback const &afterFixpipe, machine::Site site)
    {
        uint32_t const tiles = CeilDiv<L1TileShape::K>(actualShape.k());
        uint32_t const first = ENABLE_SHUFFLE_K ? AscendC::GetBlockIdx() % tiles : 0;
        for (uint32_t i = 0; i < tiles; ++i) {
            uint32_t const begin = (first + i) % tiles * L1TileShape::K;
            uint32_t const depth = std::min<uint32_t>(L1TileShape::K, actualShape.k() - begin);
            auto const tileA = gmA[layoutA.GetOffset(MatrixCoord{0, begin})];
            auto const tileB = gmB[layoutB.GetOffset(MatrixCoord{begin, 0})];
            machine::Instruction load(machine::Pipe::MTE2, "BlockMmad", site);
            load.part = machine::BlockPart::Load;
            load.Reads(RegionOf(AddressOf(tileA), layoutA, actualShape.m(), depth))
                .Reads(RegionOf(AddressOf(tileB), layoutB, depth, actualShape.n()));
            Wait(machine::Pipe::M, machine::Pipe::MTE2, stage_, site);
            machine::Record(std::move(load));
            Set(machine::Pipe::MTE2, machine::Pipe::M, stage_, site);
            if (loaded_ == PRELOAD_STAGES) { MultiplyOldest(); }
            tiles_[(oldest_ + loaded_++) % PRELOAD_STAGES] = {gmA,     layoutA,     gmB,           layoutB,      gmC,
                                                              layoutC, actualShape, beforeFixpipe, afterFixpipe, site,
                                                              stage_,  depth,       i + 1 == tiles};
            stage_ = (stage_ + 1) % L1_STAGES;
        }
    }

    /// Forgets the tiles that have not been multiplied.
    void Drop() { loaded_ = 0; }

private:
    /// Flags between M and FIX, in turn. So many that M does not wait for what is on its way to GM: after a block that is
    /// one instruction, it does not either.
    static constexpr uint32_t STORES = 6;

    struct Tile {
        AscendC::GlobalTensor<ElementA> gmA;
        LayoutA layoutA;
        AscendC::GlobalTensor<ElementB> gmB;
        LayoutB layoutB;
        AscendC::GlobalTensor<ElementC> gmC;
        LayoutC layoutC;
        GemmCoord actualShape;
        Callback beforeFixpipe;
        Callback afterFixpipe;
        machine::Site site;
        uint32_t stage;
        uint32_t depth;
        bool isLast;
    };

    static void Set(machine::Pipe from, machine::Pipe to, uint32_t id, machine::Site site)
    {
        machine::RecordSetFlag(from, to, static_cast<int32_t>(id), "BlockMmad", site);
    }
    static void Wait(machine::Pipe from, machine::Pipe to, uint32_t id, machine::Site site)
    {
        machine::RecordWaitFlag(from, to, static_cast<int32_t>(id), "BlockMmad", site);
    }

    void MultiplyOldest()
    {
        Tile const &tile = tiles_[oldest_];
        oldest_ = (oldest_ + 1) % PRELOAD_STAGES;
        --loaded_;
        machine::Instruction products(machine::Pipe::M, "BlockMmad", tile.site);
        products.part = machine::BlockPart::Multiply;
        products.Work(machine::MacsOfHalf<ElementA, ElementB>(tile.actualShape.m(), tile.actualShape.n(), tile.depth));
        // A tile takes as long as its loads or as its products, as a whole block does: so M waits at the end.
        machine::Record(std::move(products));
        Wait(machine::Pipe::MTE2, machine::Pipe::M, tile.stage, tile.site);
        Set(machine::Pipe::M, machine::Pipe::MTE2, tile.stage, tile.site);
        if (tile.isLast) {
            tile.beforeFixpipe();
            Wait(machine::Pipe::FIX, machine::Pipe::M, store_, tile.site);
            Set(machine::Pipe::M, machine::Pipe::FIX, store_, tile.site);
            Wait(machine::Pipe::M, machine::Pipe::FIX, store_, tile.site);
            Set(machine::Pipe::FIX, machine::Pipe::M, store_, tile.site);
            store_ = (store_ + 1) % STORES;
            machine::Instruction product = Base::ProductOf(tile.gmA, tile.layoutA, tile.gmB, tile.layoutB, tile.gmC,
                                                           tile.layoutC, nullptr, tile.actualShape, tile.site);
            product.part = machine::BlockPart::Store;
            machine::Record(std::move(product));
            tile.afterFixpipe();
        }
    }

    machine::Site site_;
    Tile tiles_[PRELOAD_STAGES];
    uint32_t oldest_ = 0;
    uint32_t loaded_ = 0;
    uint32_t stage_ = 0;
    uint32_t store_ = 0;
};

}  // namespace standin

template <uint32_t PRELOAD_STAGES_, uint32_t L1_STAGES_, uint32_t L0A_STAGES_, uint32_t L0B_STAGES_,
          uint32_t L0C_STAGES_, bool ENABLE_UNIT_FLAG_, bool ENABLE_SHUFFLE_K_, class L1TileShape_, class L0TileShape_,
          class AType_, class BType_, class CType_, class BiasType_, class TileCopy_, class TileMmad_>
struct BlockMmad<MmadAtlasA2PreloadAsync<PRELOAD_STAGES_, L1_STAGES_, L0A_STAGES_, L0B_STAGES_, L0C_STAGES_,
                                         ENABLE_UNIT_FLAG_, ENABLE_SHUFFLE_K_>,
                 L1TileShape_, L0TileShape_, AType_, BType_, CType_, BiasType_, TileCopy_, TileMmad_>
    : standin::AsyncBlock<MmadAtlasA2PreloadAsync<PRELOAD_STAGES_, L1_STAGES_, L0A_STAGES_, L0B_STAGES_, L0C_STAGES_,
                                                  ENABLE_UNIT_FLAG_, ENABLE_SHUFFLE_K_>,
                          L1TileShape_, L0TileShape_, AType_, BType_, CType_, BiasType_, TileMmad_> {
    using BlockMmad::AsyncBlock::AsyncBlock;
    using typename BlockMmad::AsyncBlock::ElementA;
    using typename BlockMmad::AsyncBlock::ElementB;
    using typename BlockMmad::AsyncBlock::ElementC;
    using typename BlockMmad::AsyncBlock::LayoutA;
    using typename BlockMmad::AsyncBlock::LayoutB;
    using typename BlockMmad::AsyncBlock::LayoutC;

    CATLASS_DEVICE void operator()(AscendC::GlobalTensor<ElementA> const &gmA, LayoutA const &layoutA,
                                   AscendC::GlobalTensor<ElementB> const &gmB, LayoutB const &layoutB,
                                   AscendC::GlobalTensor<ElementC> const &gmC, LayoutC const &layoutC,
                                   GemmCoord const &actualShape, Callback const &afterFixpipe = {},
                                   machine::Site site = machine::Here())
    {
        this->Load(gmA, layoutA, gmB, layoutB, gmC, layoutC, actualShape, Callback{}, afterFixpipe, site);
    }
};

template <uint32_t PRELOAD_STAGES_, uint32_t L1_STAGES_, uint32_t L0A_STAGES_, uint32_t L0B_STAGES_,
          uint32_t L0C_STAGES_, bool ENABLE_UNIT_FLAG_, bool ENABLE_SHUFFLE_K_, class L1TileShape_, class L0TileShape_,
          class AType_, class BType_, class CType_, class BiasType_, class TileCopy_, class TileMmad_>
struct BlockMmad<MmadAtlasA2PreloadAsyncWithCallback<PRELOAD_STAGES_, L1_STAGES_, L0A_STAGES_, L0B_STAGES_, L0C_STAGES_,
                                                     ENABLE_UNIT_FLAG_, ENABLE_SHUFFLE_K_>,
                 L1TileShape_, L0TileShape_, AType_, BType_, CType_, BiasType_, TileCopy_, TileMmad_>
    : standin::AsyncBlock<MmadAtlasA2PreloadAsyncWithCallback<PRELOAD_STAGES_, L1_STAGES_, L0A_STAGES_, L0B_STAGES_,
                                                              L0C_STAGES_, ENABLE_UNIT_FLAG_, ENABLE_SHUFFLE_K_>,
                          L1TileShape_, L0TileShape_, AType_, BType_, CType_, BiasType_, TileMmad_> {
    using BlockMmad::AsyncBlock::AsyncBlock;
    using typename BlockMmad::AsyncBlock::ElementA;
    using typename BlockMmad::AsyncBlock::ElementB;
    using typename BlockMmad::AsyncBlock::ElementC;
    using typename BlockMmad::AsyncBlock::LayoutA;
    using typename BlockMmad::AsyncBlock::LayoutB;
    using typename BlockMmad::AsyncBlock::LayoutC;

    CATLASS_DEVICE void operator()(AscendC::GlobalTensor<ElementA> const &gmA, LayoutA const &layoutA,
                                   AscendC::GlobalTensor<ElementB> const &gmB, LayoutB const &layoutB,
                                   AscendC::GlobalTensor<ElementC> const &gmC, LayoutC const &layoutC,
                                   GemmCoord const &actualShape, Callback const &beforeFixpipe,
                                   Callback const &afterFixpipe, machine::Site site = machine::Here())
    {
        this->Load(gmA, layoutA, gmB, layoutB, gmC, layoutC, actualShape, beforeFixpipe, afterFixpipe, site);
    }
};

}  // namespace Catlass::Gemm::Block

#endif  // CATLASS_GEMM_BLOCK_BLOCK_MMAD_PRELOAD_ASYNC_HPP
