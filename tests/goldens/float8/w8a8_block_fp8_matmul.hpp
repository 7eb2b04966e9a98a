#ifndef EVTGEN_W8A8_BLOCK_FP8_MATMUL_HPP
#define EVTGEN_W8A8_BLOCK_FP8_MATMUL_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/operations/arithmetic.hpp"
#include "catlass/epilogue/fusion/scaled_slices.hpp"
#include "catlass/epilogue/fusion/topological_visitor.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
#include "catlass/epilogue/fusion/visitor_block_broadcast.hpp"
#include "catlass/epilogue/fusion/visitor_by_repeats.hpp"
#include "catlass/epilogue/fusion/visitor_cast.hpp"
#include "catlass/epilogue/fusion/visitor_col_broadcast.hpp"
#include "catlass/epilogue/fusion/visitor_compute.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_mmad_by_tag.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"
#include "tla/layout.hpp"

// The epilogue w8a8_block_fp8_matmul, of C = (A * a_scale[k / 128]) * (B * b_scale[k / 128, n / 128]):
//
//     D = bfloat16_t(C)

namespace Catlass::Evt::w8a8_block_fp8_matmul {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = fp8_e4m3fn_t;
using ElementB = fp8_e4m3fn_t;
using ElementC = float;
using ElementAccumulator = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::ColumnMajor;
using LayoutC = layout::RowMajor;

// Of each slice of K the AIVs multiply the product by its scales, and add it to those before

namespace adding {

using ElementC = ElementAccumulator;

// The nodes
using ColBroadcastAScale = Fusion::VisitorColBroadcast<float, layout::RowMajor, false, false>;
using BlockBroadcastBScale = Fusion::VisitorBlockBroadcast<float, layout::RowMajor, 128, 128>;
using AccLoad = Fusion::VisitorAccLoad<float, true>;
using Multiplies = Fusion::VisitorByRepeats<
    Fusion::VisitorCompute<Fusion::Multiplies, float>, Fusion::Held::TILE, Fusion::Held::COLUMN>;
using Multiplies2 = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using AuxStoreSum = Fusion::VisitorAuxStore<float, layout::RowMajor>;

// The graph
using Edges = tla::tuple<
    tla::seq<>,     // 0: ColBroadcastAScale
    tla::seq<>,     // 1: BlockBroadcastBScale
    tla::seq<>,     // 2: AccLoad
    tla::seq<2, 0>, // 3: Multiplies(AccLoad, ColBroadcastAScale)
    tla::seq<3, 1>, // 4: Multiplies2(Multiplies, BlockBroadcastBScale)
    tla::seq<4>     // 5: AuxStoreSum(Multiplies2)
    >;

// Blocks of C in UB: of each, an AIV has half of the rows
constexpr uint32_t WORKSPACE_STAGES = 2;
constexpr uint32_t UB_WORKSPACE = WORKSPACE_STAGES * 65536;

// Elements of a tile. With 2 buffers the nodes take 120832 of the 122624 bytes of UB that AscendC and the blocks of C
// leave free.
constexpr uint32_t COMPUTE_LENGTH = 6336;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 60416;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {1024}},                         // ColBroadcastAScale
        {2, false, {}, {}},                              // AccLoad
        {1, false, {1280}, {25344}},                     // BlockBroadcastBScale
        {3, false, {26624, 0, 51968}, {25344, 0, 8192}}, // Multiplies
        {4, true, {26624}, {25344}},                     // Multiplies2
        {5, false, {}, {}}                               // AuxStoreSum
    };
};

using EVT = Fusion::Planned<
    Plan, Fusion::TopologicalVisitor<
              Edges, ColBroadcastAScale, BlockBroadcastBScale, AccLoad, Multiplies, Multiplies2, AuxStoreSum>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::Ascend950, 2, UB_WORKSPACE>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace adding

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using CastCToBfloat16 = Fusion::VisitorCast<bfloat16_t, float, AscendC::RoundMode::CAST_RINT>;
using AuxStoreD = Fusion::VisitorAuxStore<bfloat16_t, layout::RowMajor>;

// The graph
using CAsBfloat16 = Fusion::TreeVisitor<CastCToBfloat16, AccLoad>;

// Elements of a tile. With 2 buffers the nodes take 252928 of the 253696 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 21056;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 126464;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {84224}},     // AccLoad
        {1, false, {84224}, {42112}}, // CastCToBfloat16
        {2, false, {}, {}}            // AuxStoreD
    };
};

using EVT = Fusion::Planned<Plan, Fusion::TreeVisitor<AuxStoreD, CAsBfloat16>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::Ascend950, 2>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

using TileCopy = Gemm::Tile::PackedTileCopyTlaToUB<
    Arch::Ascend950, ElementA, LayoutA, ElementB, LayoutB, ElementAccumulator, LayoutC, void,
    Gemm::Tile::CopyL0CToUBMode::SPLIT_M>;

using BlockMmad = Gemm::Block::BlockMmadByTag<Gemm::Block::BlockMmadTla<
    Gemm::MmadPingpong<Arch::Ascend950, true>, tla::Shape<tla::Int<128>, tla::Int<256>, tla::Int<512>>,
    tla::Shape<tla::Int<128>, tla::Int<256>, tla::Int<128>>, ElementA, ElementB, ElementAccumulator, void, TileCopy>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using ScaledEpilogue = Fusion::ScaledSlices<128, 128, adding::BlockEpilogue, BlockEpilogue>;

// The workspace has the whole of C
constexpr uint32_t WORKSPACE_STAGES = 0;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, ScaledEpilogue, BlockScheduler, WORKSPACE_STAGES>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR a_scale{nullptr}; ///< in: float, M x ((K + 127) / 128)
    layout::ColumnMajor layoutAScale{};
    GM_ADDR b_scale{nullptr}; ///< in: float, ((K + 127) / 128) x ((N + 127) / 128)
    layout::RowMajor layoutBScale{};
    GM_ADDR D{nullptr}; ///< out: bfloat16_t, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE ScaledEpilogue::EVT::Arguments ToEvt() const
    {
        return {
            ScaledEpilogue::EVT::ScalesOfA{a_scale, layoutAScale},
            ScaledEpilogue::EVT::ScalesOfB{b_scale, layoutBScale},
            {{AccLoad::Arguments{}, CastCToBfloat16::Arguments{}}, AuxStoreD::Arguments{D, layoutD}}};
    }
};

} // namespace Catlass::Evt::w8a8_block_fp8_matmul

#endif // EVTGEN_W8A8_BLOCK_FP8_MATMUL_HPP
