#ifndef EVTGEN_LAYER_NORM_HPP
#define EVTGEN_LAYER_NORM_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/operations/arithmetic.hpp"
#include "catlass/epilogue/fusion/operations/math.hpp"
#include "catlass/epilogue/fusion/phases.hpp"
#include "catlass/epilogue/fusion/topological_visitor.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
#include "catlass/epilogue/fusion/visitor_col_broadcast.hpp"
#include "catlass/epilogue/fusion/visitor_col_reduce.hpp"
#include "catlass/epilogue/fusion/visitor_compute.hpp"
#include "catlass/epilogue/fusion/visitor_in_workspace.hpp"
#include "catlass/epilogue/fusion/visitor_row_broadcast.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue layer_norm, of C = A * B:
//
//     plus = C + bias
//     minus = plus - mean(plus over columns)
//     divides = minus / sqrt((mean(minus * minus over columns) + 1e-05))
//     D = (divides * gamma) + beta

namespace Catlass::Evt::layer_norm {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// Phase 1:
//
//     MeanOfPlus = mean of the columns of C + bias

namespace phase1 {

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using RowBroadcastBias = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using ColReduceMeanOfPlus =
    Fusion::VisitorInWorkspace<0, Fusion::VisitorColReduce<Fusion::Mean, float, layout::RowMajor>>;

// The graph
using CPlusBias = Fusion::TreeVisitor<Plus, AccLoad, RowBroadcastBias>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 11328;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 93696;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {45312}},                    // AccLoad
        {1, false, {45312}, {45312}},                // RowBroadcastBias
        {2, true, {0}, {45312}},                     // Plus
        {3, true, {0, 0, 0, 90880}, {0, 0, 0, 2784}} // ColReduceMeanOfPlus
    };
};

using EVT = Fusion::Planned<Plan, Fusion::TreeVisitor<ColReduceMeanOfPlus, CPlusBias>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace phase1

// Phase 2:
//
//     minus = (C + bias) - MeanOfPlus
//     MeanOfMultiplies = mean of the columns of minus * minus

namespace phase2 {

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using RowBroadcastBias = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using ColBroadcastMeanOfPlus = Fusion::VisitorInWorkspace<0, Fusion::VisitorColBroadcast<float, layout::RowMajor>>;
using Minus = Fusion::VisitorCompute<Fusion::Minus, float>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using ColReduceMeanOfMultiplies =
    Fusion::VisitorInWorkspace<1, Fusion::VisitorColReduce<Fusion::Mean, float, layout::RowMajor>>;

// The graph
using CPlusBias = Fusion::TreeVisitor<Plus, AccLoad, RowBroadcastBias>;
using Edges = tla::tuple<
    tla::seq<>,     // 0: CPlusBias
    tla::seq<>,     // 1: ColBroadcastMeanOfPlus
    tla::seq<0, 1>, // 2: Minus(CPlusBias, ColBroadcastMeanOfPlus)
    tla::seq<2, 2>, // 3: Multiplies(Minus, Minus)
    tla::seq<3>     // 4: ColReduceMeanOfMultiplies(Multiplies)
    >;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 11136;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 93696;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {44544}},                            // AccLoad
        {1, false, {44800}, {44544}},                        // RowBroadcastBias
        {2, true, {0}, {44544}},                             // Plus
        {3, true, {44800, 89344, 90624}, {44544, 960, 256}}, // ColBroadcastMeanOfPlus
        {4, true, {0}, {44544}},                             // Minus
        {5, true, {0}, {44544}},                             // Multiplies
        {6, true, {0, 0, 0, 90624}, {0, 0, 0, 2752}}         // ColReduceMeanOfMultiplies
    };
};

using EVT = Fusion::Planned<
    Plan,
    Fusion::TopologicalVisitor<Edges, CPlusBias, ColBroadcastMeanOfPlus, Minus, Multiplies, ColReduceMeanOfMultiplies>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace phase2

// Phase 3:
//
//     divides = ((C + bias) - MeanOfPlus) / sqrt((MeanOfMultiplies + 1e-05))
//     D = (divides * gamma) + beta

