#ifndef EVTGEN_ATTENTION_SCORES_MAX_HPP
#define EVTGEN_ATTENTION_SCORES_MAX_HPP

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

// The epilogue attention_scores_max, of C = A * B:
//
//     scores = C * scale
//     row_max = max(row_max, max of the columns of scores)

namespace Catlass::Evt::attention_scores_max {

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
using AuxStoreScores = Fusion::VisitorAuxStore<float, layout::RowMajor>;
using ColReduceRowMax = Fusion::VisitorColReduce<Fusion::Maximum, float, layout::RowMajor>;

// The graph
using MulsOfC = Fusion::TreeVisitor<Muls, AccLoad>;
using StoredScores = Fusion::TreeVisitor<AuxStoreScores, MulsOfC>;
using EVT = Fusion::TreeVisitor<ColReduceRowMax, StoredScores>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 11328;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::BatchedMatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    float scale{0.125f};     ///< in: a number
    GM_ADDR scores{nullptr}; ///< out: float, M x N
    layout::RowMajor layoutScores{};
    int64_t strideScores{Kernel::PACKED}; ///< elements from the scores of one matmul to that of the next
    GM_ADDR row_max{nullptr};             ///< out: float, M x 1
    layout::RowMajor layoutRowMax{};
    float identityRowMax{-INFINITY}; ///< the caller fills row_max with it
    int64_t strideRowMax{
        Kernel::PACKED}; ///< elements from the row_max of one matmul to that of the next; 0: all share it

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{AccLoad::Arguments{}, Muls::Arguments{{scale}}},
             AuxStoreScores::Arguments{scores, layoutScores, strideScores}},
            ColReduceRowMax::Arguments{row_max, layoutRowMax, identityRowMax, strideRowMax}};
    }
};

} // namespace Catlass::Evt::attention_scores_max

#endif // EVTGEN_ATTENTION_SCORES_MAX_HPP
