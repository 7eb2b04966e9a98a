#ifndef EVTGEN_EXPERT_SWIGLU_HPP
#define EVTGEN_EXPERT_SWIGLU_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/fusion.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/grouped_matmul_slice_m_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue expert_swiglu, of C = A * B:
//
//     D = half(silu(C) * float(up))

namespace Catlass::Evt::expert_swiglu {

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
using AuxLoadUp = Fusion::VisitorAuxLoad<half, layout::RowMajor>;
using CastUpToFloat = Fusion::VisitorCast<float, half>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using CastMultipliesToHalf = Fusion::VisitorCast<half, float>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using SiluOfC = Fusion::TreeVisitor<Silu, AccLoad>;
using UpAsFloat = Fusion::TreeVisitor<CastUpToFloat, AuxLoadUp>;
using SiluOfCTimesUp = Fusion::TreeVisitor<Multiplies, SiluOfC, UpAsFloat>;
using SiluOfCTimesUpAsHalf = Fusion::TreeVisitor<CastMultipliesToHalf, SiluOfCTimesUp>;
using EVT = Fusion::TreeVisitor<AuxStoreD, SiluOfCTimesUpAsHalf>;

// Elements of a tile. With 2 buffers the nodes take 186368 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 6592;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::GroupedMatmulSliceMVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR up{nullptr}; ///< in: half, M x N
    layout::RowMajor layoutUp{};
    GM_ADDR D{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{AccLoad::Arguments{}, Silu::Arguments{}},
              {AuxLoadUp::Arguments{up, layoutUp}, CastUpToFloat::Arguments{}},
              Multiplies::Arguments{}},
             CastMultipliesToHalf::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::expert_swiglu

#endif // EVTGEN_EXPERT_SWIGLU_HPP
