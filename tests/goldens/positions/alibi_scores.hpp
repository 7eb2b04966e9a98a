#ifndef EVTGEN_ALIBI_SCORES_HPP
#define EVTGEN_ALIBI_SCORES_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/operations/arithmetic.hpp"
#include "catlass/epilogue/fusion/operations/comparison.hpp"
#include "catlass/epilogue/fusion/topological_visitor.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
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
//     castMinusToFloat = float(col_index() - row_index())
//     scores = (castMinusToFloat <= 0) ? ((C * scale) + (slope * castMinusToFloat)) : -inf

namespace Catlass::Evt::alibi_scores {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::ColumnMajor;
using LayoutC = layout::RowMajor;

// The nodes
using ScalarBroadcastSlope = Fusion::VisitorScalarBroadcast<float, layout::RowMajor>;
using ColIndex = Fusion::VisitorColIndex;
using RowIndex = Fusion::VisitorRowIndex;
using Minus = Fusion::VisitorCompute<Fusion::Minus, int32_t>;
using AccLoad = Fusion::VisitorAccLoad<float>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, float, float>;
using CastMinusToFloat = Fusion::VisitorCast<float, int32_t>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using LessEqualScalar = Fusion::VisitorCompute<Fusion::LessEqualScalar, float, float>;
using WhereScalar = Fusion::VisitorCompute<Fusion::WhereScalar, float, float>;
using AuxStoreScores = Fusion::VisitorAuxStore<float, layout::RowMajor>;

// The graph
using ColIndexMinusRowIndex = Fusion::TreeVisitor<Minus, ColIndex, RowIndex>;
using MulsOfC = Fusion::TreeVisitor<Muls, AccLoad>;
using Edges = tla::tuple<
    tla::seq<>,     // 0: ScalarBroadcastSlope
    tla::seq<>,     // 1: ColIndexMinusRowIndex
    tla::seq<>,     // 2: MulsOfC
    tla::seq<1>,    // 3: CastMinusToFloat(ColIndexMinusRowIndex)
    tla::seq<0, 3>, // 4: Multiplies(ScalarBroadcastSlope, CastMinusToFloat)
    tla::seq<2, 4>, // 5: Plus(MulsOfC, Multiplies)
    tla::seq<3>,    // 6: LessEqualScalar(CastMinusToFloat)
    tla::seq<6, 5>, // 7: WhereScalar(LessEqualScalar, Plus)
    tla::seq<7>     // 8: AuxStoreScores(WhereScalar)
    >;

// Elements of a tile. With 2 buffers the nodes take 186368 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 3840;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 93184;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {15360}},                      // ScalarBroadcastSlope
        {4, false, {15616}, {15360}},                  // AccLoad
        {5, false, {15616}, {15360}},                  // Muls
        {1, false, {30976}, {15360}},                  // ColIndex
        {2, false, {46592}, {15360}},                  // RowIndex
        {3, true, {30976}, {15360}},                   // Minus
        {6, true, {62208}, {15360}},                   // CastMinusToFloat
        {9, true, {46592, 0, 30976}, {480, 0, 15616}}, // LessEqualScalar
        {7, false, {77824}, {15360}},                  // Multiplies
        {8, true, {15616}, {15360}},                   // Plus
        {10, true, {62208}, {15360}},                  // WhereScalar
        {11, false, {}, {}}                            // AuxStoreScores
    };
};

using EVT = Fusion::Planned<
    Plan, Fusion::TopologicalVisitor<
              Edges, ScalarBroadcastSlope, ColIndexMinusRowIndex, MulsOfC, CastMinusToFloat, Multiplies, Plus,
              LessEqualScalar, WhereScalar, AuxStoreScores>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::BatchedMatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR slope{nullptr}; ///< in: float, 1 x 1
    layout::RowMajor layoutSlope{};
    int64_t strideSlope{Kernel::PACKED}; ///< elements from the slope of one matmul to that of the next; 0: all share it
    float scale{0.125f};                 ///< in: a number
    GM_ADDR scores{nullptr};             ///< out: float, M x N
    layout::RowMajor layoutScores{};
    int64_t strideScores{Kernel::PACKED}; ///< elements from the scores of one matmul to that of the next

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE EVT::Arguments ToEvt() const
    {
        return {
            ScalarBroadcastSlope::Arguments{slope, layoutSlope, {}, strideSlope},
            {ColIndex::Arguments{}, RowIndex::Arguments{}, Minus::Arguments{}},
            {AccLoad::Arguments{}, Muls::Arguments{{scale}}},
            CastMinusToFloat::Arguments{},
            Multiplies::Arguments{},
            Plus::Arguments{},
            LessEqualScalar::Arguments{{0.0f}},
            WhereScalar::Arguments{{-__builtin_inff()}},
            AuxStoreScores::Arguments{scores, layoutScores, strideScores}};
    }
};

} // namespace Catlass::Evt::alibi_scores

#endif // EVTGEN_ALIBI_SCORES_HPP
