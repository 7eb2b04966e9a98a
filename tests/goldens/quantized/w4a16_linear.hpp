#ifndef EVTGEN_W4A16_LINEAR_HPP
#define EVTGEN_W4A16_LINEAR_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/operations/arithmetic.hpp"
#include "catlass/epilogue/fusion/topological_visitor.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
#include "catlass/epilogue/fusion/visitor_block_broadcast.hpp"
#include "catlass/epilogue/fusion/visitor_by_repeats.hpp"
#include "catlass/epilogue/fusion/visitor_cast.hpp"
#include "catlass/epilogue/fusion/visitor_compute.hpp"
#include "catlass/epilogue/fusion/visitor_on_row.hpp"
#include "catlass/epilogue/fusion/visitor_row_broadcast.hpp"
#include "catlass/epilogue/fusion/widened.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue w4a16_linear, of C = A * ((B - b_zero[k / 128]) * b_scale[k / 128]):
//
//     D = half(C + float(bias))

namespace Catlass::Evt::w4a16_linear {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = AscendC::int4b_t;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// First the AIVs widen B, by its rows

namespace widening {

// The nodes
using AuxLoadB = Fusion::VisitorAuxLoad<AscendC::int4b_t, layout::RowMajor>;
using CastBToHalf = Fusion::VisitorCast<half, AscendC::int4b_t>;
using BlockBroadcastBZero = Fusion::VisitorBlockBroadcast<half, layout::RowMajor, 128, 1>;
using Minus = Fusion::VisitorCompute<Fusion::Minus, half>;
using BlockBroadcastBScale = Fusion::VisitorBlockBroadcast<half, layout::RowMajor, 128, 1>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, half>;
using AuxStoreWidenedB = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using Edges = tla::tuple<
    tla::seq<>,     // 0: AuxLoadB
    tla::seq<0>,    // 1: CastBToHalf(AuxLoadB)
    tla::seq<>,     // 2: BlockBroadcastBZero
    tla::seq<1, 2>, // 3: Minus(CastBToHalf, BlockBroadcastBZero)
    tla::seq<>,     // 4: BlockBroadcastBScale
    tla::seq<3, 4>, // 5: Multiplies(Minus, BlockBroadcastBScale)
    tla::seq<5>     // 6: AuxStoreWidenedB(Multiplies)
    >;

// Elements of a tile. With 3 buffers the nodes take 185856 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 9472;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 61952;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {4736}},      // AuxLoadB
        {2, false, {4864}, {18944}},  // BlockBroadcastBZero
        {4, false, {23808}, {18944}}, // BlockBroadcastBScale
        {1, false, {43008}, {18944}}, // CastBToHalf
        {3, true, {43008}, {18944}},  // Minus
        {5, true, {43008}, {18944}},  // Multiplies
        {6, false, {}, {}}            // AuxStoreWidenedB
    };
};

using EVT = Fusion::Planned<
    Plan,
    Fusion::TopologicalVisitor<
        Edges, AuxLoadB, CastBToHalf, BlockBroadcastBZero, Minus, BlockBroadcastBScale, Multiplies, AuxStoreWidenedB>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::AtlasA2, 3>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace widening

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using RowBroadcastBias = Fusion::VisitorRowBroadcast<half, layout::RowMajor, false, false>;
using CastBiasToFloat = Fusion::VisitorOnRow<Fusion::VisitorCast<float, half>, false>;
using Plus =
    Fusion::VisitorByRepeats<Fusion::VisitorCompute<Fusion::Plus, float>, Fusion::Held::TILE, Fusion::Held::ROW>;
using CastPlusToHalf = Fusion::VisitorCast<half, float>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using BiasAsFloat = Fusion::TreeVisitor<CastBiasToFloat, RowBroadcastBias>;
using CPlusBias = Fusion::TreeVisitor<Plus, AccLoad, BiasAsFloat>;
using CPlusBiasAsHalf = Fusion::TreeVisitor<CastPlusToHalf, CPlusBias>;

// Elements of a tile. With 3 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 9664;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 62464;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {38656}},    // AccLoad
        {1, false, {38656}, {4096}}, // RowBroadcastBias
        {2, false, {42752}, {8192}}, // CastBiasToFloat
        {3, true, {0}, {38656}},     // Plus
        {4, true, {42752}, {19328}}, // CastPlusToHalf
        {5, false, {}, {}}           // AuxStoreD
    };
};

using EVT = Fusion::Planned<Plan, Fusion::TreeVisitor<AuxStoreD, CPlusBiasAsHalf>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::AtlasA2, 3>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementA, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using WidenedEpilogue = Fusion::Widened<widening::BlockEpilogue, BlockEpilogue>;

// Its vector cores wait for each other: launch it in batch mode, on no more cores than the device has
using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, WidenedEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR b_zero{nullptr}; ///< in: half, ((K + 127) / 128) x N
    layout::RowMajor layoutBZero{};
    GM_ADDR b_scale{nullptr}; ///< in: half, ((K + 127) / 128) x N
    layout::RowMajor layoutBScale{};
    GM_ADDR bias{nullptr}; ///< in: half, 1 x N
    layout::RowMajor layoutBias{};
    GM_ADDR D{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE WidenedEpilogue::EVT::Arguments ToEvt() const
    {
        return {
            {widening::AuxLoadB::Arguments{}, widening::CastBToHalf::Arguments{},
             widening::BlockBroadcastBZero::Arguments{b_zero, layoutBZero}, widening::Minus::Arguments{},
             widening::BlockBroadcastBScale::Arguments{b_scale, layoutBScale}, widening::Multiplies::Arguments{},
             widening::AuxStoreWidenedB::Arguments{}},
            {{{AccLoad::Arguments{},
               {RowBroadcastBias::Arguments{bias, layoutBias}, CastBiasToFloat::Arguments{}},
               Plus::Arguments{}},
              CastPlusToHalf::Arguments{}},
             AuxStoreD::Arguments{D, layoutD}}};
    }
};

} // namespace Catlass::Evt::w4a16_linear

#endif // EVTGEN_W4A16_LINEAR_HPP
