#ifndef EVTGEN_BIAS_SQUARED_RELU_HPP
#define EVTGEN_BIAS_SQUARED_RELU_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/operations/arithmetic.hpp"
#include "catlass/epilogue/fusion/operations/operator.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
#include "catlass/epilogue/fusion/visitor_by_repeats.hpp"
#include "catlass/epilogue/fusion/visitor_compute.hpp"
#include "catlass/epilogue/fusion/visitor_row_broadcast.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue bias_squared_relu, of C = A * B:
//
//     D = squared_relu(C + bias)

namespace Catlass::Evt::bias_squared_relu {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = half;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

namespace operations {

/// dst = squared_relu(a)
template <class Element>
struct SquaredRelu : Fusion::traits::HasBarrier, Fusion::traits::InPlace<0b1> {
    CATLASS_DEVICE void operator()(Fusion::UbRef<Element> dst, int32_t count, Fusion::UbRef<Element> a) const
    {
        AscendC::Relu(dst, a, count);
        Fusion::BarrierV();
        AscendC::Mul(dst, dst, dst, count);
    }
};

} // namespace operations

// The nodes
using AccLoad = Fusion::VisitorAccLoad<half>;
using RowBroadcastBias = Fusion::VisitorRowBroadcast<half, layout::RowMajor, false, false>;
using Plus =
    Fusion::VisitorByRepeats<Fusion::VisitorCompute<Fusion::Plus, half>, Fusion::Held::TILE, Fusion::Held::ROW>;
using SquaredRelu = Fusion::VisitorCompute<operations::SquaredRelu, half>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using CPlusBias = Fusion::TreeVisitor<Plus, AccLoad, RowBroadcastBias>;
using SquaredReluOfCPlusBias = Fusion::TreeVisitor<SquaredRelu, CPlusBias>;

// Elements of a tile. With 3 buffers the nodes take 185856 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 14464;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 61952;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {28928}},    // AccLoad
        {1, false, {28928}, {4096}}, // RowBroadcastBias
        {2, false, {0}, {28928}},    // Plus
        {3, true, {33024}, {28928}}, // SquaredRelu
        {4, false, {}, {}}           // AuxStoreD
    };
};

using EVT = Fusion::Planned<Plan, Fusion::TreeVisitor<AuxStoreD, SquaredReluOfCPlusBias>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::AtlasA2, 3>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

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
    CATLASS_HOST_DEVICE EVT::Arguments ToEvt() const
    {
        return {
            {{AccLoad::Arguments{}, RowBroadcastBias::Arguments{bias, layoutBias}, Plus::Arguments{}},
             SquaredRelu::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::bias_squared_relu

#endif // EVTGEN_BIAS_SQUARED_RELU_HPP
