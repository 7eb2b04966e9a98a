#ifndef EVTGEN_ROW_BROADCAST_REDUCTION_EVT_HPP
#define EVTGEN_ROW_BROADCAST_REDUCTION_EVT_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/operations/arithmetic.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
#include "catlass/epilogue/fusion/visitor_by_repeats.hpp"
#include "catlass/epilogue/fusion/visitor_cast.hpp"
#include "catlass/epilogue/fusion/visitor_compute.hpp"
#include "catlass/epilogue/fusion/visitor_row_broadcast.hpp"
#include "catlass/epilogue/fusion/visitor_row_reduce.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue row_broadcast_reduction_evt, of C = A * B:
//
//     D = C + row
//     row_out += sum of the rows of float(D)

namespace Catlass::Evt::row_broadcast_reduction_evt {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = half;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<half>;
using RowBroadcastRow = Fusion::VisitorRowBroadcast<half, layout::RowMajor, false, false>;
using Plus =
    Fusion::VisitorByRepeats<Fusion::VisitorCompute<Fusion::Plus, half>, Fusion::Held::TILE, Fusion::Held::ROW>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;
using CastPlusToFloat = Fusion::VisitorCast<float, half>;
using RowReduceRowOut = Fusion::VisitorRowReduce<Fusion::Plus, float, layout::RowMajor>;

// The graph
using CPlusRow = Fusion::TreeVisitor<Plus, AccLoad, RowBroadcastRow>;
using StoredD = Fusion::TreeVisitor<AuxStoreD, CPlusRow>;
using CPlusRowAsFloat = Fusion::TreeVisitor<CastPlusToFloat, StoredD>;

// Elements of a tile. With 3 buffers the nodes take 185856 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 5760;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 61952;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {11520}},                     // AccLoad
        {1, false, {11520}, {4096}},                  // RowBroadcastRow
        {2, false, {15616}, {11520}},                 // Plus
        {3, false, {}, {}},                           // AuxStoreD
        {4, true, {27392}, {23040}},                  // CastPlusToFloat
        {5, true, {0, 0, 0, 50432}, {0, 0, 0, 11520}} // RowReduceRowOut
    };
};

using EVT = Fusion::Planned<Plan, Fusion::TreeVisitor<RowReduceRowOut, CPlusRowAsFloat>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::AtlasA2, 3>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR row{nullptr}; ///< in: half, 1 x N
    layout::RowMajor layoutRow{};
    GM_ADDR D{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutD{};
    GM_ADDR row_out{nullptr}; ///< out: float, 1 x N
    layout::RowMajor layoutRowOut{};
    float identityRowOut{0.0f}; ///< the caller fills row_out with it

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE EVT::Arguments ToEvt() const
    {
        return {
            {{{AccLoad::Arguments{}, RowBroadcastRow::Arguments{row, layoutRow}, Plus::Arguments{}},
              AuxStoreD::Arguments{D, layoutD}},
             CastPlusToFloat::Arguments{}},
            RowReduceRowOut::Arguments{row_out, layoutRowOut, identityRowOut}};
    }
};

} // namespace Catlass::Evt::row_broadcast_reduction_evt

#endif // EVTGEN_ROW_BROADCAST_REDUCTION_EVT_HPP
