#ifndef EVTGEN_ALIBI_SCORES_HPP
#define EVTGEN_ALIBI_SCORES_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/operations/arithmetic.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
#include "catlass/epilogue/fusion/visitor_band.hpp"
#include "catlass/epilogue/fusion/visitor_cast.hpp"
#include "catlass/epilogue/fusion/visitor_col_index.hpp"
#include "catlass/epilogue/fusion/visitor_compute.hpp"
#include "catlass/epilogue/fusion/visitor_row_index.hpp"
#include "catlass/epilogue/fusion/visitor_scalar_broadcast.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/batched_matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue alibi_scores, of C = A * B:
//
//     scores = (col_index() - row_index() <= 0) ? ((C * scale) + (slope * float(col_index() -
//         row_index()))) : -inf

namespace Catlass::Evt::alibi_scores {

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
using ScalarBroadcastSlope = Fusion::VisitorScalarBroadcast<float, layout::RowMajor>;
using ColIndex = Fusion::VisitorColIndex;
using RowIndex = Fusion::VisitorRowIndex;
using Minus = Fusion::VisitorCompute<Fusion::Minus, int32_t>;
using CastMinusToFloat = Fusion::VisitorCast<float, int32_t>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using Band = Fusion::VisitorBand<float, -1, 1, -2147483648, 0>;
using AuxStoreScores = Fusion::VisitorAuxStore<float, layout::RowMajor>;

// The graph
using MulsOfC = Fusion::TreeVisitor<Muls, AccLoad>;
using ColIndexMinusRowIndex = Fusion::TreeVisitor<Minus, ColIndex, RowIndex>;
using ColIndexMinusRowIndexAsFloat = Fusion::TreeVisitor<CastMinusToFloat, ColIndexMinusRowIndex>;
using MultipliesValue = Fusion::TreeVisitor<Multiplies, ScalarBroadcastSlope, ColIndexMinusRowIndexAsFloat>;
using MulsOfCPlusMultiplies = Fusion::TreeVisitor<Plus, MulsOfC, MultipliesValue>;
using BandValue = Fusion::TreeVisitor<Band, MulsOfCPlusMultiplies>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 5824;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 93696;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {23296}},     // AccLoad
        {2, false, {23296}, {23296}}, // ScalarBroadcastSlope
        {1, false, {0}, {23296}},     // Muls
        {3, false, {46848}, {23296}}, // ColIndex
        {4, false, {70144}, {23296}}, // RowIndex
        {5, true, {46848}, {23296}},  // Minus
        {6, true, {70144}, {23296}},  // CastMinusToFloat
        {7, true, {46848}, {23296}},  // Multiplies
        {8, true, {0}, {23296}},      // Plus
        {9, true, {70144}, {23296}},  // Band
        {10, false, {}, {}}           // AuxStoreScores
    };
};

using EVT = Fusion::Planned<Plan, Fusion::TreeVisitor<AuxStoreScores, BandValue>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::BatchedMatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    float scale{0.125f};    ///< in: a number
    GM_ADDR slope{nullptr}; ///< in: float, 1 x 1
    layout::RowMajor layoutSlope{};
    int64_t strideSlope{Kernel::PACKED}; ///< elements from the slope of one matmul to that of the next; 0: all share it
    GM_ADDR scores{nullptr};             ///< out: float, M x N
    layout::RowMajor layoutScores{};
    int64_t strideScores{Kernel::PACKED}; ///< elements from the scores of one matmul to that of the next
    uint32_t repeatSlope{1};              ///< matmuls, one after the other, that take one slope

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE EVT::Arguments ToEvt() const
    {
        return {
            {{{AccLoad::Arguments{}, Muls::Arguments{{scale}}},
              {ScalarBroadcastSlope::Arguments{slope, layoutSlope, {}, strideSlope, repeatSlope},
               {{ColIndex::Arguments{}, RowIndex::Arguments{}, Minus::Arguments{}}, CastMinusToFloat::Arguments{}},
               Multiplies::Arguments{}},
              Plus::Arguments{}},
             Band::Arguments{{-__builtin_inff()}}},
            AuxStoreScores::Arguments{scores, layoutScores, strideScores}};
    }
};

} // namespace Catlass::Evt::alibi_scores

#endif // EVTGEN_ALIBI_SCORES_HPP
