#ifndef EVTGEN_GROUPED_DEQUANT_HPP
#define EVTGEN_GROUPED_DEQUANT_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/operations/arithmetic.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
#include "catlass/epilogue/fusion/visitor_by_repeats.hpp"
#include "catlass/epilogue/fusion/visitor_cast.hpp"
#include "catlass/epilogue/fusion/visitor_col_broadcast.hpp"
#include "catlass/epilogue/fusion/visitor_compute.hpp"
#include "catlass/epilogue/fusion/visitor_row_broadcast.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/grouped_matmul_slice_m_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue grouped_dequant, of C = A * B:
//
//     D = half((float(C) * scale) * token_scale)

namespace Catlass::Evt::grouped_dequant {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = int8_t;
using ElementB = int8_t;
using ElementC = int32_t;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<int32_t>;
using CastCToFloat = Fusion::VisitorCast<float, int32_t>;
using RowBroadcastScale = Fusion::VisitorRowBroadcast<float, layout::RowMajor, false, false>;
using Multiplies =
    Fusion::VisitorByRepeats<Fusion::VisitorCompute<Fusion::Multiplies, float>, Fusion::Held::TILE, Fusion::Held::ROW>;
using ColBroadcastTokenScale = Fusion::VisitorColBroadcast<float, layout::RowMajor, false, false>;
using Multiplies2 = Fusion::VisitorByRepeats<
    Fusion::VisitorCompute<Fusion::Multiplies, float>, Fusion::Held::TILE, Fusion::Held::COLUMN>;
using CastMultipliesToHalf = Fusion::VisitorCast<half, float>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using CAsFloat = Fusion::TreeVisitor<CastCToFloat, AccLoad>;
using CTimesScale = Fusion::TreeVisitor<Multiplies, CAsFloat, RowBroadcastScale>;
using CTimesScaleTimesTokenScale = Fusion::TreeVisitor<Multiplies2, CTimesScale, ColBroadcastTokenScale>;
using CTimesScaleTimesTokenScaleAsHalf = Fusion::TreeVisitor<CastMultipliesToHalf, CTimesScaleTimesTokenScale>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 8384;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 93696;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {33536}},                       // AccLoad
        {2, false, {33536}, {8192}},                    // RowBroadcastScale
        {4, false, {41728}, {1024}},                    // ColBroadcastTokenScale
        {1, false, {43008}, {33536}},                   // CastCToFloat
        {3, true, {43008}, {33536}},                    // Multiplies
        {5, true, {43008, 0, 33536}, {33536, 0, 8192}}, // Multiplies2
        {6, true, {76544}, {16768}},                    // CastMultipliesToHalf
        {7, false, {}, {}}                              // AuxStoreD
    };
};

using EVT = Fusion::Planned<Plan, Fusion::TreeVisitor<AuxStoreD, CTimesScaleTimesTokenScaleAsHalf>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<false>, Catlass::GemmShape<128, 256, 512>, Catlass::GemmShape<128, 256, 128>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::GroupedMatmulSliceMVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR scale{nullptr}; ///< in: float, 1 x N
    layout::RowMajor layoutScale{};
    int64_t strideScale{Kernel::PACKED}; ///< elements from the scale of one matmul to that of the next; 0: all share it
    GM_ADDR token_scale{nullptr};        ///< in: float, M x 1
    layout::RowMajor layoutTokenScale{};
    GM_ADDR D{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE EVT::Arguments ToEvt() const
    {
        return {
            {{{{AccLoad::Arguments{}, CastCToFloat::Arguments{}},
               RowBroadcastScale::Arguments{scale, layoutScale, {}, strideScale},
               Multiplies::Arguments{}},
              ColBroadcastTokenScale::Arguments{token_scale, layoutTokenScale},
              Multiplies2::Arguments{}},
             CastMultipliesToHalf::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::grouped_dequant

#endif // EVTGEN_GROUPED_DEQUANT_HPP
