#ifndef EVTGEN_A8W4_MX_MATMUL_HPP
#define EVTGEN_A8W4_MX_MATMUL_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/operations/arithmetic.hpp"
#include "catlass/epilogue/fusion/scaled.hpp"
#include "catlass/epilogue/fusion/topological_visitor.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
#include "catlass/epilogue/fusion/visitor_by_repeats.hpp"
#include "catlass/epilogue/fusion/visitor_cast.hpp"
#include "catlass/epilogue/fusion/visitor_compute.hpp"
#include "catlass/epilogue/fusion/visitor_row_broadcast.hpp"
#include "catlass/epilogue/fusion/widened.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_mmad_mx.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"
#include "tla/layout.hpp"

// The epilogue a8w4_mx_matmul, of C = (A * a_scale) * (B * b_scale):
//
//     D = bfloat16_t(C + bias)

namespace Catlass::Evt::a8w4_mx_matmul {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = fp8_e4m3fn_t;
using ElementB = float4_e2m1x2_t;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::ColumnMajor;
using LayoutC = layout::RowMajor;

// First the AIVs widen B, by its columns

namespace widening {

// The nodes
using AuxLoadB = Fusion::VisitorAuxLoad<float4_e2m1x2_t, layout::RowMajor>;
using CastBToBfloat16 = Fusion::VisitorCast<bfloat16_t, float4_e2m1x2_t>;
using CastBToFloat = Fusion::VisitorCast<float, bfloat16_t>;
using CastBToFp8E4m3fn = Fusion::VisitorCast<fp8_e4m3fn_t, float, AscendC::RoundMode::CAST_RINT>;
using AuxStoreWidenedB = Fusion::VisitorAuxStore<fp8_e4m3fn_t, layout::RowMajor>;

// The graph
using Edges = tla::tuple<
    tla::seq<>,  // 0: AuxLoadB
    tla::seq<0>, // 1: CastBToBfloat16(AuxLoadB)
    tla::seq<1>, // 2: CastBToFloat(CastBToBfloat16)
    tla::seq<2>, // 3: CastBToFp8E4m3fn(CastBToFloat)
    tla::seq<3>  // 4: AuxStoreWidenedB(CastBToFp8E4m3fn)
    >;

// Elements of a tile. With 3 buffers the nodes take 253440 of the 253696 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 14016;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 84480;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {7008}},      // AuxLoadB
        {1, false, {56064}, {28032}}, // CastBToBfloat16
        {2, true, {0}, {56064}},      // CastBToFloat
        {3, true, {56064}, {14016}},  // CastBToFp8E4m3fn
        {4, false, {}, {}}            // AuxStoreWidenedB
    };
};

using EVT = Fusion::Planned<
    Plan,
    Fusion::TopologicalVisitor<Edges, AuxLoadB, CastBToBfloat16, CastBToFloat, CastBToFp8E4m3fn, AuxStoreWidenedB>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::Ascend950, 3>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace widening

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using RowBroadcastBias = Fusion::VisitorRowBroadcast<float, layout::RowMajor, false, false>;
using Plus =
    Fusion::VisitorByRepeats<Fusion::VisitorCompute<Fusion::Plus, float>, Fusion::Held::TILE, Fusion::Held::ROW>;
using CastPlusToBfloat16 = Fusion::VisitorCast<bfloat16_t, float, AscendC::RoundMode::CAST_RINT>;
using AuxStoreD = Fusion::VisitorAuxStore<bfloat16_t, layout::RowMajor>;

// The graph
using CPlusBias = Fusion::TreeVisitor<Plus, AccLoad, RowBroadcastBias>;
using CPlusBiasAsBfloat16 = Fusion::TreeVisitor<CastPlusToBfloat16, CPlusBias>;

// Elements of a tile. With 2 buffers the nodes take 252928 of the 253696 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 19648;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 126464;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {78592}},    // AccLoad
        {1, false, {78592}, {8192}}, // RowBroadcastBias
        {2, false, {0}, {78592}},    // Plus
        {3, true, {86784}, {39296}}, // CastPlusToBfloat16
        {4, false, {}, {}}           // AuxStoreD
    };
};

using EVT = Fusion::Planned<Plan, Fusion::TreeVisitor<AuxStoreD, CPlusBiasAsBfloat16>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::Ascend950, 2>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

using TileCopy = Gemm::Tile::PackedMxTileCopyTla<
    Arch::Ascend950, ElementA, LayoutA, ElementA, LayoutB, float8_e8m0_t, Gemm::Block::MxScaleLayout<LayoutA, false>,
    float8_e8m0_t, Gemm::Block::MxScaleLayout<LayoutB, true>, ElementC, LayoutC>;

using BlockMmad = Gemm::Block::BlockMmadMx<Gemm::Block::BlockMmadTla<
    Gemm::MmadMx<Arch::Ascend950, true, 8>, tla::Shape<tla::Int<128>, tla::Int<256>, tla::Int<512>>,
    tla::Shape<tla::Int<128>, tla::Int<256>, tla::Int<128>>, ElementA, ElementA, ElementC, void, TileCopy>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using ScaledEpilogue = Fusion::Scaled<BlockEpilogue>;
using WidenedEpilogue = Fusion::Widened<widening::BlockEpilogue, ScaledEpilogue>;

// Its vector cores wait for each other: launch it in batch mode, on no more cores than the device has
using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, WidenedEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR a_scale{nullptr}; ///< in: float8_e8m0_t, M x ((K + 31) / 32)
    layout::RowMajor layoutAScale{};
    GM_ADDR b_scale{nullptr}; ///< in: float8_e8m0_t, ((K + 31) / 32) x N
    layout::ColumnMajor layoutBScale{};
    GM_ADDR bias{nullptr}; ///< in: float, 1 x N
    layout::RowMajor layoutBias{};
    GM_ADDR D{nullptr}; ///< out: bfloat16_t, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE WidenedEpilogue::EVT::Arguments ToEvt() const
    {
        return {
            {widening::AuxLoadB::Arguments{}, widening::CastBToBfloat16::Arguments{},
             widening::CastBToFloat::Arguments{}, widening::CastBToFp8E4m3fn::Arguments{},
             widening::AuxStoreWidenedB::Arguments{}},
            {ScaledEpilogue::EVT::ScalesOfA{a_scale, layoutAScale},
             ScaledEpilogue::EVT::ScalesOfB{b_scale, layoutBScale},
             {{{AccLoad::Arguments{}, RowBroadcastBias::Arguments{bias, layoutBias}, Plus::Arguments{}},
               CastPlusToBfloat16::Arguments{}},
              AuxStoreD::Arguments{D, layoutD}}}};
    }
};

} // namespace Catlass::Evt::a8w4_mx_matmul

#endif // EVTGEN_A8W4_MX_MATMUL_HPP
