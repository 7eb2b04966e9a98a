#ifndef EVTGEN_QUANT_PER_TOKEN_HPP
#define EVTGEN_QUANT_PER_TOKEN_HPP

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

// The epilogue quant_per_token, of C = A * B:
//
//     Q = int8_t(half(C * step))

namespace Catlass::Evt::quant_per_token {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using ColBroadcastStep = Fusion::VisitorColBroadcast<float, layout::RowMajor>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using CastMultipliesToHalf = Fusion::VisitorCast<half, float, AscendC::RoundMode::CAST_ODD>;
using CastMultipliesToInt8 = Fusion::VisitorCast<int8_t, half>;
using AuxStoreQ = Fusion::VisitorAuxStore<int8_t, layout::RowMajor>;

// The graph
using CTimesStep = Fusion::TreeVisitor<Multiplies, AccLoad, ColBroadcastStep>;
using CTimesStepAsHalf = Fusion::TreeVisitor<CastMultipliesToHalf, CTimesStep>;
using CTimesStepAsInt8 = Fusion::TreeVisitor<CastMultipliesToInt8, CTimesStepAsHalf>;
using EVT = Fusion::TreeVisitor<AuxStoreQ, CTimesStepAsInt8>;

// Elements of a tile. With 3 buffers the nodes take 185856 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 6720;

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
    GM_ADDR step{nullptr}; ///< in: float, M x 1
    layout::RowMajor layoutStep{};
    GM_ADDR Q{nullptr}; ///< out: int8_t, M x N
    layout::RowMajor layoutQ{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{AccLoad::Arguments{}, ColBroadcastStep::Arguments{step, layoutStep}, Multiplies::Arguments{}},
              CastMultipliesToHalf::Arguments{}},
             CastMultipliesToInt8::Arguments{}},
            AuxStoreQ::Arguments{Q, layoutQ}};
    }
};

} // namespace Catlass::Evt::quant_per_token

#endif // EVTGEN_QUANT_PER_TOKEN_HPP
