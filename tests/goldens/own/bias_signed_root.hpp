#ifndef EVTGEN_BIAS_SIGNED_ROOT_HPP
#define EVTGEN_BIAS_SIGNED_ROOT_HPP

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

// The epilogue bias_signed_root, of C = A * B:
//
//     plus = C + float(bias)
//     D = half(plus / sqrt(1 + fabs(plus)))

namespace Catlass::Evt::bias_signed_root {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

namespace operations {

/// dst = a / sqrt(1 + fabs(a))
template <class Element>
struct SignedRoot {
    static constexpr uint32_t SCRATCH_TILES = 1;
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t IN_PLACE = 0b1;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& tmp) const
    {
        AscendC::Abs(tmp, a, count);
        Fusion::BarrierV();
        AscendC::Adds(tmp, tmp, static_cast<Element>(1), count);
        Fusion::BarrierV();
        AscendC::Sqrt(tmp, tmp, count);
        Fusion::BarrierV();
        AscendC::Div(dst, a, tmp, count);
    }
};

} // namespace operations

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using RowBroadcastBias = Fusion::VisitorRowBroadcast<half, layout::RowMajor>;
using CastBiasToFloat = Fusion::VisitorCast<float, half>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using SignedRoot = Fusion::VisitorCompute<operations::SignedRoot, float>;
using CastSignedRootToHalf = Fusion::VisitorCast<half, float>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using BiasAsFloat = Fusion::TreeVisitor<CastBiasToFloat, RowBroadcastBias>;
using CPlusBias = Fusion::TreeVisitor<Plus, AccLoad, BiasAsFloat>;
using SignedRootOfCPlusBias = Fusion::TreeVisitor<SignedRoot, CPlusBias>;
using SignedRootOfCPlusBiasAsHalf = Fusion::TreeVisitor<CastSignedRootToHalf, SignedRootOfCPlusBias>;
using EVT = Fusion::TreeVisitor<AuxStoreD, SignedRootOfCPlusBiasAsHalf>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
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
    GM_ADDR bias{nullptr}; ///< in: half, 1 x N
    layout::RowMajor layoutBias{};
    GM_ADDR D{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{AccLoad::Arguments{},
               {RowBroadcastBias::Arguments{bias, layoutBias}, CastBiasToFloat::Arguments{}},
               Plus::Arguments{}},
              SignedRoot::Arguments{}},
             CastSignedRootToHalf::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::bias_signed_root

#endif // EVTGEN_BIAS_SIGNED_ROOT_HPP
