#ifndef EVTGEN_WEIGHT_QUANT_BATCHMATMUL_HPP
#define EVTGEN_WEIGHT_QUANT_BATCHMATMUL_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/operations/arithmetic.hpp"
#include "catlass/epilogue/fusion/topological_visitor.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
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
#include "catlass/gemm/kernel/batched_matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue weight_quant_batchmatmul, of C = A * ((B - b_zero) * b_scale):
//
//     D = half(C + float(bias))

namespace Catlass::Evt::weight_quant_batchmatmul {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = int8_t;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// First the AIVs widen B, by its rows

namespace widening {

// The nodes
using AuxLoadB = Fusion::VisitorAuxLoad<int8_t, layout::RowMajor>;
using CastBToHalf = Fusion::VisitorCast<half, int8_t>;
using RowBroadcastBZero = Fusion::VisitorRowBroadcast<half, layout::RowMajor, false, false>;
using Minus =
    Fusion::VisitorByRepeats<Fusion::VisitorCompute<Fusion::Minus, half>, Fusion::Held::TILE, Fusion::Held::ROW>;
using RowBroadcastBScale = Fusion::VisitorRowBroadcast<half, layout::RowMajor, false, false>;
using Multiplies =
    Fusion::VisitorByRepeats<Fusion::VisitorCompute<Fusion::Multiplies, half>, Fusion::Held::TILE, Fusion::Held::ROW>;
using AuxStoreWidenedB = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using Edges = tla::tuple<
    tla::seq<>,     // 0: AuxLoadB
    tla::seq<0>,    // 1: CastBToHalf(AuxLoadB)
    tla::seq<>,     // 2: RowBroadcastBZero
    tla::seq<1, 2>, // 3: Minus(CastBToHalf, RowBroadcastBZero)
    tla::seq<>,     // 4: RowBroadcastBScale
    tla::seq<3, 4>, // 5: Multiplies(Minus, RowBroadcastBScale)
    tla::seq<5>     // 6: AuxStoreWidenedB(Multiplies)
    >;

// Elements of a tile. With 3 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 17920;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 62464;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {17920}},     // AuxLoadB
        {2, false, {18176}, {4096}},  // RowBroadcastBZero
        {4, false, {22272}, {4096}},  // RowBroadcastBScale
        {1, false, {26624}, {35840}}, // CastBToHalf
        {3, true, {26624}, {35840}},  // Minus
        {5, true, {26624}, {35840}},  // Multiplies
        {6, false, {}, {}}            // AuxStoreWidenedB
    };
};

using EVT = Fusion::Planned<
    Plan,
    Fusion::TopologicalVisitor<
        Edges, AuxLoadB, CastBToHalf, RowBroadcastBZero, Minus, RowBroadcastBScale, Multiplies, AuxStoreWidenedB>>;

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
using Kernel = Gemm::Kernel::BatchedMatmulVisitor<BlockMmad, WidenedEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR b_zero{nullptr}; ///< in: half, 1 x N
    layout::RowMajor layoutBZero{};
    int64_t strideBZero{
        Kernel::PACKED};      ///< elements from the b_zero of one matmul to that of the next; 0: all share it
    GM_ADDR b_scale{nullptr}; ///< in: half, 1 x N
    layout::RowMajor layoutBScale{};
    int64_t strideBScale{
        Kernel::PACKED};   ///< elements from the b_scale of one matmul to that of the next; 0: all share it
    GM_ADDR bias{nullptr}; ///< in: half, 1 x N
    layout::RowMajor layoutBias{};
    int64_t strideBias{Kernel::PACKED}; ///< elements from the bias of one matmul to that of the next; 0: all share it
    GM_ADDR D{nullptr};                 ///< out: half, M x N
    layout::RowMajor layoutD{};
    int64_t strideD{Kernel::PACKED}; ///< elements from the D of one matmul to that of the next
    uint32_t repeatBZero{1};         ///< matmuls, one after the other, that take one b_zero
    uint32_t repeatBScale{1};        ///< matmuls, one after the other, that take one b_scale
    uint32_t repeatBias{1};          ///< matmuls, one after the other, that take one bias

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE WidenedEpilogue::EVT::Arguments ToEvt() const
    {
        return {
            {widening::AuxLoadB::Arguments{}, widening::CastBToHalf::Arguments{},
             widening::RowBroadcastBZero::Arguments{b_zero, layoutBZero, {}, strideBZero, repeatBZero},
             widening::Minus::Arguments{},
             widening::RowBroadcastBScale::Arguments{b_scale, layoutBScale, {}, strideBScale, repeatBScale},
             widening::Multiplies::Arguments{}, widening::AuxStoreWidenedB::Arguments{}},
            {{{AccLoad::Arguments{},
               {RowBroadcastBias::Arguments{bias, layoutBias, {}, strideBias, repeatBias},
                CastBiasToFloat::Arguments{}},
               Plus::Arguments{}},
              CastPlusToHalf::Arguments{}},
             AuxStoreD::Arguments{D, layoutD, strideD}}};
    }
};

} // namespace Catlass::Evt::weight_quant_batchmatmul

#endif // EVTGEN_WEIGHT_QUANT_BATCHMATMUL_HPP
