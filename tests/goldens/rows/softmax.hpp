#ifndef EVTGEN_SOFTMAX_HPP
#define EVTGEN_SOFTMAX_HPP

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
#include "catlass/epilogue/fusion/visitor_by_repeats.hpp"
#include "catlass/epilogue/fusion/visitor_cast.hpp"
#include "catlass/epilogue/fusion/visitor_col_broadcast.hpp"
#include "catlass/epilogue/fusion/visitor_col_reduce.hpp"
#include "catlass/epilogue/fusion/visitor_col_reduced.hpp"
#include "catlass/epilogue/fusion/visitor_compute.hpp"
#include "catlass/epilogue/fusion/visitor_in_workspace.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue softmax, of C = A * B:
//
//     exp = exp((C - max(C over columns)))
//     D = bfloat16_t(exp / sum(exp over columns))

namespace Catlass::Evt::softmax {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// Phase 1:
//
//     MaxOfC = max of the columns of C

namespace phase1 {

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using ColReduceMaxOfC =
    Fusion::VisitorInWorkspace<0, Fusion::VisitorColReduce<Fusion::Maximum, float, layout::RowMajor>>;

// The graph

// Elements of a tile. With 3 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 9984;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 62464;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {39936}},                             // AccLoad
        {1, false, {0, 0, 40192, 60160}, {0, 0, 19968, 1920}} // ColReduceMaxOfC
    };
};

using EVT = Fusion::Planned<Plan, Fusion::TreeVisitor<ColReduceMaxOfC, AccLoad>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::AtlasA2, 3>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace phase1

// Phase 2:
//
//     SumOfExp = sum of the columns of exp((C - MaxOfC))

namespace phase2 {

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using ColBroadcastMaxOfC =
    Fusion::VisitorInWorkspace<0, Fusion::VisitorColBroadcast<float, layout::RowMajor, false, false>>;
using Minus =
    Fusion::VisitorByRepeats<Fusion::VisitorCompute<Fusion::Minus, float>, Fusion::Held::TILE, Fusion::Held::COLUMN>;
using Exp = Fusion::VisitorCompute<Fusion::Exp, float>;
using ColReduceSumOfExp =
    Fusion::VisitorInWorkspace<1, Fusion::VisitorColReduce<Fusion::Plus, float, layout::RowMajor>>;

// The graph
using CMinusMaxOfC = Fusion::TreeVisitor<Minus, AccLoad, ColBroadcastMaxOfC>;
using ExpOfCMinusMaxOfC = Fusion::TreeVisitor<Exp, CMinusMaxOfC>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 15040;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 93696;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {60160}},                            // AccLoad
        {1, false, {60160}, {1024}},                         // ColBroadcastMaxOfC
        {2, false, {0, 0, 61184}, {60160, 0, 8192}},         // Minus
        {3, true, {0}, {60160}},                             // Exp
        {4, true, {0, 0, 61184, 91392}, {0, 0, 30080, 1920}} // ColReduceSumOfExp
    };
};

using EVT = Fusion::Planned<Plan, Fusion::TreeVisitor<ColReduceSumOfExp, ExpOfCMinusMaxOfC>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace phase2

// Phase 3:
//
//     D = bfloat16_t(exp((C - MaxOfC)) / SumOfExp)

namespace phase3 {

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using ColBroadcastMaxOfC =
    Fusion::VisitorInWorkspace<0, Fusion::VisitorColBroadcast<float, layout::RowMajor, false, false>>;
using Minus =
    Fusion::VisitorByRepeats<Fusion::VisitorCompute<Fusion::Minus, float>, Fusion::Held::TILE, Fusion::Held::COLUMN>;
using Exp = Fusion::VisitorCompute<Fusion::Exp, float>;
using ColBroadcastSumOfExp =
    Fusion::VisitorInWorkspace<1, Fusion::VisitorColBroadcast<float, layout::RowMajor, false, false>>;
using Divides =
    Fusion::VisitorByRepeats<Fusion::VisitorCompute<Fusion::Divides, float>, Fusion::Held::TILE, Fusion::Held::COLUMN>;
using CastDividesToBfloat16 = Fusion::VisitorCast<bfloat16_t, float, AscendC::RoundMode::CAST_RINT>;
using AuxStoreD = Fusion::VisitorAuxStore<bfloat16_t, layout::RowMajor>;

// The graph
using CMinusMaxOfC = Fusion::TreeVisitor<Minus, AccLoad, ColBroadcastMaxOfC>;
using ExpOfCMinusMaxOfC = Fusion::TreeVisitor<Exp, CMinusMaxOfC>;
using DividesValue = Fusion::TreeVisitor<Divides, ExpOfCMinusMaxOfC, ColBroadcastSumOfExp>;
using DividesAsBfloat16 = Fusion::TreeVisitor<CastDividesToBfloat16, DividesValue>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 15232;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 93696;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {60928}},                    // AccLoad
        {1, false, {61184}, {1024}},                 // ColBroadcastMaxOfC
        {4, false, {62208}, {1024}},                 // ColBroadcastSumOfExp
        {2, false, {0, 0, 63232}, {60928, 0, 8192}}, // Minus
        {3, true, {0}, {60928}},                     // Exp
        {5, true, {0, 0, 63232}, {60928, 0, 8192}},  // Divides
        {6, true, {63232}, {30464}},                 // CastDividesToBfloat16
        {7, false, {}, {}}                           // AuxStoreD
    };
};

