// The model's cube side in place of the checkout's: that of the stand-in, and the policies that only a checkout has.
#ifndef EVTGEN_OVERLAY_BLOCK_MMAD_HPP
#define EVTGEN_OVERLAY_BLOCK_MMAD_HPP

#include "../../../../catlass/catlass/gemm/block/block_mmad.hpp"

#include <vector>

#include "catlass/detail/callback.hpp"
#include "catlass/gemm/helper.hpp"

namespace Catlass::Gemm {

// Catlass v1.0 has no such policy.
template <bool ENABLE_UNIT_FLAG_>
struct MmadAtlasA2PingpongBias;

namespace Block {

namespace standin {

template <
    class DispatchPolicy, class L1TileShape, class L0TileShape, class AType, class BType, class CType, class BiasType,
    class TileMmad>
struct PreloadBlock : Block<DispatchPolicy, L1TileShape, L0TileShape, AType, BType, CType, BiasType, TileMmad> {
    using Base = Block<DispatchPolicy, L1TileShape, L0TileShape, AType, BType, CType, BiasType, TileMmad>;
    using Base::Base;
    using typename Base::ElementA;
    using typename Base::ElementB;
    using typename Base::ElementC;
    using typename Base::LayoutA;
    using typename Base::LayoutB;
    using typename Base::LayoutC;

    static_assert(std::is_void_v<BiasType>, "this policy has no bias");

    /// The first tile of the next block is loaded before this one is stored.
    CATLASS_DEVICE
    void operator()(
        AscendC::GlobalTensor<ElementA> const& gmA, LayoutA const& layoutA, AscendC::GlobalTensor<ElementB> const& gmB,
        LayoutB const& layoutB, AscendC::GlobalTensor<ElementC> const& gmC, LayoutC const& layoutC,
        AscendC::GlobalTensor<ElementA> const& gmNextA, AscendC::GlobalTensor<ElementB> const& gmNextB,
        GemmCoord const& actualShape, GemmCoord const& actualShapeNext, bool, bool hasNextBlock,
        machine::Site site = machine::Here())
    {
        machine::Instruction product =
            Base::ProductOf(gmA, layoutA, gmB, layoutB, gmC, layoutC, nullptr, actualShape, site);
        if (hasNextBlock) {
            uint32_t const tiles = CeilDiv<L1TileShape::K>(actualShapeNext.k());
            uint32_t const first = DispatchPolicy::ENABLE_SHUFFLE_K ? AscendC::GetBlockIdx() % tiles : 0;
            uint32_t const begin = first * L1TileShape::K;
            uint32_t const depth = std::min<uint32_t>(L1TileShape::K, actualShapeNext.k() - begin);
            auto const nextA = gmNextA[layoutA.GetOffset(MatrixCoord{0, begin})];
            auto const nextB = gmNextB[layoutB.GetOffset(MatrixCoord{begin, 0})];
            product.Reads(RegionOf(nextA.GetPhyAddr(), layoutA, actualShapeNext.m(), depth))
                .Reads(RegionOf(nextB.GetPhyAddr(), layoutB, depth, actualShapeNext.n()));
        }
        machine::Record(std::move(product));
    }
};

/// Loads tiles PRELOAD_STAGES ahead of the multiplication: a block is computed and stored when as many tiles have been
/// loaded after its last one, by calls for later blocks or not before SynchronizeBlock or the end.
template <
    class DispatchPolicy, class L1TileShape, class L0TileShape, class AType, class BType, class CType, class BiasType,
    class TileMmad>
struct AsyncBlock : Block<DispatchPolicy, L1TileShape, L0TileShape, AType, BType, CType, BiasType, TileMmad> {
    using Base = Block<DispatchPolicy, L1TileShape, L0TileShape, AType, BType, CType, BiasType, TileMmad>;
    using Base::Base;
    using typename Base::ElementA;
    using typename Base::ElementB;
    using typename Base::ElementC;
    using typename Base::LayoutA;
    using typename Base::LayoutB;
    using typename Base::LayoutC;

    static constexpr uint32_t PRELOAD_STAGES = DispatchPolicy::PRELOAD_STAGES;
    static constexpr uint32_t L1_STAGES = DispatchPolicy::L1_STAGES;
    static constexpr uint32_t L0A_STAGES = DispatchPolicy::L0A_STAGES;
    static constexpr uint32_t L0B_STAGES = DispatchPolicy::L0B_STAGES;
    static constexpr uint32_t L0C_STAGES = DispatchPolicy::L0C_STAGES;
    static constexpr bool ENABLE_SHUFFLE_K = DispatchPolicy::ENABLE_SHUFFLE_K;

