#ifndef EVTGEN_GATHERED_RESIDUAL_HPP
#define EVTGEN_GATHERED_RESIDUAL_HPP

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

// The epilogue gathered_residual, of C = A * B:
//
//     D = half(C + float(tokens[token]))

namespace Catlass::Evt::gathered_residual {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using AuxGatherTokens = Fusion::VisitorAuxGather<half, layout::RowMajor>;
using CastTokensToFloat = Fusion::VisitorCast<float, half>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using CastPlusToHalf = Fusion::VisitorCast<half, float>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using TokensAsFloat = Fusion::TreeVisitor<CastTokensToFloat, AuxGatherTokens>;
using CPlusTokens = Fusion::TreeVisitor<Plus, AccLoad, TokensAsFloat>;
using CPlusTokensAsHalf = Fusion::TreeVisitor<CastPlusToHalf, CPlusTokens>;
using EVT = Fusion::TreeVisitor<AuxStoreD, CPlusTokensAsHalf>;

// Elements of a tile. With 2 buffers the nodes take 186368 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 9280;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR tokens{nullptr}; ///< in: half, M x N
    layout::RowMajor layoutTokens{};
    GM_ADDR token{nullptr}; ///< in: int32_t, M x 1, the rows of tokens
    layout::RowMajor layoutToken{};
    GM_ADDR D{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{AccLoad::Arguments{},
              {AuxGatherTokens::Arguments{tokens, layoutTokens, token, layoutToken}, CastTokensToFloat::Arguments{}},
              Plus::Arguments{}},
             CastPlusToHalf::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::gathered_residual

#endif // EVTGEN_GATHERED_RESIDUAL_HPP
