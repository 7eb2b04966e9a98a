#ifndef EVTGEN_ATTENTION_SCORES_HPP
#define EVTGEN_ATTENTION_SCORES_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/operations/arithmetic.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
#include "catlass/epilogue/fusion/visitor_cast.hpp"
#include "catlass/epilogue/fusion/visitor_compute.hpp"
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

// Elements of a tile. With 2 buffers the nodes take 186368 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 9280;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 93184;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {37120}},     // AccLoad
        {2, false, {37120}, {18560}}, // AuxLoadMask
        {1, false, {0}, {37120}},     // Muls
        {3, false, {56064}, {37120}}, // CastMaskToFloat
        {4, true, {0}, {37120}},      // Plus
        {5, true, {56064}, {18560}},  // CastPlusToHalf
        {6, false, {}, {}}            // AuxStoreScores
    };
};

using EVT = Fusion::Planned<Plan, Fusion::TreeVisitor<AuxStoreScores, MulsOfCPlusMaskAsHalf>>;

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
