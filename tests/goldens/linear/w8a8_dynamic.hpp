#ifndef EVTGEN_W8A8_DYNAMIC_HPP
#define EVTGEN_W8A8_DYNAMIC_HPP

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

// The epilogue w8a8_dynamic, of C = A * B:
//
//     D = bfloat16_t(((float(C) * channel) * token) + float(bias))

namespace Catlass::Evt::w8a8_dynamic {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = int8_t;
using ElementB = int8_t;
using ElementC = int32_t;
using LayoutA = layout::RowMajor;
using LayoutB = layout::ColumnMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<int32_t>;
using CastCToFloat = Fusion::VisitorCast<float, int32_t>;
using RowBroadcastChannel = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using ColBroadcastToken = Fusion::VisitorColBroadcast<float, layout::RowMajor>;
using Multiplies2 = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using RowBroadcastBias = Fusion::VisitorRowBroadcast<bfloat16_t, layout::RowMajor>;
using CastBiasToFloat = Fusion::VisitorCast<float, bfloat16_t>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using CastPlusToBfloat16 = Fusion::VisitorCast<bfloat16_t, float, AscendC::RoundMode::CAST_RINT>;
using AuxStoreD = Fusion::VisitorAuxStore<bfloat16_t, layout::RowMajor>;

// The graph
using CAsFloat = Fusion::TreeVisitor<CastCToFloat, AccLoad>;
using CTimesChannel = Fusion::TreeVisitor<Multiplies, CAsFloat, RowBroadcastChannel>;
using CTimesChannelTimesToken = Fusion::TreeVisitor<Multiplies2, CTimesChannel, ColBroadcastToken>;
using BiasAsFloat = Fusion::TreeVisitor<CastBiasToFloat, RowBroadcastBias>;
using PlusValue = Fusion::TreeVisitor<Plus, CTimesChannelTimesToken, BiasAsFloat>;
using PlusAsBfloat16 = Fusion::TreeVisitor<CastPlusToBfloat16, PlusValue>;
using EVT = Fusion::TreeVisitor<AuxStoreD, PlusAsBfloat16>;

// Elements of a tile. With 2 buffers the nodes take 186368 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 6528;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2PreloadAsyncWithCallback<1, 2, 2, 2, 1, false, true>, Catlass::GemmShape<128, 256, 512>,
    Catlass::GemmShape<128, 256, 128>, Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>,
    Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

// Blocks of C per cube core in the workspace
constexpr uint32_t WORKSPACE_STAGES = 2;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler, WORKSPACE_STAGES>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR channel{nullptr}; ///< in: float, 1 x N
    layout::RowMajor layoutChannel{};
    GM_ADDR token{nullptr}; ///< in: float, M x 1
    layout::RowMajor layoutToken{};
    GM_ADDR bias{nullptr}; ///< in: bfloat16_t, 1 x N
    layout::RowMajor layoutBias{};
    GM_ADDR D{nullptr}; ///< out: bfloat16_t, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{{{AccLoad::Arguments{}, CastCToFloat::Arguments{}},
                RowBroadcastChannel::Arguments{channel, layoutChannel},
                Multiplies::Arguments{}},
               ColBroadcastToken::Arguments{token, layoutToken},
               Multiplies2::Arguments{}},
              {RowBroadcastBias::Arguments{bias, layoutBias}, CastBiasToFloat::Arguments{}},
              Plus::Arguments{}},
             CastPlusToBfloat16::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::w8a8_dynamic

#endif // EVTGEN_W8A8_DYNAMIC_HPP