namespace phase3 {

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using RowBroadcastBias = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using ColBroadcastMeanOfPlus = Fusion::VisitorInWorkspace<0, Fusion::VisitorColBroadcast<float, layout::RowMajor>>;
using Minus = Fusion::VisitorCompute<Fusion::Minus, float>;
using ColBroadcastMeanOfMultiplies =
    Fusion::VisitorInWorkspace<1, Fusion::VisitorColBroadcast<float, layout::RowMajor>>;
using Adds = Fusion::VisitorCompute<Fusion::Adds, float, float>;
using Sqrt = Fusion::VisitorCompute<Fusion::Sqrt, float>;
using Divides = Fusion::VisitorCompute<Fusion::Divides, float>;
using RowBroadcastGamma = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using RowBroadcastBeta = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Plus2 = Fusion::VisitorCompute<Fusion::Plus, float>;
using AuxStoreD = Fusion::VisitorAuxStore<float, layout::RowMajor>;

// The graph
using CPlusBias = Fusion::TreeVisitor<Plus, AccLoad, RowBroadcastBias>;
using CPlusBiasMinusMeanOfPlus = Fusion::TreeVisitor<Minus, CPlusBias, ColBroadcastMeanOfPlus>;
using AddsOfMeanOfMultiplies = Fusion::TreeVisitor<Adds, ColBroadcastMeanOfMultiplies>;
using SqrtOfAddsOfMeanOfMultiplies = Fusion::TreeVisitor<Sqrt, AddsOfMeanOfMultiplies>;
using DividesValue = Fusion::TreeVisitor<Divides, CPlusBiasMinusMeanOfPlus, SqrtOfAddsOfMeanOfMultiplies>;
using DividesTimesGamma = Fusion::TreeVisitor<Multiplies, DividesValue, RowBroadcastGamma>;
using DividesTimesGammaPlusBeta = Fusion::TreeVisitor<Plus2, DividesTimesGamma, RowBroadcastBeta>;

// Elements of a tile. With 2 buffers the nodes take 185344 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 4480;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 92672;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {17920}},                             // AccLoad
        {1, false, {18176}, {17920}},                         // RowBroadcastBias
        {9, false, {38144}, {17920}},                         // RowBroadcastGamma
        {11, false, {56064}, {17920}},                        // RowBroadcastBeta
        {5, false, {73984, 37120, 92160}, {17920, 960, 256}}, // ColBroadcastMeanOfMultiplies
        {2, false, {0}, {17920}},                             // Plus
        {3, true, {18176, 36096, 92160}, {17920, 960, 256}},  // ColBroadcastMeanOfPlus
        {6, false, {73984}, {17920}},                         // Adds
        {4, true, {0}, {17920}},                              // Minus
        {7, false, {73984}, {17920}},                         // Sqrt
        {8, true, {0}, {17920}},                              // Divides
        {10, true, {0}, {17920}},                             // Multiplies
        {12, true, {73984}, {17920}},                         // Plus2
        {13, false, {}, {}}                                   // AuxStoreD
    };
};

using EVT = Fusion::Planned<Plan, Fusion::TreeVisitor<AuxStoreD, DividesTimesGammaPlusBeta>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace phase3

using BlockEpilogue = Fusion::Phases<phase1::BlockEpilogue, phase2::BlockEpilogue, phase3::BlockEpilogue>;
using EVT = BlockEpilogue::EVT;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

// The workspace has the whole of C
constexpr uint32_t WORKSPACE_STAGES = 0;

// Its vector cores wait for each other: launch it in batch mode, on no more cores than the device has
using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler, WORKSPACE_STAGES>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR bias{nullptr}; ///< in: float, 1 x N
    layout::RowMajor layoutBias{};
    GM_ADDR gamma{nullptr}; ///< in: float, 1 x N
    layout::RowMajor layoutGamma{};
    GM_ADDR beta{nullptr}; ///< in: float, 1 x N
    layout::RowMajor layoutBeta{};
    GM_ADDR D{nullptr}; ///< out: float, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE EVT::Arguments ToEvt() const
    {
        return {
            {{phase1::AccLoad::Arguments{}, phase1::RowBroadcastBias::Arguments{bias, layoutBias},
              phase1::Plus::Arguments{}},
             phase1::ColReduceMeanOfPlus::Arguments{}},
            {{phase2::AccLoad::Arguments{}, phase2::RowBroadcastBias::Arguments{bias, layoutBias},
              phase2::Plus::Arguments{}},
             phase2::ColBroadcastMeanOfPlus::Arguments{},
             phase2::Minus::Arguments{},
             phase2::Multiplies::Arguments{},
             phase2::ColReduceMeanOfMultiplies::Arguments{}},
            {{{{{{phase3::AccLoad::Arguments{}, phase3::RowBroadcastBias::Arguments{bias, layoutBias},
                  phase3::Plus::Arguments{}},
                 phase3::ColBroadcastMeanOfPlus::Arguments{},
                 phase3::Minus::Arguments{}},
                {{phase3::ColBroadcastMeanOfMultiplies::Arguments{}, phase3::Adds::Arguments{{1e-05f}}},
                 phase3::Sqrt::Arguments{}},
                phase3::Divides::Arguments{}},
               phase3::RowBroadcastGamma::Arguments{gamma, layoutGamma},
               phase3::Multiplies::Arguments{}},
              phase3::RowBroadcastBeta::Arguments{beta, layoutBeta},
              phase3::Plus2::Arguments{}},
             phase3::AuxStoreD::Arguments{D, layoutD}}};
    }
};

} // namespace Catlass::Evt::layer_norm

#endif // EVTGEN_LAYER_NORM_HPP
