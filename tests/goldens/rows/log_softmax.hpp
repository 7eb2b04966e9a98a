#ifndef EVTGEN_LOG_SOFTMAX_HPP
#define EVTGEN_LOG_SOFTMAX_HPP

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

// The epilogue log_softmax, of C = A * B:
//
//     plus = C + bias
//     minus = plus - max(plus over columns)
//     D = minus - log(sum(exp(minus) over columns))

namespace Catlass::Evt::log_softmax {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// Phase 1:
//
//     MaxOfPlus = max of the columns of C + bias

namespace phase1 {

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using RowBroadcastBias = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using ColReduceMaxOfPlus =
    Fusion::VisitorInWorkspace<0, Fusion::VisitorColReduce<Fusion::Maximum, float, layout::RowMajor>>;

// The graph
using CPlusBias = Fusion::TreeVisitor<Plus, AccLoad, RowBroadcastBias>;
using EVT = Fusion::TreeVisitor<ColReduceMaxOfPlus, CPlusBias>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 11328;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace phase1

// Phase 2:
//
//     SumOfExp = sum of the columns of exp(((C + bias) - MaxOfPlus))

namespace phase2 {

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using RowBroadcastBias = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using ColBroadcastMaxOfPlus = Fusion::VisitorInWorkspace<0, Fusion::VisitorColBroadcast<float, layout::RowMajor>>;
using Minus = Fusion::VisitorCompute<Fusion::Minus, float>;
using Exp = Fusion::VisitorCompute<Fusion::Exp, float>;
using ColReduceSumOfExp =
    Fusion::VisitorInWorkspace<1, Fusion::VisitorColReduce<Fusion::Plus, float, layout::RowMajor>>;

// The graph
using CPlusBias = Fusion::TreeVisitor<Plus, AccLoad, RowBroadcastBias>;
using CPlusBiasMinusMaxOfPlus = Fusion::TreeVisitor<Minus, CPlusBias, ColBroadcastMaxOfPlus>;
using ExpOfCPlusBiasMinusMaxOfPlus = Fusion::TreeVisitor<Exp, CPlusBiasMinusMaxOfPlus>;
using EVT = Fusion::TreeVisitor<ColReduceSumOfExp, ExpOfCPlusBiasMinusMaxOfPlus>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 11136;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace phase2

// Phase 3:
//
//     D = ((C + bias) - MaxOfPlus) - log(SumOfExp)

namespace phase3 {

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using RowBroadcastBias = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using ColBroadcastMaxOfPlus = Fusion::VisitorInWorkspace<0, Fusion::VisitorColBroadcast<float, layout::RowMajor>>;
using Minus = Fusion::VisitorCompute<Fusion::Minus, float>;
using ColBroadcastSumOfExp = Fusion::VisitorInWorkspace<1, Fusion::VisitorColBroadcast<float, layout::RowMajor>>;
using Log = Fusion::VisitorCompute<Fusion::Log, float>;
using Minus2 = Fusion::VisitorCompute<Fusion::Minus, float>;
using AuxStoreD = Fusion::VisitorAuxStore<float, layout::RowMajor>;

// The graph
using CPlusBias = Fusion::TreeVisitor<Plus, AccLoad, RowBroadcastBias>;
using CPlusBiasMinusMaxOfPlus = Fusion::TreeVisitor<Minus, CPlusBias, ColBroadcastMaxOfPlus>;
using LogOfSumOfExp = Fusion::TreeVisitor<Log, ColBroadcastSumOfExp>;
using Minus2Value = Fusion::TreeVisitor<Minus2, CPlusBiasMinusMaxOfPlus, LogOfSumOfExp>;
using EVT = Fusion::TreeVisitor<AuxStoreD, Minus2Value>;

// Elements of a tile. With 3 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 4992;

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
    GM_ADDR bias{nullptr}; ///< in: float, 1 x N
    layout::RowMajor layoutBias{};
    GM_ADDR D{nullptr}; ///< out: float, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{phase1::AccLoad::Arguments{}, phase1::RowBroadcastBias::Arguments{bias, layoutBias},
              phase1::Plus::Arguments{}},
             phase1::ColReduceMaxOfPlus::Arguments{}},
            {{{{phase2::AccLoad::Arguments{}, phase2::RowBroadcastBias::Arguments{bias, layoutBias},
                phase2::Plus::Arguments{}},
               phase2::ColBroadcastMaxOfPlus::Arguments{},
               phase2::Minus::Arguments{}},
              phase2::Exp::Arguments{}},
             phase2::ColReduceSumOfExp::Arguments{}},
            {{{{phase3::AccLoad::Arguments{}, phase3::RowBroadcastBias::Arguments{bias, layoutBias},
                phase3::Plus::Arguments{}},
               phase3::ColBroadcastMaxOfPlus::Arguments{},
               phase3::Minus::Arguments{}},
              {phase3::ColBroadcastSumOfExp::Arguments{}, phase3::Log::Arguments{}},
              phase3::Minus2::Arguments{}},
             phase3::AuxStoreD::Arguments{D, layoutD}}};
    }
};

} // namespace Catlass::Evt::log_softmax

#endif // EVTGEN_LOG_SOFTMAX_HPP
