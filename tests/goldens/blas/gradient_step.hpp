#ifndef EVTGEN_GRADIENT_STEP_HPP
#define EVTGEN_GRADIENT_STEP_HPP

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

// The epilogue gradient_step, of C = A * B:
//
//     updated = weight - (C * 0.001)

namespace Catlass::Evt::gradient_step {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AuxLoadWeight = Fusion::VisitorAuxLoad<float, layout::RowMajor>;
using AccLoad = Fusion::VisitorAccLoad<float>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, float, float>;
using Minus = Fusion::VisitorCompute<Fusion::Minus, float>;
using AuxStoreUpdated = Fusion::VisitorAuxStore<float, layout::RowMajor>;

// The graph
using MulsOfC = Fusion::TreeVisitor<Muls, AccLoad>;
using WeightMinusMulsOfC = Fusion::TreeVisitor<Minus, AuxLoadWeight, MulsOfC>;
using EVT = Fusion::TreeVisitor<AuxStoreUpdated, WeightMinusMulsOfC>;

// Elements of a tile. With 2 buffers the nodes take 186368 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 7744;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR weight{nullptr}; ///< in: float, M x N
    layout::RowMajor layoutWeight{};
    GM_ADDR updated{nullptr}; ///< out: float, M x N
    layout::RowMajor layoutUpdated{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {AuxLoadWeight::Arguments{weight, layoutWeight},
             {AccLoad::Arguments{}, Muls::Arguments{{0.001f}}},
             Minus::Arguments{}},
            AuxStoreUpdated::Arguments{updated, layoutUpdated}};
    }
};

} // namespace Catlass::Evt::gradient_step

#endif // EVTGEN_GRADIENT_STEP_HPP
