#ifndef EVTGEN_WEIGHT_GRADIENTS_HPP
#define EVTGEN_WEIGHT_GRADIENTS_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/fusion.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/batched_matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue weight_gradients, of C = A * B:
//
//     D = total + C
//     sums += sum of the rows of D

namespace Catlass::Evt::weight_gradients {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::ColumnMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AuxLoadTotal = Fusion::VisitorAuxLoad<float, layout::RowMajor>;
using AccLoad = Fusion::VisitorAccLoad<float>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using AuxStoreD = Fusion::VisitorAuxStore<float, layout::RowMajor>;
using RowReduceSums = Fusion::VisitorRowReduce<Fusion::Plus, float, layout::RowMajor>;

// The graph
using TotalPlusC = Fusion::TreeVisitor<Plus, AuxLoadTotal, AccLoad>;
using StoredD = Fusion::TreeVisitor<AuxStoreD, TotalPlusC>;
using EVT = Fusion::TreeVisitor<RowReduceSums, StoredD>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 6656;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::BatchedMatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR total{nullptr}; ///< in: float, M x N
    layout::RowMajor layoutTotal{};
    int64_t strideTotal{Kernel::PACKED}; ///< elements from the total of one matmul to that of the next; 0: all share it
    GM_ADDR D{nullptr};                  ///< out: float, M x N
    layout::RowMajor layoutD{};
    int64_t strideD{Kernel::PACKED}; ///< elements from the D of one matmul to that of the next
    GM_ADDR sums{nullptr};           ///< out: float, 1 x N
    layout::RowMajor layoutSums{};
    float identitySums{0.0f};           ///< the caller fills sums with it
    int64_t strideSums{Kernel::PACKED}; ///< elements from the sums of one matmul to that of the next; 0: all share it

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{AuxLoadTotal::Arguments{total, layoutTotal, {}, strideTotal}, AccLoad::Arguments{}, Plus::Arguments{}},
             AuxStoreD::Arguments{D, layoutD, strideD}},
            RowReduceSums::Arguments{sums, layoutSums, identitySums, strideSums}};
    }
};

} // namespace Catlass::Evt::weight_gradients

#endif // EVTGEN_WEIGHT_GRADIENTS_HPP
