#ifndef EVTGEN_BIAS_GRADIENT_IN_ORDER_HPP
#define EVTGEN_BIAS_GRADIENT_IN_ORDER_HPP

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

// The epilogue bias_gradient_in_order, of C = A * B:
//
//     D = C
//     bias += sum of the rows of float(D)

namespace Catlass::Evt::bias_gradient_in_order {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = half;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<half>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;
using CastCToFloat = Fusion::VisitorCast<float, half>;
using RowReduceBias = Fusion::VisitorInOrder<128, 256, Fusion::VisitorRowReduce<Fusion::Plus, float, layout::RowMajor>>;

// The graph
using StoredD = Fusion::TreeVisitor<AuxStoreD, AccLoad>;
using CAsFloat = Fusion::TreeVisitor<CastCToFloat, StoredD>;
using EVT = Fusion::TreeVisitor<RowReduceBias, CAsFloat>;

// Elements of a tile. With 4 buffers the nodes take 184320 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 5760;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::AtlasA2, 4>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR D{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutD{};
    GM_ADDR bias{nullptr}; ///< out: float, 1 x N
    layout::RowMajor layoutBias{};
    float identityBias{0.0f}; ///< the caller fills bias with it

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE EVT::Arguments ToEvt() const
    {
        return {
            {{AccLoad::Arguments{}, AuxStoreD::Arguments{D, layoutD}}, CastCToFloat::Arguments{}},
            RowReduceBias::Arguments{bias, layoutBias, identityBias}};
    }
};

} // namespace Catlass::Evt::bias_gradient_in_order

#endif // EVTGEN_BIAS_GRADIENT_IN_ORDER_HPP