    static_assert(std::is_void_v<BiasType>, "this policy has no bias");

    AsyncBlock(AsyncBlock const&) = delete;
    AsyncBlock& operator=(AsyncBlock const&) = delete;

    CATLASS_DEVICE
    ~AsyncBlock()
    {
        SynchronizeBlock();
    }

    CATLASS_DEVICE
    void SynchronizeBlock()
    {
        while (!loaded_.empty()) {
            MultiplyOldest();
        }
    }

protected:
    /// The callbacks run right before and right after the block is stored.
    void Load(
        AscendC::GlobalTensor<ElementA> const& gmA, LayoutA const& layoutA, AscendC::GlobalTensor<ElementB> const& gmB,
        LayoutB const& layoutB, AscendC::GlobalTensor<ElementC> const& gmC, LayoutC const& layoutC,
        GemmCoord const& actualShape, Callback const& beforeFixpipe, Callback const& afterFixpipe, machine::Site site)
    {
        uint32_t const tiles = CeilDiv<L1TileShape::K>(actualShape.k());
        for (uint32_t tile = 0; tile < tiles; ++tile) {
            if (loaded_.size() == PRELOAD_STAGES) {
                MultiplyOldest();
            }
            loaded_.push_back(
                {gmA, layoutA, gmB, layoutB, gmC, layoutC, actualShape, beforeFixpipe, afterFixpipe, site,
                 tile + 1 == tiles});
        }
    }

private:
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
        bool isLast;
    };

    void MultiplyOldest()
    {
        Tile const tile = loaded_.front();
        loaded_.erase(loaded_.begin());
        if (tile.isLast) {
            tile.beforeFixpipe();
            machine::Record(Base::ProductOf(
                tile.gmA, tile.layoutA, tile.gmB, tile.layoutB, tile.gmC, tile.layoutC, nullptr, tile.actualShape,
                tile.site));
            tile.afterFixpipe();
        }
    }

    std::vector<Tile> loaded_;
};

/// Sums start from the bias.
template <
    class DispatchPolicy, class L1TileShape, class L0TileShape, class AType, class BType, class CType, class BiasType,
    class TileMmad>
struct BiasBlock : Block<DispatchPolicy, L1TileShape, L0TileShape, AType, BType, CType, BiasType, TileMmad> {
    using Base = Block<DispatchPolicy, L1TileShape, L0TileShape, AType, BType, CType, BiasType, TileMmad>;
    using Base::Base;
    using typename Base::ElementA;
    using typename Base::ElementB;
    using typename Base::ElementBias;
    using typename Base::ElementC;
    using typename Base::LayoutA;
    using typename Base::LayoutB;
    using typename Base::LayoutC;

    static constexpr uint32_t STAGES = DispatchPolicy::STAGES;

    static_assert(!std::is_void_v<BiasType>, "this policy needs a bias");

