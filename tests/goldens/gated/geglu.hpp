#ifndef EVTGEN_GEGLU_HPP
#define EVTGEN_GEGLU_HPP

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

// The epilogue geglu, of C and C2, the left and the right half of A * B:
//
//     D = bfloat16_t((C + value_bias) * gelu_tanh(C2 + gate_bias))

namespace Catlass::Evt::geglu {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::ColumnMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using RowBroadcastValueBias = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using AccLoad2 = Fusion::VisitorAccLoad<float, false, 1>;
using RowBroadcastGateBias = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Plus2 = Fusion::VisitorCompute<Fusion::Plus, float>;
using GeluTanh = Fusion::VisitorCompute<Fusion::GeluTanh, float>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using CastMultipliesToBfloat16 = Fusion::VisitorCast<bfloat16_t, float, AscendC::RoundMode::CAST_RINT>;
using AuxStoreD = Fusion::VisitorAuxStore<bfloat16_t, layout::RowMajor>;

// The graph
using CPlusValueBias = Fusion::TreeVisitor<Plus, AccLoad, RowBroadcastValueBias>;
using C2PlusGateBias = Fusion::TreeVisitor<Plus2, AccLoad2, RowBroadcastGateBias>;
using GeluTanhOfC2PlusGateBias = Fusion::TreeVisitor<GeluTanh, C2PlusGateBias>;
using MultipliesValue = Fusion::TreeVisitor<Multiplies, CPlusValueBias, GeluTanhOfC2PlusGateBias>;
using MultipliesAsBfloat16 = Fusion::TreeVisitor<CastMultipliesToBfloat16, MultipliesValue>;
using EVT = Fusion::TreeVisitor<AuxStoreD, MultipliesAsBfloat16>;

// Elements of a tile. With 2 buffers the nodes take 186368 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 5120;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

// Launched with ptrB2 = ptrB: B has 2 * N columns
using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR value_bias{nullptr}; ///< in: float, 1 x N
    layout::RowMajor layoutValueBias{};
    GM_ADDR gate_bias{nullptr}; ///< in: float, 1 x N
    layout::RowMajor layoutGateBias{};
    GM_ADDR D{nullptr}; ///< out: bfloat16_t, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{AccLoad::Arguments{}, RowBroadcastValueBias::Arguments{value_bias, layoutValueBias}, Plus::Arguments{}},
              {{AccLoad2::Arguments{}, RowBroadcastGateBias::Arguments{gate_bias, layoutGateBias}, Plus2::Arguments{}},
               GeluTanh::Arguments{}},
              Multiplies::Arguments{}},
             CastMultipliesToBfloat16::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::geglu

#endif // EVTGEN_GEGLU_HPP
