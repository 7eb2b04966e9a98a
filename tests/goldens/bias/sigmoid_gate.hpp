#ifndef EVTGEN_SIGMOID_GATE_HPP
#define EVTGEN_SIGMOID_GATE_HPP

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

// The epilogue sigmoid_gate, of C = A * B:
//
//     D = sigmoid(C) * X

namespace Catlass::Evt::sigmoid_gate {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using Sigmoid = Fusion::VisitorCompute<Fusion::Sigmoid, float>;
using AuxLoadX = Fusion::VisitorAuxLoad<float, layout::RowMajor>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using AuxStoreD = Fusion::VisitorAuxStore<float, layout::RowMajor>;

// The graph
using SigmoidOfC = Fusion::TreeVisitor<Sigmoid, AccLoad>;
using SigmoidOfCTimesX = Fusion::TreeVisitor<Multiplies, SigmoidOfC, AuxLoadX>;
using EVT = Fusion::TreeVisitor<AuxStoreD, SigmoidOfCTimesX>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
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
    GM_ADDR X{nullptr}; ///< in: float, M x N
    layout::RowMajor layoutX{};
    GM_ADDR D{nullptr}; ///< out: float, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{AccLoad::Arguments{}, Sigmoid::Arguments{}}, AuxLoadX::Arguments{X, layoutX}, Multiplies::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::sigmoid_gate

#endif // EVTGEN_SIGMOID_GATE_HPP
