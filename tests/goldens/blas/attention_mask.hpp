#ifndef EVTGEN_ATTENTION_MASK_HPP
#define EVTGEN_ATTENTION_MASK_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/fusion.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue attention_mask, of C = A * B:
//
//     scores = (C * 0.125) + float(mask)

namespace Catlass::Evt::attention_mask {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, float, float>;
using AuxLoadMask = Fusion::VisitorAuxLoad<half, layout::RowMajor>;
using CastMaskToFloat = Fusion::VisitorCast<float, half>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using AuxStoreScores = Fusion::VisitorAuxStore<float, layout::RowMajor>;

// The graph
using MulsOfC = Fusion::TreeVisitor<Muls, AccLoad>;
using MaskAsFloat = Fusion::TreeVisitor<CastMaskToFloat, AuxLoadMask>;
using MulsOfCPlusMask = Fusion::TreeVisitor<Plus, MulsOfC, MaskAsFloat>;
using EVT = Fusion::TreeVisitor<AuxStoreScores, MulsOfCPlusMask>;

// Elements of a tile. With 3 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 6208;

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
    GM_ADDR mask{nullptr}; ///< in: half, M x N
    layout::RowMajor layoutMask{};
    GM_ADDR scores{nullptr}; ///< out: float, M x N
    layout::RowMajor layoutScores{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{AccLoad::Arguments{}, Muls::Arguments{{0.125f}}},
             {AuxLoadMask::Arguments{mask, layoutMask}, CastMaskToFloat::Arguments{}},
             Plus::Arguments{}},
            AuxStoreScores::Arguments{scores, layoutScores}};
    }
};

} // namespace Catlass::Evt::attention_mask

#endif // EVTGEN_ATTENTION_MASK_HPP
