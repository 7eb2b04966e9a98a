#ifndef EVTGEN_CLIP_GRADIENT_HPP
#define EVTGEN_CLIP_GRADIENT_HPP

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

// The epilogue clip_gradient, of C = A * B:
//
//     D = clamp(C, low=-limit, high=limit)

namespace Catlass::Evt::clip_gradient {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using Clamp = Fusion::VisitorCompute<Fusion::Clamp, float, float, float>;
using AuxStoreD = Fusion::VisitorAuxStore<float, layout::RowMajor>;

// The graph
using ClampOfC = Fusion::TreeVisitor<Clamp, AccLoad>;
using EVT = Fusion::TreeVisitor<AuxStoreD, ClampOfC>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 11712;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    float limit{1.0f};  ///< in: a number
    GM_ADDR D{nullptr}; ///< out: float, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {AccLoad::Arguments{}, Clamp::Arguments{{static_cast<float>(-limit), limit}}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::clip_gradient

#endif // EVTGEN_CLIP_GRADIENT_HPP
