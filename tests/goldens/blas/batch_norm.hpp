#ifndef EVTGEN_BATCH_NORM_HPP
#define EVTGEN_BATCH_NORM_HPP

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

// The epilogue batch_norm, of C = A * B:
//
//     D = half(((C - mean) * inverse) + shift)

namespace Catlass::Evt::batch_norm {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using RowBroadcastMean = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Minus = Fusion::VisitorCompute<Fusion::Minus, float>;
using RowBroadcastInverse = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using RowBroadcastShift = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using CastPlusToHalf = Fusion::VisitorCast<half, float>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using CMinusMean = Fusion::TreeVisitor<Minus, AccLoad, RowBroadcastMean>;
using CMinusMeanTimesInverse = Fusion::TreeVisitor<Multiplies, CMinusMean, RowBroadcastInverse>;
using PlusValue = Fusion::TreeVisitor<Plus, CMinusMeanTimesInverse, RowBroadcastShift>;
using PlusAsHalf = Fusion::TreeVisitor<CastPlusToHalf, PlusValue>;
using EVT = Fusion::TreeVisitor<AuxStoreD, PlusAsHalf>;

// Elements of a tile. With 2 buffers the nodes take 185344 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 5120;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR mean{nullptr}; ///< in: float, 1 x N
    layout::RowMajor layoutMean{};
    GM_ADDR inverse{nullptr}; ///< in: float, 1 x N
    layout::RowMajor layoutInverse{};
    GM_ADDR shift{nullptr}; ///< in: float, 1 x N
    layout::RowMajor layoutShift{};
    GM_ADDR D{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{{AccLoad::Arguments{}, RowBroadcastMean::Arguments{mean, layoutMean}, Minus::Arguments{}},
               RowBroadcastInverse::Arguments{inverse, layoutInverse},
               Multiplies::Arguments{}},
              RowBroadcastShift::Arguments{shift, layoutShift},
              Plus::Arguments{}},
             CastPlusToHalf::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::batch_norm

#endif // EVTGEN_BATCH_NORM_HPP
