#ifndef EVTGEN_MX_MATMUL_HPP
#define EVTGEN_MX_MATMUL_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/operations/activation.hpp"
#include "catlass/epilogue/fusion/operations/arithmetic.hpp"
#include "catlass/epilogue/fusion/scaled.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
#include "catlass/epilogue/fusion/visitor_by_repeats.hpp"
#include "catlass/epilogue/fusion/visitor_cast.hpp"
#include "catlass/epilogue/fusion/visitor_compute.hpp"
#include "catlass/epilogue/fusion/visitor_row_broadcast.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_mmad_mx.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"
#include "tla/layout.hpp"

// The epilogue mx_matmul, of C = (A * a_scale) * (B * b_scale):
//
//     D = bfloat16_t(gelu_tanh(C + bias))

namespace Catlass::Evt::mx_matmul {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = fp8_e4m3fn_t;
using ElementB = fp8_e5m2_t;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::ColumnMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using RowBroadcastBias = Fusion::VisitorRowBroadcast<float, layout::RowMajor, false, false>;
using Plus =
    Fusion::VisitorByRepeats<Fusion::VisitorCompute<Fusion::Plus, float>, Fusion::Held::TILE, Fusion::Held::ROW>;
using GeluTanh = Fusion::VisitorCompute<Fusion::GeluTanh, float>;
using CastGeluTanhToBfloat16 = Fusion::VisitorCast<bfloat16_t, float, AscendC::RoundMode::CAST_RINT>;
using AuxStoreD = Fusion::VisitorAuxStore<bfloat16_t, layout::RowMajor>;

// The graph
using CPlusBias = Fusion::TreeVisitor<Plus, AccLoad, RowBroadcastBias>;
using GeluTanhOfCPlusBias = Fusion::TreeVisitor<GeluTanh, CPlusBias>;
using GeluTanhOfCPlusBiasAsBfloat16 = Fusion::TreeVisitor<CastGeluTanhToBfloat16, GeluTanhOfCPlusBias>;

// Elements of a tile. With 2 buffers the nodes take 251904 of the 253696 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 10432;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 125952;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {41728}},                        // AccLoad
        {1, false, {41728}, {8192}},                     // RowBroadcastBias
        {2, false, {0}, {41728}},                        // Plus
        {3, true, {41728, 0, 83456}, {41728, 0, 42240}}, // GeluTanh
        {4, true, {83456}, {20864}},                     // CastGeluTanhToBfloat16
        {5, false, {}, {}}                               // AuxStoreD
    };
};

using EVT = Fusion::Planned<Plan, Fusion::TreeVisitor<AuxStoreD, GeluTanhOfCPlusBiasAsBfloat16>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::Ascend950, 2>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

using TileCopy = Gemm::Tile::PackedMxTileCopyTla<
    Arch::Ascend950, ElementA, LayoutA, ElementB, LayoutB, float8_e8m0_t, Gemm::Block::MxScaleLayout<LayoutA, false>,
    float8_e8m0_t, Gemm::Block::MxScaleLayout<LayoutB, true>, ElementC, LayoutC>;

using BlockMmad = Gemm::Block::BlockMmadMx<Gemm::Block::BlockMmadTla<
    Gemm::MmadMx<Arch::Ascend950, true, 8>, tla::Shape<tla::Int<128>, tla::Int<256>, tla::Int<512>>,
    tla::Shape<tla::Int<128>, tla::Int<256>, tla::Int<128>>, ElementA, ElementB, ElementC, void, TileCopy>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using ScaledEpilogue = Fusion::Scaled<BlockEpilogue>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, ScaledEpilogue, BlockScheduler>;

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
    CATLASS_HOST_DEVICE ScaledEpilogue::EVT::Arguments ToEvt() const
    {
        return {
            ScaledEpilogue::EVT::ScalesOfA{a_scale, layoutAScale},
            ScaledEpilogue::EVT::ScalesOfB{b_scale, layoutBScale},
            {{{{AccLoad::Arguments{}, RowBroadcastBias::Arguments{bias, layoutBias}, Plus::Arguments{}},
               GeluTanh::Arguments{}},
              CastGeluTanhToBfloat16::Arguments{}},
             AuxStoreD::Arguments{D, layoutD}}};
    }
};

} // namespace Catlass::Evt::mx_matmul

#endif // EVTGEN_MX_MATMUL_HPP
