#ifndef EVTGEN_SPLIT_K_RESIDUAL_HPP
#define EVTGEN_SPLIT_K_RESIDUAL_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/fusion.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/splitk_matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue split_k_residual, of C = A * B:
//
//     D = half(C + float(residual))

namespace Catlass::Evt::split_k_residual {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using ElementAccumulator = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using AuxLoadResidual = Fusion::VisitorAuxLoad<half, layout::RowMajor>;
using CastResidualToFloat = Fusion::VisitorCast<float, half>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using CastPlusToHalf = Fusion::VisitorCast<half, float>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using ResidualAsFloat = Fusion::TreeVisitor<CastResidualToFloat, AuxLoadResidual>;
using CPlusResidual = Fusion::TreeVisitor<Plus, AccLoad, ResidualAsFloat>;
using CPlusResidualAsHalf = Fusion::TreeVisitor<CastPlusToHalf, CPlusResidual>;
using EVT = Fusion::TreeVisitor<AuxStoreD, CPlusResidualAsHalf>;

// Elements of a tile. With 2 buffers the nodes take 186368 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 9280;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementAccumulator, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

// Slices of K; no more than it has tiles
constexpr uint32_t SPLITK_FACTOR = 2;

using Kernel = Gemm::Kernel::SplitkMatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler, SPLITK_FACTOR>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR residual{nullptr}; ///< in: half, M x N
    layout::RowMajor layoutResidual{};
    GM_ADDR D{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{AccLoad::Arguments{},
              {AuxLoadResidual::Arguments{residual, layoutResidual}, CastResidualToFloat::Arguments{}},
              Plus::Arguments{}},
             CastPlusToHalf::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::split_k_residual

#endif // EVTGEN_SPLIT_K_RESIDUAL_HPP
