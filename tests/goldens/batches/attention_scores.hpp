#ifndef EVTGEN_ATTENTION_SCORES_HPP
#define EVTGEN_ATTENTION_SCORES_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/fusion.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/batched_matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue attention_scores, of C = A * B:
//
//     scores = half((C * scale) + float(mask))

namespace Catlass::Evt::attention_scores {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::ColumnMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, float, float>;
using AuxLoadMask = Fusion::VisitorAuxLoad<half, layout::RowMajor>;
using CastMaskToFloat = Fusion::VisitorCast<float, half>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using CastPlusToHalf = Fusion::VisitorCast<half, float>;
using AuxStoreScores = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using MulsOfC = Fusion::TreeVisitor<Muls, AccLoad>;
using MaskAsFloat = Fusion::TreeVisitor<CastMaskToFloat, AuxLoadMask>;
using MulsOfCPlusMask = Fusion::TreeVisitor<Plus, MulsOfC, MaskAsFloat>;
using MulsOfCPlusMaskAsHalf = Fusion::TreeVisitor<CastPlusToHalf, MulsOfCPlusMask>;
using EVT = Fusion::TreeVisitor<AuxStoreScores, MulsOfCPlusMaskAsHalf>;

// Elements of a tile. With 2 buffers the nodes take 186368 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 9280;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::BatchedMatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    float scale{0.125f};   ///< in: a number
    GM_ADDR mask{nullptr}; ///< in: half, M x N
    layout::RowMajor layoutMask{};
    int64_t strideMask{Kernel::PACKED}; ///< elements from the mask of one matmul to that of the next; 0: all share it
    GM_ADDR scores{nullptr};            ///< out: half, M x N
    layout::RowMajor layoutScores{};
    int64_t strideScores{Kernel::PACKED}; ///< elements from the scores of one matmul to that of the next

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE EVT::Arguments ToEvt() const
    {
        return {
            {{{AccLoad::Arguments{}, Muls::Arguments{{scale}}},
              {AuxLoadMask::Arguments{mask, layoutMask, {}, strideMask}, CastMaskToFloat::Arguments{}},
              Plus::Arguments{}},
             CastPlusToHalf::Arguments{}},
            AuxStoreScores::Arguments{scores, layoutScores, strideScores}};
    }
};

} // namespace Catlass::Evt::attention_scores

#endif // EVTGEN_ATTENTION_SCORES_HPP