using EVT = Fusion::Planned<Plan, Fusion::TreeVisitor<AuxStoreD, DividesAsBfloat16>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace phase3

// All phases at once, in tiles of whole rows

namespace rows {

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using MaxOfC = Fusion::VisitorColReduced<Fusion::Maximum, float, false>;
using Minus =
    Fusion::VisitorByRepeats<Fusion::VisitorCompute<Fusion::Minus, float>, Fusion::Held::TILE, Fusion::Held::COLUMN>;
using Exp = Fusion::VisitorCompute<Fusion::Exp, float>;
using SumOfExp = Fusion::VisitorColReduced<Fusion::Plus, float, false>;
using Divides =
    Fusion::VisitorByRepeats<Fusion::VisitorCompute<Fusion::Divides, float>, Fusion::Held::TILE, Fusion::Held::COLUMN>;
using CastDividesToBfloat16 = Fusion::VisitorCast<bfloat16_t, float, AscendC::RoundMode::CAST_RINT>;
using AuxStoreD = Fusion::VisitorAuxStore<bfloat16_t, layout::RowMajor>;

// The graph
using Edges = tla::tuple<
    tla::seq<>,     // 0: AccLoad
    tla::seq<0>,    // 1: MaxOfC(AccLoad)
    tla::seq<0, 1>, // 2: Minus(AccLoad, MaxOfC)
    tla::seq<2>,    // 3: Exp(Minus)
    tla::seq<3>,    // 4: SumOfExp(Exp)
    tla::seq<3, 4>, // 5: Divides(Exp, SumOfExp)
    tla::seq<5>,    // 6: CastDividesToBfloat16(Divides)
    tla::seq<6>     // 7: AuxStoreD(CastDividesToBfloat16)
    >;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 13760;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 93696;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {55040}},                        // AccLoad
        {1, false, {55040, 0, 57344}, {1920, 0, 27520}}, // MaxOfC
        {2, true, {0, 0, 85248}, {55040, 0, 8192}},      // Minus
        {3, true, {0}, {55040}},                         // Exp
        {4, true, {55040, 0, 57344}, {1920, 0, 27520}},  // SumOfExp
        {5, true, {0, 0, 85248}, {55040, 0, 8192}},      // Divides
        {6, true, {57344}, {27520}},                     // CastDividesToBfloat16
        {7, false, {}, {}}                               // AuxStoreD
    };
};

using EVT = Fusion::Planned<
    Plan, Fusion::TopologicalVisitor<
              Edges, AccLoad, MaxOfC, Minus, Exp, SumOfExp, Divides, CastDividesToBfloat16, AuxStoreD>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace rows

using BlockEpilogue =
    Fusion::Phases<phase1::BlockEpilogue, phase2::BlockEpilogue, phase3::BlockEpilogue, rows::BlockEpilogue>;
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
    GM_ADDR D{nullptr}; ///< out: bfloat16_t, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE EVT::Arguments ToEvt() const
    {
        return {
            {phase1::AccLoad::Arguments{}, phase1::ColReduceMaxOfC::Arguments{}},
            {{{phase2::AccLoad::Arguments{}, phase2::ColBroadcastMaxOfC::Arguments{}, phase2::Minus::Arguments{}},
              phase2::Exp::Arguments{}},
             phase2::ColReduceSumOfExp::Arguments{}},
            {{{{{phase3::AccLoad::Arguments{}, phase3::ColBroadcastMaxOfC::Arguments{}, phase3::Minus::Arguments{}},
                phase3::Exp::Arguments{}},
               phase3::ColBroadcastSumOfExp::Arguments{},
               phase3::Divides::Arguments{}},
              phase3::CastDividesToBfloat16::Arguments{}},
             phase3::AuxStoreD::Arguments{D, layoutD}},
            {rows::AccLoad::Arguments{}, rows::MaxOfC::Arguments{}, rows::Minus::Arguments{}, rows::Exp::Arguments{},
             rows::SumOfExp::Arguments{}, rows::Divides::Arguments{}, rows::CastDividesToBfloat16::Arguments{},
             rows::AuxStoreD::Arguments{D, layoutD}}};
    }
};

} // namespace Catlass::Evt::softmax

#endif // EVTGEN_SOFTMAX_HPP