    CATLASS_DEVICE
    void operator()(
        AscendC::GlobalTensor<ElementA> const& gmA, LayoutA const& layoutA, AscendC::GlobalTensor<ElementB> const& gmB,
        LayoutB const& layoutB, AscendC::GlobalTensor<ElementC> const& gmC, LayoutC const& layoutC,
        AscendC::GlobalTensor<ElementBias> const& gmBias, GemmCoord const& actualShape,
        machine::Site site = machine::Here())
    {
        machine::Record(
            Base::ProductOf(gmA, layoutA, gmB, layoutB, gmC, layoutC, gmBias.GetPhyAddr(), actualShape, site));
    }
};

}  // namespace standin

template <
    bool UNIT_FLAG, bool SHUFFLE_K, class L1TileShape, class L0TileShape, class AType, class BType, class CType,
    class BiasType, class TileCopy, class TileMmad>
struct BlockMmad<
    MmadAtlasA2Preload<UNIT_FLAG, SHUFFLE_K>, L1TileShape, L0TileShape, AType, BType, CType, BiasType, TileCopy,
    TileMmad>
    : standin::PreloadBlock<
          MmadAtlasA2Preload<UNIT_FLAG, SHUFFLE_K>, L1TileShape, L0TileShape, AType, BType, CType, BiasType, TileMmad> {
    using BlockMmad::PreloadBlock::PreloadBlock;
};

template <
    uint32_t PRELOAD, uint32_t L1, uint32_t L0A, uint32_t L0B, uint32_t L0C, bool UNIT_FLAG, bool SHUFFLE_K,
    class L1TileShape, class L0TileShape, class AType, class BType, class CType, class BiasType, class TileCopy,
    class TileMmad>
struct BlockMmad<
    MmadAtlasA2PreloadAsync<PRELOAD, L1, L0A, L0B, L0C, UNIT_FLAG, SHUFFLE_K>, L1TileShape, L0TileShape, AType, BType,
    CType, BiasType, TileCopy, TileMmad>
    : standin::AsyncBlock<
          MmadAtlasA2PreloadAsync<PRELOAD, L1, L0A, L0B, L0C, UNIT_FLAG, SHUFFLE_K>, L1TileShape, L0TileShape, AType,
          BType, CType, BiasType, TileMmad> {
    using BlockMmad::AsyncBlock::AsyncBlock;
    using typename BlockMmad::AsyncBlock::ElementA;
    using typename BlockMmad::AsyncBlock::ElementB;
    using typename BlockMmad::AsyncBlock::ElementC;
    using typename BlockMmad::AsyncBlock::LayoutA;
    using typename BlockMmad::AsyncBlock::LayoutB;
    using typename BlockMmad::AsyncBlock::LayoutC;

    CATLASS_DEVICE
    void operator()(
        AscendC::GlobalTensor<ElementA> const& gmA, LayoutA const& layoutA, AscendC::GlobalTensor<ElementB> const& gmB,
        LayoutB const& layoutB, AscendC::GlobalTensor<ElementC> const& gmC, LayoutC const& layoutC,
        GemmCoord const& actualShape, Callback const& afterFixpipe = {}, machine::Site site = machine::Here())
    {
        this->Load(gmA, layoutA, gmB, layoutB, gmC, layoutC, actualShape, Callback{}, afterFixpipe, site);
    }
};

template <
    uint32_t PRELOAD, uint32_t L1, uint32_t L0A, uint32_t L0B, uint32_t L0C, bool UNIT_FLAG, bool SHUFFLE_K,
    class L1TileShape, class L0TileShape, class AType, class BType, class CType, class BiasType, class TileCopy,
    class TileMmad>
struct BlockMmad<
    MmadAtlasA2PreloadAsyncWithCallback<PRELOAD, L1, L0A, L0B, L0C, UNIT_FLAG, SHUFFLE_K>, L1TileShape, L0TileShape,
    AType, BType, CType, BiasType, TileCopy, TileMmad>
    : standin::AsyncBlock<
          MmadAtlasA2PreloadAsyncWithCallback<PRELOAD, L1, L0A, L0B, L0C, UNIT_FLAG, SHUFFLE_K>, L1TileShape,
          L0TileShape, AType, BType, CType, BiasType, TileMmad> {
    using BlockMmad::AsyncBlock::AsyncBlock;
    using typename BlockMmad::AsyncBlock::ElementA;
    using typename BlockMmad::AsyncBlock::ElementB;
    using typename BlockMmad::AsyncBlock::ElementC;
    using typename BlockMmad::AsyncBlock::LayoutA;
    using typename BlockMmad::AsyncBlock::LayoutB;
    using typename BlockMmad::AsyncBlock::LayoutC;

    CATLASS_DEVICE
    void operator()(
        AscendC::GlobalTensor<ElementA> const& gmA, LayoutA const& layoutA, AscendC::GlobalTensor<ElementB> const& gmB,
        LayoutB const& layoutB, AscendC::GlobalTensor<ElementC> const& gmC, LayoutC const& layoutC,
        GemmCoord const& actualShape, Callback const& beforeFixpipe, Callback const& afterFixpipe,
        machine::Site site = machine::Here())
    {
        this->Load(gmA, layoutA, gmB, layoutB, gmC, layoutC, actualShape, beforeFixpipe, afterFixpipe, site);
    }
};

template <
    bool UNIT_FLAG, class L1TileShape, class L0TileShape, class AType, class BType, class CType, class BiasType,
    class TileCopy, class TileMmad>
struct BlockMmad<
    MmadAtlasA2PingpongBias<UNIT_FLAG>, L1TileShape, L0TileShape, AType, BType, CType, BiasType, TileCopy, TileMmad>
    : standin::BiasBlock<
          MmadAtlasA2PingpongBias<UNIT_FLAG>, L1TileShape, L0TileShape, AType, BType, CType, BiasType, TileMmad> {
    using BlockMmad::BiasBlock::BiasBlock;
};

}  // namespace Block

}  // namespace Catlass::Gemm

#endif  // EVTGEN_OVERLAY_BLOCK_MMAD_HPP
