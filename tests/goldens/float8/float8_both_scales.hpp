#ifndef EVTGEN_FLOAT8_BOTH_SCALES_HPP
#define EVTGEN_FLOAT8_BOTH_SCALES_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/fusion.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_mmad_by_tag.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"
#include "tla/layout.hpp"

// The epilogue float8_both_scales, of C = A * B:
//
//     D = half((C * channel) * token)

namespace Catlass::Evt::float8_both_scales {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = fp8_e4m3fn_t;
using ElementB = fp8_e4m3fn_t;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float, true>;
using RowBroadcastChannel = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using ColBroadcastToken = Fusion::VisitorColBroadcast<float, layout::RowMajor>;
using Multiplies2 = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using CastMultipliesToHalf = Fusion::VisitorCast<half, float>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using CTimesChannel = Fusion::TreeVisitor<Multiplies, AccLoad, RowBroadcastChannel>;
using CTimesChannelTimesToken = Fusion::TreeVisitor<Multiplies2, CTimesChannel, ColBroadcastToken>;
using CTimesChannelTimesTokenAsHalf = Fusion::TreeVisitor<CastMultipliesToHalf, CTimesChannelTimesToken>;
using EVT = Fusion::TreeVisitor<AuxStoreD, CTimesChannelTimesTokenAsHalf>;

// Blocks of C in UB: of each, an AIV has half of the rows
constexpr uint32_t WORKSPACE_STAGES = 2;
constexpr uint32_t UB_WORKSPACE = WORKSPACE_STAGES * 65536;

// Elements of a tile. With 3 buffers the nodes take 119808 of the 122624 bytes of UB that AscendC and the blocks of C
// leave free.
constexpr uint32_t COMPUTE_LENGTH = 4800;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::Ascend950, 3, UB_WORKSPACE>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

using TileCopy = Gemm::Tile::PackedTileCopyTlaToUB<
    Arch::Ascend950, ElementA, LayoutA, ElementB, LayoutB, ElementC, LayoutC, void,
    Gemm::Tile::CopyL0CToUBMode::SPLIT_M>;

using BlockMmad = Gemm::Block::BlockMmadByTag<Gemm::Block::BlockMmadTla<
    Gemm::MmadPingpong<Arch::Ascend950, true>, tla::Shape<tla::Int<128>, tla::Int<256>, tla::Int<512>>,
    tla::Shape<tla::Int<128>, tla::Int<256>, tla::Int<128>>, ElementA, ElementB, ElementC, void, TileCopy>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler, WORKSPACE_STAGES>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR channel{nullptr}; ///< in: float, 1 x N
    layout::RowMajor layoutChannel{};
    GM_ADDR token{nullptr}; ///< in: float, M x 1
    layout::RowMajor layoutToken{};
    GM_ADDR D{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{AccLoad::Arguments{}, RowBroadcastChannel::Arguments{channel, layoutChannel}, Multiplies::Arguments{}},
              ColBroadcastToken::Arguments{token, layoutToken},
              Multiplies2::Arguments{}},
             CastMultipliesToHalf::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::float8_both_scales

#endif // EVTGEN_FLOAT8_BOTH_SCALES_HPP
