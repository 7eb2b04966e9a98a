#ifndef EVTGEN_EXPERT_SCATTER_HPP
#define EVTGEN_EXPERT_SCATTER_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/operations/arithmetic.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_scatter.hpp"
#include "catlass/epilogue/fusion/visitor_by_repeats.hpp"
#include "catlass/epilogue/fusion/visitor_cast.hpp"
#include "catlass/epilogue/fusion/visitor_col_broadcast.hpp"
#include "catlass/epilogue/fusion/visitor_compute.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/grouped_matmul_slice_m_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue expert_scatter, of C = A * B:
//
//     D[token] = half(C * gate)

namespace Catlass::Evt::expert_scatter {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using ColBroadcastGate = Fusion::VisitorColBroadcast<float, layout::RowMajor, false, false>;
using Multiplies = Fusion::VisitorByRepeats<
    Fusion::VisitorCompute<Fusion::Multiplies, float>, Fusion::Held::TILE, Fusion::Held::COLUMN>;
using CastMultipliesToHalf = Fusion::VisitorCast<half, float>;
using AuxScatterD = Fusion::VisitorAuxScatter<half, layout::RowMajor>;

// The graph
using CTimesGate = Fusion::TreeVisitor<Multiplies, AccLoad, ColBroadcastGate>;
using CTimesGateAsHalf = Fusion::TreeVisitor<CastMultipliesToHalf, CTimesGate>;

// Elements of a tile. With 3 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 10176;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 62464;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {40704}},                    // AccLoad
        {1, false, {40704}, {1024}},                 // ColBroadcastGate
        {2, false, {0, 0, 41728}, {40704, 0, 8192}}, // Multiplies
        {3, true, {41728}, {20352}},                 // CastMultipliesToHalf
        {4, false, {}, {}}                           // AuxScatterD
    };
};

using EVT = Fusion::Planned<Plan, Fusion::TreeVisitor<AuxScatterD, CTimesGateAsHalf>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::AtlasA2, 3>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::GroupedMatmulSliceMVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR gate{nullptr}; ///< in: float, M x 1
    layout::RowMajor layoutGate{};
    GM_ADDR D{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutD{};
    GM_ADDR token{nullptr}; ///< in: int32_t, M x 1, the rows of D
    layout::RowMajor layoutToken{};

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE EVT::Arguments ToEvt() const
    {
        return {
            {{AccLoad::Arguments{}, ColBroadcastGate::Arguments{gate, layoutGate}, Multiplies::Arguments{}},
             CastMultipliesToHalf::Arguments{}},
            AuxScatterD::Arguments{D, layoutD, token, layoutToken}};
    }
};

} // namespace Catlass::Evt::expert_scatter

#endif // EVTGEN_EXPERT_SCATTER_HPP
