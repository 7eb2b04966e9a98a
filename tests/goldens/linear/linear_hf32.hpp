#ifndef EVTGEN_LINEAR_HF32_HPP
#define EVTGEN_LINEAR_HF32_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/operations/activation.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
#include "catlass/epilogue/fusion/visitor_by_repeats.hpp"
#include "catlass/epilogue/fusion/visitor_compute.hpp"
#include "catlass/epilogue/fusion/visitor_row_broadcast.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_mmad_hf32.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue linear_hf32, of C = A * B:
//
//     D = fmax(C + bias, 0)

namespace Catlass::Evt::linear_hf32 {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = float;
using ElementB = float;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::ColumnMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using RowBroadcastBias = Fusion::VisitorRowBroadcast<float, layout::RowMajor, false, false>;
using AddRelu =
    Fusion::VisitorByRepeats<Fusion::VisitorCompute<Fusion::AddRelu, float>, Fusion::Held::TILE, Fusion::Held::ROW>;
using AuxStoreD = Fusion::VisitorAuxStore<float, layout::RowMajor>;

// The graph
using AddReluOfCAndBias = Fusion::TreeVisitor<AddRelu, AccLoad, RowBroadcastBias>;

// Elements of a tile. With 3 buffers the nodes take 185856 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 6720;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 61952;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {26880}},     // AccLoad
        {1, false, {26880}, {8192}},  // RowBroadcastBias
        {2, false, {35072}, {26880}}, // AddRelu
        {3, false, {}, {}}            // AuxStoreD
    };
};

using EVT = Fusion::Planned<Plan, Fusion::TreeVisitor<AuxStoreD, AddReluOfCAndBias>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::AtlasA2, 3>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmadHf32<Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 128>, Catlass::GemmShape<128, 256, 32>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR bias{nullptr}; ///< in: float, 1 x N
    layout::RowMajor layoutBias{};
    GM_ADDR D{nullptr}; ///< out: float, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE EVT::Arguments ToEvt() const
    {
        return {
            {AccLoad::Arguments{}, RowBroadcastBias::Arguments{bias, layoutBias}, AddRelu::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::linear_hf32

#endif // EVTGEN_LINEAR_HF32_HPP
