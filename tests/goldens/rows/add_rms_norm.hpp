#ifndef EVTGEN_ADD_RMS_NORM_HPP
#define EVTGEN_ADD_RMS_NORM_HPP

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

// The epilogue add_rms_norm, of C = A * B:
//
//     plus = C + float(residual)
//     D = bfloat16_t((plus / sqrt((mean(plus * plus over columns) + 1e-06))) * float(gamma))
//     total = bfloat16_t(plus)

namespace Catlass::Evt::add_rms_norm {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// Phase 1:
//
//     plus = C + float(residual)
//     MeanOfMultiplies = mean of the columns of plus * plus
//     total = bfloat16_t(plus)

namespace phase1 {

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using AuxLoadResidual = Fusion::VisitorAuxLoad<bfloat16_t, layout::RowMajor>;
using CastResidualToFloat = Fusion::VisitorCast<float, bfloat16_t>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using ColReduceMeanOfMultiplies =
    Fusion::VisitorInWorkspace<0, Fusion::VisitorColReduce<Fusion::Mean, float, layout::RowMajor>>;
using CastPlusToBfloat16 = Fusion::VisitorCast<bfloat16_t, float, AscendC::RoundMode::CAST_RINT>;
using AuxStoreTotal = Fusion::VisitorAuxStore<bfloat16_t, layout::RowMajor>;
using Outputs = Fusion::VisitorOutputs;

// The graph
using ResidualAsFloat = Fusion::TreeVisitor<CastResidualToFloat, AuxLoadResidual>;
using Edges = tla::tuple<
    tla::seq<>,     // 0: AccLoad
    tla::seq<>,     // 1: ResidualAsFloat
    tla::seq<0, 1>, // 2: Plus(AccLoad, ResidualAsFloat)
    tla::seq<2, 2>, // 3: Multiplies(Plus, Plus)
    tla::seq<3>,    // 4: ColReduceMeanOfMultiplies(Multiplies)
    tla::seq<2>,    // 5: CastPlusToBfloat16(Plus)
    tla::seq<5>,    // 6: AuxStoreTotal(CastPlusToBfloat16)
    tla::seq<4, 6>  // 7: Outputs(ColReduceMeanOfMultiplies, AuxStoreTotal)
    >;
using EVT = Fusion::TopologicalVisitor<
    Edges, AccLoad, ResidualAsFloat, Plus, Multiplies, ColReduceMeanOfMultiplies, CastPlusToBfloat16, AuxStoreTotal,
    Outputs>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 9024;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace phase1

// Phase 2:
//
//     divides = (C + float(residual)) / sqrt((MeanOfMultiplies + 1e-06))
//     D = bfloat16_t(divides * float(gamma))

namespace phase2 {

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using AuxLoadResidual = Fusion::VisitorAuxLoad<bfloat16_t, layout::RowMajor>;
using CastResidualToFloat = Fusion::VisitorCast<float, bfloat16_t>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using ColBroadcastMeanOfMultiplies =
    Fusion::VisitorInWorkspace<0, Fusion::VisitorColBroadcast<float, layout::RowMajor>>;
using Adds = Fusion::VisitorCompute<Fusion::Adds, float, float>;
using Sqrt = Fusion::VisitorCompute<Fusion::Sqrt, float>;
using Divides = Fusion::VisitorCompute<Fusion::Divides, float>;
using RowBroadcastGamma = Fusion::VisitorRowBroadcast<bfloat16_t, layout::RowMajor>;
using CastGammaToFloat = Fusion::VisitorCast<float, bfloat16_t>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using CastMultipliesToBfloat16 = Fusion::VisitorCast<bfloat16_t, float, AscendC::RoundMode::CAST_RINT>;
using AuxStoreD = Fusion::VisitorAuxStore<bfloat16_t, layout::RowMajor>;

// The graph
using ResidualAsFloat = Fusion::TreeVisitor<CastResidualToFloat, AuxLoadResidual>;
using CPlusResidual = Fusion::TreeVisitor<Plus, AccLoad, ResidualAsFloat>;
using AddsOfMeanOfMultiplies = Fusion::TreeVisitor<Adds, ColBroadcastMeanOfMultiplies>;
using SqrtOfAddsOfMeanOfMultiplies = Fusion::TreeVisitor<Sqrt, AddsOfMeanOfMultiplies>;
using DividesValue = Fusion::TreeVisitor<Divides, CPlusResidual, SqrtOfAddsOfMeanOfMultiplies>;
using GammaAsFloat = Fusion::TreeVisitor<CastGammaToFloat, RowBroadcastGamma>;
using DividesTimesGamma = Fusion::TreeVisitor<Multiplies, DividesValue, GammaAsFloat>;
using DividesTimesGammaAsBfloat16 = Fusion::TreeVisitor<CastMultipliesToBfloat16, DividesTimesGamma>;
using EVT = Fusion::TreeVisitor<AuxStoreD, DividesTimesGammaAsBfloat16>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 6528;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace phase2

using BlockEpilogue = Fusion::Phases<phase1::BlockEpilogue, phase2::BlockEpilogue>;
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
    GM_ADDR residual{nullptr}; ///< in: bfloat16_t, M x N
    layout::RowMajor layoutResidual{};
    GM_ADDR gamma{nullptr}; ///< in: bfloat16_t, 1 x N
    layout::RowMajor layoutGamma{};
    GM_ADDR D{nullptr}; ///< out: bfloat16_t, M x N
    layout::RowMajor layoutD{};
    GM_ADDR total{nullptr}; ///< out: bfloat16_t, M x N
    layout::RowMajor layoutTotal{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {phase1::AccLoad::Arguments{},
             {phase1::AuxLoadResidual::Arguments{residual, layoutResidual}, phase1::CastResidualToFloat::Arguments{}},
             phase1::Plus::Arguments{},
             phase1::Multiplies::Arguments{},
             phase1::ColReduceMeanOfMultiplies::Arguments{},
             phase1::CastPlusToBfloat16::Arguments{},
             phase1::AuxStoreTotal::Arguments{total, layoutTotal},
             phase1::Outputs::Arguments{}},
            {{{{{phase2::AccLoad::Arguments{},
                 {phase2::AuxLoadResidual::Arguments{residual, layoutResidual},
                  phase2::CastResidualToFloat::Arguments{}},
                 phase2::Plus::Arguments{}},
                {{phase2::ColBroadcastMeanOfMultiplies::Arguments{}, phase2::Adds::Arguments{{1e-06f}}},
                 phase2::Sqrt::Arguments{}},
                phase2::Divides::Arguments{}},
               {phase2::RowBroadcastGamma::Arguments{gamma, layoutGamma}, phase2::CastGammaToFloat::Arguments{}},
               phase2::Multiplies::Arguments{}},
              phase2::CastMultipliesToBfloat16::Arguments{}},
             phase2::AuxStoreD::Arguments{D, layoutD}}};
    }
};

} // namespace Catlass::Evt::add_rms_norm

#endif // EVTGEN_ADD_RMS_NORM_HPP
