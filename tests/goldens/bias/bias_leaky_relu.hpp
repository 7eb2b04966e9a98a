#ifndef EVTGEN_BIAS_LEAKY_RELU_HPP
#define EVTGEN_BIAS_LEAKY_RELU_HPP

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

// The epilogue bias_leaky_relu, of C = A * B:
//
//     plus = C + bias
//     D = (plus >= 0 ? plus : plus * slope)

namespace Catlass::Evt::bias_leaky_relu {

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
using LeakyRelu = Fusion::VisitorCompute<Fusion::LeakyRelu, half, half>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using CPlusBias = Fusion::TreeVisitor<Plus, AccLoad, RowBroadcastBias>;
using LeakyReluOfCPlusBias = Fusion::TreeVisitor<LeakyRelu, CPlusBias>;
using EVT = Fusion::TreeVisitor<AuxStoreD, LeakyReluOfCPlusBias>;

// Elements of a tile. With 2 buffers the nodes take 186368 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 15488;

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
    half slope{static_cast<half>(0.01f)}; ///< in: a number
    GM_ADDR D{nullptr};                   ///< out: half, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{AccLoad::Arguments{}, RowBroadcastBias::Arguments{bias, layoutBias}, Plus::Arguments{}},
             LeakyRelu::Arguments{{slope}}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::bias_leaky_relu

#endif // EVTGEN_BIAS_LEAKY_RELU_HPP
