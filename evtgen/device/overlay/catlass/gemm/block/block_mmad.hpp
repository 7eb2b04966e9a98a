// The model's cube side in place of the checkout's: that of the stand-in, and the policies that only a checkout has.
#ifndef EVTGEN_OVERLAY_BLOCK_MMAD_HPP
#define EVTGEN_OVERLAY_BLOCK_MMAD_HPP

#include "../../../../catlass/catlass/gemm/block/block_mmad.hpp"

#include "catlass/gemm/helper.hpp"

namespace Catlass::Gemm {

// Catlass v1.0 has no such policy.
template <bool ENABLE_UNIT_FLAG_> struct MmadAtlasA2PingpongBias;

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
    CATLASS_DEVICE void operator()(
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
            product.Reads(RegionOf(AddressOf(nextA), layoutA, actualShapeNext.m(), depth))
                .Reads(RegionOf(AddressOf(nextB), layoutB, depth, actualShapeNext.n()));
        }
        machine::Record(std::move(product));
    }
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

    CATLASS_DEVICE void operator()(
        AscendC::GlobalTensor<ElementA> const& gmA, LayoutA const& layoutA, AscendC::GlobalTensor<ElementB> const& gmB,
        LayoutB const& layoutB, AscendC::GlobalTensor<ElementC> const& gmC, LayoutC const& layoutC,
        AscendC::GlobalTensor<ElementBias> const& gmBias, GemmCoord const& actualShape,
        machine::Site site = machine::Here())
    {
        machine::Record(
            Base::ProductOf(gmA, layoutA, gmB, layoutB, gmC, layoutC, AddressOf(gmBias), actualShape, site));
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
