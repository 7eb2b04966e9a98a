#ifndef EVTGEN_SOFTMAX_LSE_HPP
#define EVTGEN_SOFTMAX_LSE_HPP

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

// The epilogue softmax_lse, of C = A * B:
//
//     muls = C * scale
//     maxOfMuls = max(muls over columns)
//     exp = exp((muls - maxOfMuls))
//     sumOfExp = sum(exp over columns)
//     D = bfloat16_t(exp / sumOfExp)
//     lse = first column of (maxOfMuls + log(sumOfExp))

namespace Catlass::Evt::softmax_lse {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// Phase 1:
//
//     MaxOfMuls = max of the columns of C * scale

namespace phase1 {

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, float, float>;
using ColReduceMaxOfMuls =
    Fusion::VisitorInWorkspace<0, Fusion::VisitorColReduce<Fusion::Maximum, float, layout::RowMajor>>;

// The graph
using MulsOfC = Fusion::TreeVisitor<Muls, AccLoad>;
using EVT = Fusion::TreeVisitor<ColReduceMaxOfMuls, MulsOfC>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 22464;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace phase1

// Phase 2:
//
//     SumOfExp = sum of the columns of exp(((C * scale) - MaxOfMuls))

namespace phase2 {

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, float, float>;
using ColBroadcastMaxOfMuls = Fusion::VisitorInWorkspace<0, Fusion::VisitorColBroadcast<float, layout::RowMajor>>;
using Minus = Fusion::VisitorCompute<Fusion::Minus, float>;
using Exp = Fusion::VisitorCompute<Fusion::Exp, float>;
using ColReduceSumOfExp =
    Fusion::VisitorInWorkspace<1, Fusion::VisitorColReduce<Fusion::Plus, float, layout::RowMajor>>;

// The graph
using MulsOfC = Fusion::TreeVisitor<Muls, AccLoad>;
using MulsOfCMinusMaxOfMuls = Fusion::TreeVisitor<Minus, MulsOfC, ColBroadcastMaxOfMuls>;
using ExpOfMulsOfCMinusMaxOfMuls = Fusion::TreeVisitor<Exp, MulsOfCMinusMaxOfMuls>;
using EVT = Fusion::TreeVisitor<ColReduceSumOfExp, ExpOfMulsOfCMinusMaxOfMuls>;

// Elements of a tile. With 2 buffers the nodes take 186368 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 11456;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace phase2

// Phase 3:
//
//     D = bfloat16_t(exp(((C * scale) - MaxOfMuls)) / SumOfExp)
//     lse = first column of (MaxOfMuls + log(SumOfExp))

namespace phase3 {

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, float, float>;
using ColBroadcastMaxOfMuls = Fusion::VisitorInWorkspace<0, Fusion::VisitorColBroadcast<float, layout::RowMajor>>;
using Minus = Fusion::VisitorCompute<Fusion::Minus, float>;
using Exp = Fusion::VisitorCompute<Fusion::Exp, float>;
using ColBroadcastSumOfExp = Fusion::VisitorInWorkspace<1, Fusion::VisitorColBroadcast<float, layout::RowMajor>>;
using Divides = Fusion::VisitorCompute<Fusion::Divides, float>;
using CastDividesToBfloat16 = Fusion::VisitorCast<bfloat16_t, float, AscendC::RoundMode::CAST_RINT>;
using AuxStoreD = Fusion::VisitorAuxStore<bfloat16_t, layout::RowMajor>;
using Log = Fusion::VisitorCompute<Fusion::Log, float>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using ColStoreLse = Fusion::VisitorColStore<float, layout::RowMajor>;
using Outputs = Fusion::VisitorOutputs;

// The graph
using MulsOfC = Fusion::TreeVisitor<Muls, AccLoad>;
using Edges = tla::tuple<
    tla::seq<>,     // 0: MulsOfC
    tla::seq<>,     // 1: ColBroadcastMaxOfMuls
    tla::seq<0, 1>, // 2: Minus(MulsOfC, ColBroadcastMaxOfMuls)
    tla::seq<2>,    // 3: Exp(Minus)
    tla::seq<>,     // 4: ColBroadcastSumOfExp
    tla::seq<3, 4>, // 5: Divides(Exp, ColBroadcastSumOfExp)
    tla::seq<5>,    // 6: CastDividesToBfloat16(Divides)
    tla::seq<6>,    // 7: AuxStoreD(CastDividesToBfloat16)
    tla::seq<4>,    // 8: Log(ColBroadcastSumOfExp)
    tla::seq<1, 8>, // 9: Plus(ColBroadcastMaxOfMuls, Log)
    tla::seq<9>,    // 10: ColStoreLse(Plus)
    tla::seq<7, 10> // 11: Outputs(AuxStoreD, ColStoreLse)
    >;
using EVT = Fusion::TopologicalVisitor<
    Edges, MulsOfC, ColBroadcastMaxOfMuls, Minus, Exp, ColBroadcastSumOfExp, Divides, CastDividesToBfloat16, AuxStoreD,
    Log, Plus, ColStoreLse, Outputs>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 6592;

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

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler, WORKSPACE_STAGES>;

/// The arguments of the epilogue, by name.
struct Arguments {
    float scale{0.125f}; ///< in: a number
    GM_ADDR D{nullptr};  ///< out: bfloat16_t, M x N
    layout::RowMajor layoutD{};
    GM_ADDR lse{nullptr}; ///< out: float, M x 1
    layout::RowMajor layoutLse{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{phase1::AccLoad::Arguments{}, phase1::Muls::Arguments{{scale}}}, phase1::ColReduceMaxOfMuls::Arguments{}},
            {{{{phase2::AccLoad::Arguments{}, phase2::Muls::Arguments{{scale}}},
               phase2::ColBroadcastMaxOfMuls::Arguments{},
               phase2::Minus::Arguments{}},
              phase2::Exp::Arguments{}},
             phase2::ColReduceSumOfExp::Arguments{}},
            {{phase3::AccLoad::Arguments{}, phase3::Muls::Arguments{{scale}}},
             phase3::ColBroadcastMaxOfMuls::Arguments{},
             phase3::Minus::Arguments{},
             phase3::Exp::Arguments{},
             phase3::ColBroadcastSumOfExp::Arguments{},
             phase3::Divides::Arguments{},
             phase3::CastDividesToBfloat16::Arguments{},
             phase3::AuxStoreD::Arguments{D, layoutD},
             phase3::Log::Arguments{},
             phase3::Plus::Arguments{},
             phase3::ColStoreLse::Arguments{lse, layoutLse},
             phase3::Outputs::Arguments{}}};
    }
};

} // namespace Catlass::Evt::softmax_lse

#endif // EVTGEN_SOFTMAX_LSE_HPP
