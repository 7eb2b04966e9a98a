#ifndef EVTGEN_BIAS_GRADIENT_IN_ORDER_HPP
#define EVTGEN_BIAS_GRADIENT_IN_ORDER_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
#include "catlass/epilogue/fusion/visitor_cast.hpp"
#include "catlass/epilogue/fusion/visitor_in_order.hpp"
#include "catlass/epilogue/fusion/visitor_row_reduce.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue bias_gradient_in_order, of C = A * B:
//
//     D = C
//     bias += sum of the rows of float(D)

namespace Catlass::Evt::bias_gradient_in_order {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = half;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<half>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;
using CastCToFloat = Fusion::VisitorCast<float, half>;
using RowReduceBias = Fusion::VisitorInOrder<128, 256, Fusion::VisitorRowReduce<Fusion::Plus, float, layout::RowMajor>>;

// The graph
using StoredD = Fusion::TreeVisitor<AuxStoreD, AccLoad>;
using CAsFloat = Fusion::TreeVisitor<CastCToFloat, StoredD>;

// Elements of a tile. With 4 buffers the nodes take 184320 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 5760;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 46080;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {11520}},                     // AccLoad
        {1, false, {}, {}},                           // AuxStoreD
        {2, false, {11520}, {23040}},                 // CastCToFloat
        {3, true, {0, 0, 0, 34560}, {0, 0, 0, 11520}} // RowReduceBias
    };
};

using EVT = Fusion::Planned<Plan, Fusion::TreeVisitor<RowReduceBias, CAsFloat>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::AtlasA2, 4>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

// Its vector cores wait for each other: launch it in batch mode, on no more cores than the device has
using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR D{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutD{};
    GM_ADDR bias{nullptr}; ///< out: float, 1 x N
    layout::RowMajor layoutBias{};
    float identityBias{0.0f}; ///< the caller fills bias with it

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE EVT::Arguments ToEvt() const
    {
        return {
            {{AccLoad::Arguments{}, AuxStoreD::Arguments{D, layoutD}}, CastCToFloat::Arguments{}},
            RowReduceBias::Arguments{bias, layoutBias, identityBias}};
    }
};

} // namespace Catlass::Evt::bias_gradient_in_order

#endif // EVTGEN_BIAS_GRADIENT_IN_ORDER_HPP
