#ifndef EVTGEN_MOE_WGRAD_HPP
#define EVTGEN_MOE_WGRAD_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/operations/arithmetic.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
#include "catlass/epilogue/fusion/visitor_compute.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/grouped_matmul_slice_k_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue moe_wgrad, of C = A * B:
//
//     D = C + main_grad

namespace Catlass::Evt::moe_wgrad {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = bfloat16_t;
using ElementB = bfloat16_t;
using ElementC = float;
using LayoutA = layout::ColumnMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using AuxLoadMainGrad = Fusion::VisitorAuxLoad<float, layout::RowMajor>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using AuxStoreD = Fusion::VisitorAuxStore<float, layout::RowMajor>;

// The graph
using CPlusMainGrad = Fusion::TreeVisitor<Plus, AccLoad, AuxLoadMainGrad>;

// Elements of a tile. With 3 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 5184;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 62464;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {20736}},     // AccLoad
        {1, false, {20736}, {20736}}, // AuxLoadMainGrad
        {2, false, {41728}, {20736}}, // Plus
        {3, false, {}, {}}            // AuxStoreD
    };
};

using EVT = Fusion::Planned<Plan, Fusion::TreeVisitor<AuxStoreD, CPlusMainGrad>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::AtlasA2, 3>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

// Blocks of C per cube core in the workspace
constexpr uint32_t WORKSPACE_STAGES = 3;

// The list of groups says how much of K each has, in int64_t
using Groups = Gemm::Kernel::VisitorGroups<int64_t, Gemm::Kernel::VisitorGroupList::COUNTS>;

using Kernel =
    Gemm::Kernel::GroupedMatmulSliceKVisitor<BlockMmad, BlockEpilogue, BlockScheduler, WORKSPACE_STAGES, Groups>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR main_grad{nullptr}; ///< in: float, M x N
    layout::RowMajor layoutMainGrad{};
    int64_t strideMainGrad{
        Kernel::PACKED}; ///< elements from the main_grad of one matmul to that of the next; 0: all share it
    GM_ADDR D{nullptr};  ///< out: float, M x N
    layout::RowMajor layoutD{};
    int64_t strideD{Kernel::PACKED}; ///< elements from the D of one matmul to that of the next

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE EVT::Arguments ToEvt() const
    {
        return {
            {AccLoad::Arguments{}, AuxLoadMainGrad::Arguments{main_grad, layoutMainGrad, {}, strideMainGrad},
             Plus::Arguments{}},
            AuxStoreD::Arguments{D, layoutD, strideD}};
    }
};

} // namespace Catlass::Evt::moe_wgrad

#endif // EVTGEN_MOE_WGRAD_HPP
