#ifndef EVTGEN_LINEAR_RESIDUAL_NZ_HPP
#define EVTGEN_LINEAR_RESIDUAL_NZ_HPP

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

// The epilogue linear_residual_nz, of C = A * B:
//
//     D = bfloat16_t((C + float(bias)) + float(residual))

namespace Catlass::Evt::linear_residual_nz {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::zN;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using RowBroadcastBias = Fusion::VisitorRowBroadcast<bfloat16_t, layout::RowMajor>;
using CastBiasToFloat = Fusion::VisitorCast<float, bfloat16_t>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using AuxLoadResidual = Fusion::VisitorAuxLoad<bfloat16_t, layout::RowMajor>;
using CastResidualToFloat = Fusion::VisitorCast<float, bfloat16_t>;
using Plus2 = Fusion::VisitorCompute<Fusion::Plus, float>;
using CastPlusToBfloat16 = Fusion::VisitorCast<bfloat16_t, float, AscendC::RoundMode::CAST_RINT>;
using AuxStoreD = Fusion::VisitorAuxStore<bfloat16_t, layout::RowMajor>;

// The graph
using BiasAsFloat = Fusion::TreeVisitor<CastBiasToFloat, RowBroadcastBias>;
using CPlusBias = Fusion::TreeVisitor<Plus, AccLoad, BiasAsFloat>;
using ResidualAsFloat = Fusion::TreeVisitor<CastResidualToFloat, AuxLoadResidual>;
using CPlusBiasPlusResidual = Fusion::TreeVisitor<Plus2, CPlusBias, ResidualAsFloat>;
using CPlusBiasPlusResidualAsBfloat16 = Fusion::TreeVisitor<CastPlusToBfloat16, CPlusBiasPlusResidual>;
using EVT = Fusion::TreeVisitor<AuxStoreD, CPlusBiasPlusResidualAsBfloat16>;

// Elements of a tile. With 3 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 4416;

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
    GM_ADDR bias{nullptr}; ///< in: bfloat16_t, 1 x N
    layout::RowMajor layoutBias{};
    GM_ADDR residual{nullptr}; ///< in: bfloat16_t, M x N
    layout::RowMajor layoutResidual{};
    GM_ADDR D{nullptr}; ///< out: bfloat16_t, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{AccLoad::Arguments{},
               {RowBroadcastBias::Arguments{bias, layoutBias}, CastBiasToFloat::Arguments{}},
               Plus::Arguments{}},
              {AuxLoadResidual::Arguments{residual, layoutResidual}, CastResidualToFloat::Arguments{}},
              Plus2::Arguments{}},
             CastPlusToBfloat16::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::linear_residual_nz

#endif // EVTGEN_LINEAR_RESIDUAL_NZ_HPP
