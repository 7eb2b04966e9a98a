#ifndef EVTGEN_CAUSAL_SCORES_HPP
#define EVTGEN_CAUSAL_SCORES_HPP

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

// The epilogue causal_scores, of C = A * B:
//
//     scores = half((float(row_index() - col_index()) >= 0) ? (C * scale) : -INFINITY)

namespace Catlass::Evt::causal_scores {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::ColumnMajor;
using LayoutC = layout::RowMajor;

// The nodes
using RowIndex = Fusion::VisitorRowIndex;
using ColIndex = Fusion::VisitorColIndex;
using Minus = Fusion::VisitorCompute<Fusion::Minus, int32_t>;
using CastMinusToFloat = Fusion::VisitorCast<float, int32_t>;
using GreaterEqualScalar = Fusion::VisitorCompute<Fusion::GreaterEqualScalar, float, float>;
using AccLoad = Fusion::VisitorAccLoad<float>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, float, float>;
using WhereScalar = Fusion::VisitorCompute<Fusion::WhereScalar, float, float>;
using CastWhereScalarToHalf = Fusion::VisitorCast<half, float>;
using AuxStoreScores = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using RowIndexMinusColIndex = Fusion::TreeVisitor<Minus, RowIndex, ColIndex>;
using RowIndexMinusColIndexAsFloat = Fusion::TreeVisitor<CastMinusToFloat, RowIndexMinusColIndex>;
using GreaterEqualScalarValue = Fusion::TreeVisitor<GreaterEqualScalar, RowIndexMinusColIndexAsFloat>;
using MulsOfC = Fusion::TreeVisitor<Muls, AccLoad>;
using WhereScalarValue = Fusion::TreeVisitor<WhereScalar, GreaterEqualScalarValue, MulsOfC>;
using WhereScalarAsHalf = Fusion::TreeVisitor<CastWhereScalarToHalf, WhereScalarValue>;
using EVT = Fusion::TreeVisitor<AuxStoreScores, WhereScalarAsHalf>;

// Elements of a tile. With 2 buffers the nodes take 186368 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 5760;

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
    GM_ADDR scores{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutScores{};
    int64_t strideScores{Kernel::PACKED}; ///< elements from the scores of one matmul to that of the next

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{{{RowIndex::Arguments{}, ColIndex::Arguments{}, Minus::Arguments{}}, CastMinusToFloat::Arguments{}},
               GreaterEqualScalar::Arguments{{0.0f}}},
              {AccLoad::Arguments{}, Muls::Arguments{{scale}}},
              WhereScalar::Arguments{{-INFINITY}}},
             CastWhereScalarToHalf::Arguments{}},
            AuxStoreScores::Arguments{scores, layoutScores, strideScores}};
    }
};

} // namespace Catlass::Evt::causal_scores

#endif // EVTGEN_CAUSAL_SCORES_HPP
