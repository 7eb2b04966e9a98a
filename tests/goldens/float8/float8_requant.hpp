#ifndef EVTGEN_FLOAT8_REQUANT_HPP
#define EVTGEN_FLOAT8_REQUANT_HPP

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

// The epilogue float8_requant, of C = A * B:
//
//     Q = fp8_e4m3fn_t(clamp(C * step, low=-448, high=448))

namespace Catlass::Evt::float8_requant {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = fp8_e5m2_t;
using ElementB = fp8_e4m3fn_t;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float, true>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, float, float>;
using Clamp = Fusion::VisitorCompute<Fusion::Clamp, float, float, float>;
using CastClampToFp8E4m3fn = Fusion::VisitorCast<fp8_e4m3fn_t, float, AscendC::RoundMode::CAST_RINT>;
using AuxStoreQ = Fusion::VisitorAuxStore<fp8_e4m3fn_t, layout::RowMajor>;

// The graph
using MulsOfC = Fusion::TreeVisitor<Muls, AccLoad>;
using ClampOfMulsOfC = Fusion::TreeVisitor<Clamp, MulsOfC>;
using ClampOfMulsOfCAsFp8E4m3fn = Fusion::TreeVisitor<CastClampToFp8E4m3fn, ClampOfMulsOfC>;
using EVT = Fusion::TreeVisitor<AuxStoreQ, ClampOfMulsOfCAsFp8E4m3fn>;

// Blocks of C in UB: of each, an AIV has half of the rows
constexpr uint32_t WORKSPACE_STAGES = 2;
constexpr uint32_t UB_WORKSPACE = WORKSPACE_STAGES * 65536;

// Elements of a tile. With 2 buffers the nodes take 121856 of the 122624 bytes of UB that AscendC and the blocks of C
// leave free.
constexpr uint32_t COMPUTE_LENGTH = 12096;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::Ascend950, 2, UB_WORKSPACE>, Gemm::GemmType<ElementC, LayoutC>,
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
    float step{};       ///< in: a number
    GM_ADDR Q{nullptr}; ///< out: fp8_e4m3fn_t, M x N
    layout::RowMajor layoutQ{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{AccLoad::Arguments{}, Muls::Arguments{{step}}}, Clamp::Arguments{{-448.0f, 448.0f}}},
             CastClampToFp8E4m3fn::Arguments{}},
            AuxStoreQ::Arguments{Q, layoutQ}};
    }
};

} // namespace Catlass::Evt::float8_requant

#endif // EVTGEN_FLOAT8_REQUANT_HPP
