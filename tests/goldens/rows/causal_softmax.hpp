#ifndef EVTGEN_CAUSAL_SOFTMAX_HPP
#define EVTGEN_CAUSAL_SOFTMAX_HPP

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

// The epilogue causal_softmax, of C = A * B:
//
//     whereScalar = (float(col_index() - row_index()) <= 0) ? (C * scale) : -INFINITY
//     exp = exp((whereScalar - max(whereScalar over columns)))
//     D = bfloat16_t(exp / sum(exp over columns))

namespace Catlass::Evt::causal_softmax {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// Phase 1:
//
//     whereScalar = (float(col_index() - row_index()) <= 0) ? (C * scale) : -INFINITY
//     MaxOfWhereScalar = max of the columns of whereScalar

namespace phase1 {

// The nodes
using ColIndex = Fusion::VisitorColIndex;
using RowIndex = Fusion::VisitorRowIndex;
using Minus = Fusion::VisitorCompute<Fusion::Minus, int32_t>;
using CastMinusToFloat = Fusion::VisitorCast<float, int32_t>;
using LessEqualScalar = Fusion::VisitorCompute<Fusion::LessEqualScalar, float, float>;
using AccLoad = Fusion::VisitorAccLoad<float>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, float, float>;
using WhereScalar = Fusion::VisitorCompute<Fusion::WhereScalar, float, float>;
using ColReduceMaxOfWhereScalar =
    Fusion::VisitorInWorkspace<0, Fusion::VisitorColReduce<Fusion::Maximum, float, layout::RowMajor>>;

// The graph
using ColIndexMinusRowIndex = Fusion::TreeVisitor<Minus, ColIndex, RowIndex>;
using ColIndexMinusRowIndexAsFloat = Fusion::TreeVisitor<CastMinusToFloat, ColIndexMinusRowIndex>;
using LessEqualScalarValue = Fusion::TreeVisitor<LessEqualScalar, ColIndexMinusRowIndexAsFloat>;
using MulsOfC = Fusion::TreeVisitor<Muls, AccLoad>;
using WhereScalarValue = Fusion::TreeVisitor<WhereScalar, LessEqualScalarValue, MulsOfC>;
using EVT = Fusion::TreeVisitor<ColReduceMaxOfWhereScalar, WhereScalarValue>;

// Elements of a tile. With 2 buffers the nodes take 186368 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 5760;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace phase1

// Phase 2:
//
//     whereScalar = (float(col_index() - row_index()) <= 0) ? (C * scale) : -INFINITY
//     SumOfExp = sum of the columns of exp((whereScalar - MaxOfWhereScalar))

namespace phase2 {

// The nodes
using ColIndex = Fusion::VisitorColIndex;
using RowIndex = Fusion::VisitorRowIndex;
using Minus = Fusion::VisitorCompute<Fusion::Minus, int32_t>;
using CastMinusToFloat = Fusion::VisitorCast<float, int32_t>;
using LessEqualScalar = Fusion::VisitorCompute<Fusion::LessEqualScalar, float, float>;
using AccLoad = Fusion::VisitorAccLoad<float>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, float, float>;
using WhereScalar = Fusion::VisitorCompute<Fusion::WhereScalar, float, float>;
using ColBroadcastMaxOfWhereScalar =
    Fusion::VisitorInWorkspace<0, Fusion::VisitorColBroadcast<float, layout::RowMajor>>;
using Minus2 = Fusion::VisitorCompute<Fusion::Minus, float>;
using Exp = Fusion::VisitorCompute<Fusion::Exp, float>;
using ColReduceSumOfExp =
    Fusion::VisitorInWorkspace<1, Fusion::VisitorColReduce<Fusion::Plus, float, layout::RowMajor>>;

// The graph
using ColIndexMinusRowIndex = Fusion::TreeVisitor<Minus, ColIndex, RowIndex>;
using ColIndexMinusRowIndexAsFloat = Fusion::TreeVisitor<CastMinusToFloat, ColIndexMinusRowIndex>;
using LessEqualScalarValue = Fusion::TreeVisitor<LessEqualScalar, ColIndexMinusRowIndexAsFloat>;
using MulsOfC = Fusion::TreeVisitor<Muls, AccLoad>;
using WhereScalarValue = Fusion::TreeVisitor<WhereScalar, LessEqualScalarValue, MulsOfC>;
using Minus2Value = Fusion::TreeVisitor<Minus2, WhereScalarValue, ColBroadcastMaxOfWhereScalar>;
using ExpOfMinus2 = Fusion::TreeVisitor<Exp, Minus2Value>;
using EVT = Fusion::TreeVisitor<ColReduceSumOfExp, ExpOfMinus2>;

// Elements of a tile. With 2 buffers the nodes take 186368 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 4608;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace phase2

// Phase 3:
//
//     whereScalar = (float(col_index() - row_index()) <= 0) ? (C * scale) : -INFINITY
//     D = bfloat16_t(exp((whereScalar - MaxOfWhereScalar)) / SumOfExp)

namespace phase3 {

// The nodes
using ColIndex = Fusion::VisitorColIndex;
using RowIndex = Fusion::VisitorRowIndex;
using Minus = Fusion::VisitorCompute<Fusion::Minus, int32_t>;
using CastMinusToFloat = Fusion::VisitorCast<float, int32_t>;
using LessEqualScalar = Fusion::VisitorCompute<Fusion::LessEqualScalar, float, float>;
using AccLoad = Fusion::VisitorAccLoad<float>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, float, float>;
using WhereScalar = Fusion::VisitorCompute<Fusion::WhereScalar, float, float>;
using ColBroadcastMaxOfWhereScalar =
    Fusion::VisitorInWorkspace<0, Fusion::VisitorColBroadcast<float, layout::RowMajor>>;
using Minus2 = Fusion::VisitorCompute<Fusion::Minus, float>;
using Exp = Fusion::VisitorCompute<Fusion::Exp, float>;
using ColBroadcastSumOfExp = Fusion::VisitorInWorkspace<1, Fusion::VisitorColBroadcast<float, layout::RowMajor>>;
using Divides = Fusion::VisitorCompute<Fusion::Divides, float>;
using CastDividesToBfloat16 = Fusion::VisitorCast<bfloat16_t, float, AscendC::RoundMode::CAST_RINT>;
using AuxStoreD = Fusion::VisitorAuxStore<bfloat16_t, layout::RowMajor>;

// The graph
using ColIndexMinusRowIndex = Fusion::TreeVisitor<Minus, ColIndex, RowIndex>;
using ColIndexMinusRowIndexAsFloat = Fusion::TreeVisitor<CastMinusToFloat, ColIndexMinusRowIndex>;
using LessEqualScalarValue = Fusion::TreeVisitor<LessEqualScalar, ColIndexMinusRowIndexAsFloat>;
using MulsOfC = Fusion::TreeVisitor<Muls, AccLoad>;
using WhereScalarValue = Fusion::TreeVisitor<WhereScalar, LessEqualScalarValue, MulsOfC>;
using Minus2Value = Fusion::TreeVisitor<Minus2, WhereScalarValue, ColBroadcastMaxOfWhereScalar>;
using ExpOfMinus2 = Fusion::TreeVisitor<Exp, Minus2Value>;
using ExpOfMinus2OverSumOfExp = Fusion::TreeVisitor<Divides, ExpOfMinus2, ColBroadcastSumOfExp>;
using ExpOfMinus2OverSumOfExpAsBfloat16 = Fusion::TreeVisitor<CastDividesToBfloat16, ExpOfMinus2OverSumOfExp>;
using EVT = Fusion::TreeVisitor<AuxStoreD, ExpOfMinus2OverSumOfExpAsBfloat16>;

// Elements of a tile. With 2 buffers the nodes take 186368 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 3840;

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

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{{{phase1::ColIndex::Arguments{}, phase1::RowIndex::Arguments{}, phase1::Minus::Arguments{}},
                phase1::CastMinusToFloat::Arguments{}},
               phase1::LessEqualScalar::Arguments{{0.0f}}},
              {phase1::AccLoad::Arguments{}, phase1::Muls::Arguments{{scale}}},
              phase1::WhereScalar::Arguments{{-INFINITY}}},
             phase1::ColReduceMaxOfWhereScalar::Arguments{}},
            {{{{{{{phase2::ColIndex::Arguments{}, phase2::RowIndex::Arguments{}, phase2::Minus::Arguments{}},
                  phase2::CastMinusToFloat::Arguments{}},
                 phase2::LessEqualScalar::Arguments{{0.0f}}},
                {phase2::AccLoad::Arguments{}, phase2::Muls::Arguments{{scale}}},
                phase2::WhereScalar::Arguments{{-INFINITY}}},
               phase2::ColBroadcastMaxOfWhereScalar::Arguments{},
               phase2::Minus2::Arguments{}},
              phase2::Exp::Arguments{}},
             phase2::ColReduceSumOfExp::Arguments{}},
            {{{{{{{{{phase3::ColIndex::Arguments{}, phase3::RowIndex::Arguments{}, phase3::Minus::Arguments{}},
                    phase3::CastMinusToFloat::Arguments{}},
                   phase3::LessEqualScalar::Arguments{{0.0f}}},
                  {phase3::AccLoad::Arguments{}, phase3::Muls::Arguments{{scale}}},
                  phase3::WhereScalar::Arguments{{-INFINITY}}},
                 phase3::ColBroadcastMaxOfWhereScalar::Arguments{},
                 phase3::Minus2::Arguments{}},
                phase3::Exp::Arguments{}},
               phase3::ColBroadcastSumOfExp::Arguments{},
               phase3::Divides::Arguments{}},
              phase3::CastDividesToBfloat16::Arguments{}},
             phase3::AuxStoreD::Arguments{D, layoutD}}};
    }
};

} // namespace Catlass::Evt::causal_softmax

#endif // EVTGEN_CAUSAL_SOFTMAX_HPP
