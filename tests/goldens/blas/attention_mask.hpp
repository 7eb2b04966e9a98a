#ifndef EVTGEN_attention_mask_HPP
#define EVTGEN_attention_mask_HPP

#include <type_traits>

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/fusion.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue attention_mask, of C = A * B:
//
//     scores = (C * 0.125) + float(mask)

namespace Catlass::Evt::attention_mask {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

/// Fusion::Muls with scalar bound.
template <class Element>
struct MulsConstant {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        Fusion::Muls<Element>{}(dst, count, a, static_cast<Element>(0.125f));
    }
};

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using Muls = Fusion::VisitorCompute<MulsConstant, float>;
using AuxLoadMask = Fusion::VisitorAuxLoad<half, layout::RowMajor>;
using CastToFloat32 = Fusion::VisitorCast<float, half>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using AuxStoreScores = Fusion::VisitorAuxStore<float, layout::RowMajor>;

using EVT = Fusion::TreeVisitor<
    AuxStoreScores,
    Fusion::TreeVisitor<Plus, Fusion::TreeVisitor<Muls, AccLoad>, Fusion::TreeVisitor<CastToFloat32, AuxLoadMask>>>;

// Each position of the arguments belongs to its node
static_assert(std::is_same_v<
              EVT::Arguments, tla::tuple<
                                  tla::tuple<
                                      tla::tuple<AccLoad::Arguments, Muls::Arguments>,
                                      tla::tuple<AuxLoadMask::Arguments, CastToFloat32::Arguments>, Plus::Arguments>,
                                  AuxStoreScores::Arguments>>);

// Elements of one node's buffer: 187776 of 188160 bytes of UB with 2 buffers
constexpr uint32_t COMPUTE_LENGTH = 5216;
static_assert(EVT::UbBytes(COMPUTE_LENGTH) * 2 <= 188160, "AscendC keeps the rest of UB for itself");

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// What the epilogue takes, by name.
struct Arguments {
    GM_ADDR mask{nullptr};  ///< in: half, M x N
    layout::RowMajor layoutMask{};
    GM_ADDR scores{nullptr};  ///< out: float, M x N
    layout::RowMajor layoutScores{};

    /// The same as the nest that the graph takes.
    EVT::Arguments ToEvt() const
    {
        return {
            {{AccLoad::Arguments{}, Muls::Arguments{}},
             {AuxLoadMask::Arguments{mask, layoutMask}, CastToFloat32::Arguments{}},
             Plus::Arguments{}},
            AuxStoreScores::Arguments{scores, layoutScores}};
    }
};

}  // namespace Catlass::Evt::attention_mask

#endif  // EVTGEN_attention_mask_HPP
