// BlockMmadTla with the policy MmadMx: one block of C = A * B of operands in MX formats, each with a tensor of scales. Recorded
// as any other block; 32 elements along K share a scale, products are exact and are summed up in float32. As in Catlass
// v1.6.
#ifndef CATLASS_GEMM_BLOCK_BLOCK_MMAD_MX_TLA_HPP
#define CATLASS_GEMM_BLOCK_BLOCK_MMAD_MX_TLA_HPP

#if defined(CATLASS_ARCH) && CATLASS_ARCH == 3510

#include "block_mmad_tla.hpp"

namespace Catlass::Gemm::Block {

namespace standin {

/// A matrix in GM with the scales of a tensor, whose first one is of the matrix's first element.
template <bool IS_B, class Element, class Tensor>
machine::ScaledMatrix<Element const, IS_B> ScaledOf(machine::Matrix<Element const> const &matrix, Tensor const &scales)
{
    constexpr int ALONG = IS_B ? 0 : 1;
    static_assert(std::is_same_v<typename Tensor::Element, float8_e8m0_t>, "scales are of float8_e8m0_t");
    static_assert(Tensor::position == AscendC::TPosition::GM, "scales are in GM");
    auto const stride = scales.stride();
    return {matrix, reinterpret_cast<uint8_t const *>(AddressOf(StartOf(scales))),
            static_cast<int64_t>(tla::get<1 - ALONG>(stride)),
            static_cast<int64_t>(tla::get<1>(tla::get<ALONG>(stride)))};
}

/// The bytes that a block reads of its scales: so many lines, rows of A or columns of B, with whole pairs of scales.
template <class Scaled> machine::Region ScalesOf(Scaled const &matrix, uint32_t lines, uint32_t k)
{
    uint64_t const pairs = CeilDiv<MX_BASEK_FACTOR>(k);
    if (matrix.pairStride == MX_SCALE_COPY_GROUP_NUM) {
        return machine::Rows(machine::Space::GM, matrix.scales, lines, pairs * MX_SCALE_COPY_GROUP_NUM,
                             static_cast<uint64_t>(matrix.scaleStride));
    }
    return machine::Rows(machine::Space::GM, matrix.scales, pairs, uint64_t{lines} * MX_SCALE_COPY_GROUP_NUM,
                         static_cast<uint64_t>(matrix.pairStride));
}

}  // namespace standin

template <class ArchTag_, bool ENABLE_UNIT_FLAG_, uint32_t L1_SCALE_FACTOR_K_, uint32_t L0C_STAGES_,
          bool ENABLE_L1_RESIDENT_, uint32_t L1A_STAGES_, uint32_t L1B_STAGES_, uint32_t L0A_STAGES_,
          uint32_t L0B_STAGES_, class L1TileShape_, class L0TileShape_, class ElementA_, class ElementB_,
          class ElementC_, class ElementBias_, class TileCopy_, class TileMmad_>
struct BlockMmadTla<MmadMx<ArchTag_, ENABLE_UNIT_FLAG_, L1_SCALE_FACTOR_K_, L0C_STAGES_, ENABLE_L1_RESIDENT_,
                           L1A_STAGES_, L1B_STAGES_, L0A_STAGES_, L0B_STAGES_>,
                    L1TileShape_, L0TileShape_, ElementA_, ElementB_, ElementC_, ElementBias_, TileCopy_, TileMmad_>
    : standin::TlaBase<MmadMx<ArchTag_, ENABLE_UNIT_FLAG_, L1_SCALE_FACTOR_K_, L0C_STAGES_, ENABLE_L1_RESIDENT_,
                              L1A_STAGES_, L1B_STAGES_, L0A_STAGES_, L0B_STAGES_>,
                       L1TileShape_, L0TileShape_, ElementA_, ElementB_, ElementC_, ElementBias_, TileCopy_,
                       TileMmad_> {
    using Base = standin::TlaBase<MmadMx<ArchTag_, ENABLE_UNIT_FLAG_, L1_SCALE_FACTOR_K_, L0C_STAGES_,
                                         ENABLE_L1_RESIDENT_, L1A_STAGES_, L1B_STAGES_, L0A_STAGES_, L0B_STAGES_>,
                                  L1TileShape_, L0TileShape_, ElementA_, ElementB_, ElementC_, ElementBias_, TileCopy_,
                                  TileMmad_>;
    using Base::Base;
    using typename Base::ArchTag;
    using typename Base::ElementA;
    using typename Base::ElementAccumulator;
    using typename Base::ElementB;
    using typename Base::ElementC;
    using TileCopy = TileCopy_;
    using ElementMxScaleA = typename TileCopy::ElementMxScaleA;
    using ElementMxScaleB = typename TileCopy::ElementMxScaleB;
    using L1TileShape = L1TileShape_;
    using L0TileShape = L0TileShape_;
    using LayoutA = typename TileCopy::LayoutA;
    using LayoutB = typename TileCopy::LayoutB;
    using LayoutC = typename TileCopy::LayoutC;

    static constexpr bool HAS_BIAS = TileCopy::HAS_BIAS;
    static constexpr uint32_t L1A_STAGES = L1A_STAGES_;
    static constexpr uint32_t L1B_STAGES = L1B_STAGES_;
    static constexpr uint32_t L1_TILE_M = tla::get<0>(L1TileShape{});
    static constexpr uint32_t L1_TILE_N = tla::get<1>(L1TileShape{});
    static constexpr uint32_t L1_TILE_K = tla::get<2>(L1TileShape{});
    static constexpr uint32_t L1_SCALE_FACTOR_K = L1_SCALE_FACTOR_K_;
    static constexpr uint32_t L1_SCALES = L1_TILE_K / MX_SCALE_GROUP_NUM * L1_SCALE_FACTOR_K;

    static_assert(!ENABLE_L1_RESIDENT_, "the CPU model does not have tiles that stay in L1 from block to block");
    static_assert(!(ENABLE_UNIT_FLAG_ && L0C_STAGES_ != 1), "with the unit flag, L0C holds one tile");
    static_assert(std::is_void_v<ElementBias_> && !HAS_BIAS, "the CPU model does not have a bias beside scales");
    static_assert(L1A_STAGES + L1B_STAGES <= 8 && L0A_STAGES_ + L0B_STAGES_ <= 8, "more tiles than flags");
    static_assert(L1_TILE_K % MX_BASEK_FACTOR == 0 && tla::get<2>(L0TileShape{}) % MX_BASEK_FACTOR == 0,
                  "the tile's k is not a multiple of 64");
    static_assert(L1_SCALE_FACTOR_K >= 1 && (Base::L1A_SIZE + L1_TILE_M * L1_SCALES) * L1A_STAGES +
                                                    (Base::L1B_SIZE + L1_TILE_N * L1_SCALES) * L1B_STAGES <=
                                                ArchTag::L1_SIZE,
                  "the L1 tiles and their scales do not fit L1");

    /// C's tensor lies in GM, or for TileCopy = PackedMxTileCopyTlaToUB in UB.
    template <class TensorA, class TensorB, class TensorC, class TensorMxScaleA, class TensorMxScaleB>
    CATLASS_DEVICE void operator()(TensorA &tensorA, TensorB &tensorB, TensorC &tensorC, GemmCoord const &actualShape,
                                   TensorMxScaleA const &tensorMxScaleA, TensorMxScaleB const &tensorMxScaleB,
                                   EmptyClass const & = {}, machine::Site site = machine::Here())
    {
        static_assert(TensorA::position == AscendC::TPosition::GM && TensorB::position == AscendC::TPosition::GM,
                      "A and B are in GM");
        auto const layoutA = standin::LayoutOf<typename TileCopy::LayoutTagA>(tensorA);
        auto const layoutB = standin::LayoutOf<typename TileCopy::LayoutTagB>(tensorB);
        auto const gmA = standin::StartOf(tensorA);
        auto const gmB = standin::StartOf(tensorB);
        auto const a = standin::ScaledOf<false>(standin::MatrixOf<ElementA const>(standin::AddressOf(gmA), layoutA),
                                                tensorMxScaleA);
        auto const b = standin::ScaledOf<true>(standin::MatrixOf<ElementB const>(standin::AddressOf(gmB), layoutB),
                                               tensorMxScaleB);
        machine::Instruction product = Base::ReadsOf(gmA, layoutA, gmB, layoutB, nullptr, actualShape, site);
        product.Reads(standin::ScalesOf(a, actualShape.m(), actualShape.k()))
            .Reads(standin::ScalesOf(b, actualShape.n(), actualShape.k()));
        Base::Store(std::move(product), a, b, tensorC, nullptr, actualShape);
    }
};

}  // namespace Catlass::Gemm::Block

#endif  // CATLASS_ARCH == 3510

#endif  // CATLASS_GEMM_BLOCK_BLOCK_MMAD_MX_TLA_HPP
