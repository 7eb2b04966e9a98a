#ifndef EVTGEN_SWIGLU_QUANTIZE_PER_TOKEN_HPP
#define EVTGEN_SWIGLU_QUANTIZE_PER_TOKEN_HPP

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

// The epilogue swiglu_quantize_per_token, of C and C2, the left and the right half of A * B:
//
//     castMultipliesToFloat = float(silu(C) * C2)
//     muls = max(fabs(castMultipliesToFloat) over columns) * 0.007874016
//     scales = first column of fmax(muls, 7.523164e-37)
//     D = int8_t(half(castMultipliesToFloat / fmax(muls, 7.523164e-37)))

namespace Catlass::Evt::swiglu_quantize_per_token {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = half;
using LayoutA = layout::RowMajor;
using LayoutB = layout::ColumnMajor;
using LayoutC = layout::RowMajor;

// Phase 1:
//
//     Multiplies = silu(C) * C2
//     MaxOfAbsolute = max of the columns of fabs(float(Multiplies))

namespace phase1 {

// The nodes
using AccLoad = Fusion::VisitorAccLoad<half>;
using Silu = Fusion::VisitorCompute<Fusion::Silu, half>;
using AccLoad2 = Fusion::VisitorAccLoad<half, false, 1>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, half>;
using AuxStoreMultiplies = Fusion::VisitorInWorkspace<1, Fusion::VisitorAuxStore<half, layout::RowMajor>>;
using CastMultipliesToFloat = Fusion::VisitorCast<float, half>;
using Absolute = Fusion::VisitorCompute<Fusion::Absolute, float>;
using ColReduceMaxOfAbsolute =
    Fusion::VisitorInWorkspace<0, Fusion::VisitorColReduce<Fusion::Maximum, float, layout::RowMajor>>;

// The graph
using SiluOfC = Fusion::TreeVisitor<Silu, AccLoad>;
using SiluOfCTimesC2 = Fusion::TreeVisitor<Multiplies, SiluOfC, AccLoad2>;
using StoredMultiplies = Fusion::TreeVisitor<AuxStoreMultiplies, SiluOfCTimesC2>;
using SiluOfCTimesC2AsFloat = Fusion::TreeVisitor<CastMultipliesToFloat, StoredMultiplies>;
using AbsoluteOfSiluOfCTimesC2 = Fusion::TreeVisitor<Absolute, SiluOfCTimesC2AsFloat>;
using EVT = Fusion::TreeVisitor<ColReduceMaxOfAbsolute, AbsoluteOfSiluOfCTimesC2>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 4928;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace phase1

// Phase 2:
//
//     scales = first column of fmax((MaxOfAbsolute * 0.007874016), 7.523164e-37)
//     D = int8_t(half(float(Multiplies) / fmax((MaxOfAbsolute * 0.007874016), 7.523164e-37)))

namespace phase2 {

// The nodes
using AuxLoadMultiplies = Fusion::VisitorInWorkspace<1, Fusion::VisitorAuxLoad<half, layout::RowMajor>>;
using CastMultipliesToFloat = Fusion::VisitorCast<float, half>;
using ColBroadcastMaxOfAbsolute = Fusion::VisitorInWorkspace<0, Fusion::VisitorColBroadcast<float, layout::RowMajor>>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, float, float>;
using Maxs = Fusion::VisitorCompute<Fusion::Maxs, float, float>;
using ColStoreScales = Fusion::VisitorColStore<float, layout::RowMajor>;
using Divides = Fusion::VisitorCompute<Fusion::Divides, float>;
using CastDividesToHalf = Fusion::VisitorCast<half, float, AscendC::RoundMode::CAST_ODD>;
using CastDividesToInt8 = Fusion::VisitorCast<int8_t, half>;
using AuxStoreD = Fusion::VisitorAuxStore<int8_t, layout::RowMajor>;

// The graph
using MultipliesAsFloat = Fusion::TreeVisitor<CastMultipliesToFloat, AuxLoadMultiplies>;
using MulsOfMaxOfAbsolute = Fusion::TreeVisitor<Muls, ColBroadcastMaxOfAbsolute>;
using MaxsOfMulsOfMaxOfAbsolute = Fusion::TreeVisitor<Maxs, MulsOfMaxOfAbsolute>;
using StoredScales = Fusion::TreeVisitor<ColStoreScales, MaxsOfMulsOfMaxOfAbsolute>;
using DividesValue = Fusion::TreeVisitor<Divides, MultipliesAsFloat, StoredScales>;
using DividesAsHalf = Fusion::TreeVisitor<CastDividesToHalf, DividesValue>;
using DividesAsInt8 = Fusion::TreeVisitor<CastDividesToInt8, DividesAsHalf>;
using EVT = Fusion::TreeVisitor<AuxStoreD, DividesAsInt8>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 7680;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace phase2

using BlockEpilogue = Fusion::Phases<phase1::BlockEpilogue, phase2::BlockEpilogue>;
using EVT = BlockEpilogue::EVT;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

// Launched with ptrB2 = ptrB: B has 2 * N columns
using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR scales{nullptr}; ///< out: float, M x 1
    layout::RowMajor layoutScales{};
    GM_ADDR D{nullptr}; ///< out: int8_t, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{{{{phase1::AccLoad::Arguments{}, phase1::Silu::Arguments{}},
                 phase1::AccLoad2::Arguments{},
                 phase1::Multiplies::Arguments{}},
                phase1::AuxStoreMultiplies::Arguments{}},
               phase1::CastMultipliesToFloat::Arguments{}},
              phase1::Absolute::Arguments{}},
             phase1::ColReduceMaxOfAbsolute::Arguments{}},
            {{{{{phase2::AuxLoadMultiplies::Arguments{}, phase2::CastMultipliesToFloat::Arguments{}},
                {{{phase2::ColBroadcastMaxOfAbsolute::Arguments{}, phase2::Muls::Arguments{{0.007874016f}}},
                  phase2::Maxs::Arguments{{7.523164e-37f}}},
                 phase2::ColStoreScales::Arguments{scales, layoutScales}},
                phase2::Divides::Arguments{}},
               phase2::CastDividesToHalf::Arguments{}},
              phase2::CastDividesToInt8::Arguments{}},
             phase2::AuxStoreD::Arguments{D, layoutD}}};
    }
};

} // namespace Catlass::Evt::swiglu_quantize_per_token

#endif // EVTGEN_SWIGLU_QUANTIZE_PER_TOKEN_HPP
