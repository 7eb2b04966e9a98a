#ifndef EVTGEN_QUANT_BATCH_MATMUL_V3_HPP
#define EVTGEN_QUANT_BATCH_MATMUL_V3_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/dequantised.hpp"
#include "catlass/epilogue/fusion/operations/arithmetic.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
#include "catlass/epilogue/fusion/visitor_by_repeats.hpp"
#include "catlass/epilogue/fusion/visitor_compute.hpp"
#include "catlass/epilogue/fusion/visitor_row_broadcast.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_mmad_dequant.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/batched_matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue quant_batch_matmul_v3, of C = A * (B * b_scale):
//
//     D = C + bias

namespace Catlass::Evt::quant_batch_matmul_v3 {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = int8_t;
using ElementB = int8_t;
using ElementC = half;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<half>;
using RowBroadcastBias = Fusion::VisitorRowBroadcast<half, layout::RowMajor, false, false>;
using Plus =
    Fusion::VisitorByRepeats<Fusion::VisitorCompute<Fusion::Plus, half>, Fusion::Held::TILE, Fusion::Held::ROW>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using CPlusBias = Fusion::TreeVisitor<Plus, AccLoad, RowBroadcastBias>;

// Elements of a tile. With 3 buffers the nodes take 185856 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 14464;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 61952;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {28928}},     // AccLoad
        {1, false, {28928}, {4096}},  // RowBroadcastBias
        {2, false, {33024}, {28928}}, // Plus
        {3, false, {}, {}}            // AuxStoreD
    };
};

using EVT = Fusion::Planned<Plan, Fusion::TreeVisitor<AuxStoreD, CPlusBias>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::AtlasA2, 3>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmadDequant<
    Gemm::MmadAtlasA2Pingpong<false>, Catlass::GemmShape<128, 256, 512>, Catlass::GemmShape<128, 256, 128>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using ScaledEpilogue = Fusion::Dequantised<BlockEpilogue>;

using Kernel = Gemm::Kernel::BatchedMatmulVisitor<BlockMmad, ScaledEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR b_scale{nullptr}; ///< in: uint64_t, 1 x N
    layout::RowMajor layoutBScale{};
    int64_t strideBScale{
        Kernel::PACKED};   ///< elements from the b_scale of one matmul to that of the next; 0: all share it
    GM_ADDR bias{nullptr}; ///< in: half, 1 x N
    layout::RowMajor layoutBias{};
    int64_t strideBias{Kernel::PACKED}; ///< elements from the bias of one matmul to that of the next; 0: all share it
    GM_ADDR D{nullptr};                 ///< out: half, M x N
    layout::RowMajor layoutD{};
    int64_t strideD{Kernel::PACKED}; ///< elements from the D of one matmul to that of the next
    uint32_t repeatBScale{1};        ///< matmuls, one after the other, that take one b_scale
    uint32_t repeatBias{1};          ///< matmuls, one after the other, that take one bias

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE ScaledEpilogue::EVT::Arguments ToEvt() const
    {
        return {
            ScaledEpilogue::EVT::ScalesOfB{b_scale, layoutBScale, strideBScale, repeatBScale},
            {{AccLoad::Arguments{}, RowBroadcastBias::Arguments{bias, layoutBias, {}, strideBias, repeatBias},
              Plus::Arguments{}},
             AuxStoreD::Arguments{D, layoutD, strideD}}};
    }
};

} // namespace Catlass::Evt::quant_batch_matmul_v3

#endif // EVTGEN_QUANT_BATCH_MATMUL_V3_HPP
