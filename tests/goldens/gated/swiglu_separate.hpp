#ifndef EVTGEN_SWIGLU_SEPARATE_HPP
#define EVTGEN_SWIGLU_SEPARATE_HPP

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

// The epilogue swiglu_separate, of C = A * B and C2 = A * B2:
//
//     D = half(silu(C) * C2)

namespace Catlass::Evt::swiglu_separate {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using Silu = Fusion::VisitorCompute<Fusion::Silu, float>;
using AccLoad2 = Fusion::VisitorAccLoad<float, false, 1>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using CastMultipliesToHalf = Fusion::VisitorCast<half, float>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using SiluOfC = Fusion::TreeVisitor<Silu, AccLoad>;
using SiluOfCTimesC2 = Fusion::TreeVisitor<Multiplies, SiluOfC, AccLoad2>;
using SiluOfCTimesC2AsHalf = Fusion::TreeVisitor<CastMultipliesToHalf, SiluOfCTimesC2>;
using EVT = Fusion::TreeVisitor<AuxStoreD, SiluOfCTimesC2AsHalf>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 5824;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

// Launched with the second B as ptrB2
using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR D{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{AccLoad::Arguments{}, Silu::Arguments{}}, AccLoad2::Arguments{}, Multiplies::Arguments{}},
             CastMultipliesToHalf::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::swiglu_separate

#endif // EVTGEN_SWIGLU_SEPARATE_HPP
