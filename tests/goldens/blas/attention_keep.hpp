#ifndef EVTGEN_ATTENTION_KEEP_HPP
#define EVTGEN_ATTENTION_KEEP_HPP

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

// The epilogue attention_keep, of C = A * B:
//
//     scores = (keep > 0) ? (C * scale) : -65504

namespace Catlass::Evt::attention_keep {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AuxLoadKeep = Fusion::VisitorAuxLoad<half, layout::RowMajor>;
using GreaterScalar = Fusion::VisitorCompute<Fusion::GreaterScalar, half, half>;
using AccLoad = Fusion::VisitorAccLoad<float>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, float, float>;
using WhereScalar = Fusion::VisitorCompute<Fusion::WhereScalar, float, float>;
using AuxStoreScores = Fusion::VisitorAuxStore<float, layout::RowMajor>;

// The graph
using GreaterScalarOfKeep = Fusion::TreeVisitor<GreaterScalar, AuxLoadKeep>;
using MulsOfC = Fusion::TreeVisitor<Muls, AccLoad>;
using WhereScalarValue = Fusion::TreeVisitor<WhereScalar, GreaterScalarOfKeep, MulsOfC>;
using EVT = Fusion::TreeVisitor<AuxStoreScores, WhereScalarValue>;

// Elements of a tile. With 3 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 6144;

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
    GM_ADDR keep{nullptr}; ///< in: half, M x N
    layout::RowMajor layoutKeep{};
    float scale{0.125f};     ///< in: a number
    GM_ADDR scores{nullptr}; ///< out: float, M x N
    layout::RowMajor layoutScores{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{AuxLoadKeep::Arguments{keep, layoutKeep}, GreaterScalar::Arguments{{static_cast<half>(0.0f)}}},
             {AccLoad::Arguments{}, Muls::Arguments{{scale}}},
             WhereScalar::Arguments{{-65504.0f}}},
            AuxStoreScores::Arguments{scores, layoutScores}};
    }
};

} // namespace Catlass::Evt::attention_keep

#endif // EVTGEN_ATTENTION_KEEP_HPP
