#ifndef EVTGEN_BATCH_NORM_TRAINING_HPP
#define EVTGEN_BATCH_NORM_TRAINING_HPP

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

// The epilogue batch_norm_training, of C = A * B:
//
//     mean = first row of mean(C over rows)
//     minus = C - mean(C over rows)
//     variance = first row of mean(minus * minus over rows)
//     multiplies2 = (minus / sqrt((mean(minus * minus over rows) + 1e-05))) * gamma
//     D = multiplies2 + beta

namespace Catlass::Evt::batch_norm_training {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// Phase 1:
//
//     MeanOfC = mean of the rows of C

namespace phase1 {

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using RowReduceMeanOfC = Fusion::VisitorInWorkspace<0, Fusion::VisitorRowReduce<Fusion::Mean, float, layout::RowMajor>>;

// The graph
using EVT = Fusion::TreeVisitor<RowReduceMeanOfC, AccLoad>;

// Elements of a tile. With 3 buffers the nodes take 185856 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 7744;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::AtlasA2, 3>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace phase1

// Phase 2:
//
//     mean = first row of MeanOfC
//     minus = C - MeanOfC
//     MeanOfMultiplies = mean of the rows of minus * minus

namespace phase2 {

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using RowBroadcastMeanOfC = Fusion::VisitorInWorkspace<0, Fusion::VisitorRowBroadcast<float, layout::RowMajor>>;
using RowStoreMean = Fusion::VisitorRowStore<float, layout::RowMajor>;
using Minus = Fusion::VisitorCompute<Fusion::Minus, float>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using RowReduceMeanOfMultiplies =
    Fusion::VisitorInWorkspace<1, Fusion::VisitorRowReduce<Fusion::Mean, float, layout::RowMajor>>;

// The graph
using StoredMean = Fusion::TreeVisitor<RowStoreMean, RowBroadcastMeanOfC>;
using Edges = tla::tuple<
    tla::seq<>,     // 0: AccLoad
    tla::seq<>,     // 1: StoredMean
    tla::seq<0, 1>, // 2: Minus(AccLoad, StoredMean)
    tla::seq<2, 2>, // 3: Multiplies(Minus, Minus)
    tla::seq<3>     // 4: RowReduceMeanOfMultiplies(Multiplies)
    >;
using EVT = Fusion::TopologicalVisitor<Edges, AccLoad, StoredMean, Minus, Multiplies, RowReduceMeanOfMultiplies>;

// Elements of a tile. With 3 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 5184;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::AtlasA2, 3>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace phase2

// Phase 3:
//
//     variance = first row of MeanOfMultiplies
//     multiplies = ((C - MeanOfC) / sqrt((MeanOfMultiplies + 1e-05))) * gamma
//     D = multiplies + beta

namespace phase3 {

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using RowBroadcastMeanOfC = Fusion::VisitorInWorkspace<0, Fusion::VisitorRowBroadcast<float, layout::RowMajor>>;
using Minus = Fusion::VisitorCompute<Fusion::Minus, float>;
using RowBroadcastMeanOfMultiplies =
    Fusion::VisitorInWorkspace<1, Fusion::VisitorRowBroadcast<float, layout::RowMajor>>;
using RowStoreVariance = Fusion::VisitorRowStore<float, layout::RowMajor>;
using Adds = Fusion::VisitorCompute<Fusion::Adds, float, float>;
using Sqrt = Fusion::VisitorCompute<Fusion::Sqrt, float>;
using Divides = Fusion::VisitorCompute<Fusion::Divides, float>;
using RowBroadcastGamma = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using RowBroadcastBeta = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using AuxStoreD = Fusion::VisitorAuxStore<float, layout::RowMajor>;

// The graph
using CMinusMeanOfC = Fusion::TreeVisitor<Minus, AccLoad, RowBroadcastMeanOfC>;
using StoredVariance = Fusion::TreeVisitor<RowStoreVariance, RowBroadcastMeanOfMultiplies>;
using AddsOfMeanOfMultiplies = Fusion::TreeVisitor<Adds, StoredVariance>;
using SqrtOfAddsOfMeanOfMultiplies = Fusion::TreeVisitor<Sqrt, AddsOfMeanOfMultiplies>;
using DividesValue = Fusion::TreeVisitor<Divides, CMinusMeanOfC, SqrtOfAddsOfMeanOfMultiplies>;
using DividesTimesGamma = Fusion::TreeVisitor<Multiplies, DividesValue, RowBroadcastGamma>;
using DividesTimesGammaPlusBeta = Fusion::TreeVisitor<Plus, DividesTimesGamma, RowBroadcastBeta>;
using EVT = Fusion::TreeVisitor<AuxStoreD, DividesTimesGammaPlusBeta>;

// Elements of a tile. With 3 buffers the nodes take 185856 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 3072;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::AtlasA2, 3>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace phase3

using BlockEpilogue = Fusion::Phases<phase1::BlockEpilogue, phase2::BlockEpilogue, phase3::BlockEpilogue>;
using EVT = BlockEpilogue::EVT;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

// The workspace has the whole of C
constexpr uint32_t WORKSPACE_STAGES = 0;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler, WORKSPACE_STAGES>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR gamma{nullptr}; ///< in: float, 1 x N
    layout::RowMajor layoutGamma{};
    GM_ADDR beta{nullptr}; ///< in: float, 1 x N
    layout::RowMajor layoutBeta{};
    GM_ADDR mean{nullptr}; ///< out: float, 1 x N
    layout::RowMajor layoutMean{};
    GM_ADDR variance{nullptr}; ///< out: float, 1 x N
    layout::RowMajor layoutVariance{};
    GM_ADDR D{nullptr}; ///< out: float, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {phase1::AccLoad::Arguments{}, phase1::RowReduceMeanOfC::Arguments{}},
            {phase2::AccLoad::Arguments{},
             {phase2::RowBroadcastMeanOfC::Arguments{}, phase2::RowStoreMean::Arguments{mean, layoutMean}},
             phase2::Minus::Arguments{},
             phase2::Multiplies::Arguments{},
             phase2::RowReduceMeanOfMultiplies::Arguments{}},
            {{{{{phase3::AccLoad::Arguments{}, phase3::RowBroadcastMeanOfC::Arguments{}, phase3::Minus::Arguments{}},
                {{{phase3::RowBroadcastMeanOfMultiplies::Arguments{},
                   phase3::RowStoreVariance::Arguments{variance, layoutVariance}},
                  phase3::Adds::Arguments{{1e-05f}}},
                 phase3::Sqrt::Arguments{}},
                phase3::Divides::Arguments{}},
               phase3::RowBroadcastGamma::Arguments{gamma, layoutGamma},
               phase3::Multiplies::Arguments{}},
              phase3::RowBroadcastBeta::Arguments{beta, layoutBeta},
              phase3::Plus::Arguments{}},
             phase3::AuxStoreD::Arguments{D, layoutD}}};
    }
};

} // namespace Catlass::Evt::batch_norm_training

#endif // EVTGEN_BATCH_NORM_TRAINING_HPP
