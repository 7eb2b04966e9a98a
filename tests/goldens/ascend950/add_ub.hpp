#ifndef EVTGEN_ADD_UB_HPP
#define EVTGEN_ADD_UB_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/operations/arithmetic.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
#include "catlass/epilogue/fusion/visitor_compute.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_mmad_by_tag.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"
#include "tla/layout.hpp"

// The epilogue add_ub, of C = A * B:
//
//     D = C + X

namespace Catlass::Evt::add_ub {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float, true>;
using AuxLoadX = Fusion::VisitorAuxLoad<float, layout::RowMajor>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using AuxStoreD = Fusion::VisitorAuxStore<float, layout::RowMajor>;

// The graph
using CPlusX = Fusion::TreeVisitor<Plus, AccLoad, AuxLoadX>;

// Blocks of C in UB: of each, an AIV has half of the rows
constexpr uint32_t WORKSPACE_STAGES = 2;
constexpr uint32_t UB_WORKSPACE = WORKSPACE_STAGES * 65536;

// Elements of a tile. With 3 buffers the nodes take 121344 of the 122624 bytes of UB that AscendC and the blocks of C
// leave free.
constexpr uint32_t COMPUTE_LENGTH = 5056;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 40448;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {}, {}},           // AccLoad
        {1, false, {0}, {20224}},     // AuxLoadX
        {2, false, {20224}, {20224}}, // Plus
        {3, false, {}, {}}            // AuxStoreD
    };
};

using EVT = Fusion::Planned<Plan, Fusion::TreeVisitor<AuxStoreD, CPlusX>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::Ascend950, 3, UB_WORKSPACE>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

using TileCopy = Gemm::Tile::PackedTileCopyTlaToUB<
    Arch::Ascend950, ElementA, LayoutA, ElementB, LayoutB, ElementC, LayoutC, void,
    Gemm::Tile::CopyL0CToUBMode::SPLIT_M>;

using BlockMmad = Gemm::Block::BlockMmadByTag<Gemm::Block::BlockMmadTla<
    Gemm::MmadPingpong<Arch::Ascend950, true>, tla::Shape<tla::Int<128>, tla::Int<256>, tla::Int<256>>,
    tla::Shape<tla::Int<128>, tla::Int<256>, tla::Int<64>>, ElementA, ElementB, ElementC, void, TileCopy>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler, WORKSPACE_STAGES>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR X{nullptr}; ///< in: float, M x N
    layout::RowMajor layoutX{};
    GM_ADDR D{nullptr}; ///< out: float, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE EVT::Arguments ToEvt() const
    {
        return {
            {AccLoad::Arguments{}, AuxLoadX::Arguments{X, layoutX}, Plus::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::add_ub

#endif // EVTGEN_ADD_UB_HPP
