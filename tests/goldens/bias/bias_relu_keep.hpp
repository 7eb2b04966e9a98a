#ifndef EVTGEN_BIAS_RELU_KEEP_HPP
#define EVTGEN_BIAS_RELU_KEEP_HPP

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

// The epilogue bias_relu_keep, of C = A * B:
//
//     before = C + bias
//     D = fmax(before, 0)

namespace Catlass::Evt::bias_relu_keep {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = half;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<half>;
using RowBroadcastBias = Fusion::VisitorRowBroadcast<half, layout::RowMajor>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, half>;
using AuxStoreBefore = Fusion::VisitorAuxStore<half, layout::RowMajor>;
using Relu = Fusion::VisitorCompute<Fusion::Relu, half>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using CPlusBias = Fusion::TreeVisitor<Plus, AccLoad, RowBroadcastBias>;
using StoredBefore = Fusion::TreeVisitor<AuxStoreBefore, CPlusBias>;
using ReluOfCPlusBias = Fusion::TreeVisitor<Relu, StoredBefore>;
using EVT = Fusion::TreeVisitor<AuxStoreD, ReluOfCPlusBias>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 11648;

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
    GM_ADDR before{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutBefore{};
    GM_ADDR D{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{AccLoad::Arguments{}, RowBroadcastBias::Arguments{bias, layoutBias}, Plus::Arguments{}},
              AuxStoreBefore::Arguments{before, layoutBefore}},
             Relu::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::bias_relu_keep

#endif // EVTGEN_BIAS_RELU_KEEP_HPP
