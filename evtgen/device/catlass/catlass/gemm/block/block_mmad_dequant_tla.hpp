// BlockMmadTla with the policy MmadDequant: one block of C = A * B of integers, whose columns are multiplied by scales while it is
// stored as half. Recorded as any other block. As in Catlass v1.5 and later, without a bias and with scales of columns.
#ifndef CATLASS_GEMM_BLOCK_BLOCK_MMAD_DEQUANT_TLA_HPP
#define CATLASS_GEMM_BLOCK_BLOCK_MMAD_DEQUANT_TLA_HPP

#if defined(CATLASS_ARCH) && CATLASS_ARCH == 3510

#include "block_mmad_tla.hpp"

namespace Catlass::Gemm::Block {

template <class ArchTag_, bool ENABLE_UNIT_FLAG_, bool USE_HF32_MODE_, uint32_t L0C_STAGES_, bool ENABLE_L1_RESIDENT_,
          uint32_t L1A_STAGES_, uint32_t L1B_STAGES_, uint32_t L0A_STAGES_, uint32_t L0B_STAGES_, class L1TileShape_,
          class L0TileShape_, class ElementA_, class ElementB_, class ElementC_, class TileCopy_, class TileMmad_>
struct BlockMmadTla<MmadDequant<ArchTag_, ENABLE_UNIT_FLAG_, USE_HF32_MODE_, L0C_STAGES_, ENABLE_L1_RESIDENT_,
                                L1A_STAGES_, L1B_STAGES_, L0A_STAGES_, L0B_STAGES_>,
                    L1TileShape_, L0TileShape_, ElementA_, ElementB_, ElementC_, void, TileCopy_, TileMmad_>
    : BlockMmadTla<MmadPingpong<ArchTag_, ENABLE_UNIT_FLAG_, USE_HF32_MODE_, L0C_STAGES_, ENABLE_L1_RESIDENT_,
                                L1A_STAGES_, L1B_STAGES_, L0A_STAGES_, L0B_STAGES_>,
                   L1TileShape_, L0TileShape_, ElementA_, ElementB_, ElementC_, void, TileCopy_, TileMmad_> {
    using Plain = BlockMmadTla<MmadPingpong<ArchTag_, ENABLE_UNIT_FLAG_, USE_HF32_MODE_, L0C_STAGES_,
                                            ENABLE_L1_RESIDENT_, L1A_STAGES_, L1B_STAGES_, L0A_STAGES_, L0B_STAGES_>,
                               L1TileShape_, L0TileShape_, ElementA_, ElementB_, ElementC_, void, TileCopy_, TileMmad_>;
    using Plain::Plain;

    static_assert(TileCopy_::HAS_QUANT_TENSOR, "the CPU model has scales of columns with this policy");
    static_assert(L1A_STAGES_ + L1B_STAGES_ <= 6, "more tiles than flags");
    static_assert(Plain::L1A_SIZE * L1A_STAGES_ + Plain::L1B_SIZE * L1B_STAGES_ + Plain::L1_TILE_N * sizeof(uint64_t) <=
                      ArchTag_::L1_SIZE,
                  "the L1 tiles and the scales do not fit L1");

    template <class TensorA, class TensorB, class TensorC, class TensorQuant>
    CATLASS_DEVICE void operator()(TensorA &tensorA, TensorB &tensorB, TensorC &tensorC, GemmCoord const &actualShape,
                                   EmptyClass const &, TensorQuant const &tensorQuant,
                                   machine::Site site = machine::Here())
    {
        static_assert(
            std::is_same_v<typename TensorQuant::Element, uint64_t> && TensorQuant::position == AscendC::TPosition::GM,
            "scales are uint64_t in GM");
        Plain::Scaled(tensorA, tensorB, tensorC, actualShape, nullptr,
                      standin::AddressOf(standin::StartOf(tensorQuant)), site);
    }
};

}  // namespace Catlass::Gemm::Block

#endif  // CATLASS_ARCH == 3510

#endif  // CATLASS_GEMM_BLOCK_BLOCK_MMAD_DEQUANT_TLA_HPP
