#ifndef EVTGEN_LAYER_NORM_SUMS_HPP
#define EVTGEN_LAYER_NORM_SUMS_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/operations/arithmetic.hpp"
#include "catlass/epilogue/fusion/topological_visitor.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
#include "catlass/epilogue/fusion/visitor_col_reduce.hpp"
#include "catlass/epilogue/fusion/visitor_compute.hpp"
#include "catlass/epilogue/fusion/visitor_row_broadcast.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue layer_norm_sums, of C = A * B:
//
//     D = C + bias
//     sums += sum of the columns of D
//     squares += sum of the columns of D * D

namespace Catlass::Evt::layer_norm_sums {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using RowBroadcastBias = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using AuxStoreD = Fusion::VisitorAuxStore<float, layout::RowMajor>;
using ColReduceSums = Fusion::VisitorColReduce<Fusion::Plus, float, layout::RowMajor>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using ColReduceSquares = Fusion::VisitorColReduce<Fusion::Plus, float, layout::RowMajor>;

// The graph
using CPlusBias = Fusion::TreeVisitor<Plus, AccLoad, RowBroadcastBias>;
using StoredD = Fusion::TreeVisitor<AuxStoreD, CPlusBias>;
using Edges = tla::tuple<
    tla::seq<>,     // 0: StoredD
    tla::seq<0>,    // 1: ColReduceSums(StoredD)
    tla::seq<1, 1>, // 2: Multiplies(ColReduceSums, ColReduceSums)
    tla::seq<2>     // 3: ColReduceSquares(Multiplies)
    >;

// Elements of a tile. With 2 buffers the nodes take 186368 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 7296;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 93184;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {29184}},                     // AccLoad
        {1, false, {29440}, {29184}},                 // RowBroadcastBias
        {2, true, {58624}, {29184}},                  // Plus
        {3, false, {}, {}},                           // AuxStoreD
        {4, true, {0, 0, 0, 87808}, {0, 0, 0, 2528}}, // ColReduceSums
        {5, false, {0}, {29184}},                     // Multiplies
        {6, true, {0, 0, 0, 90368}, {0, 0, 0, 2528}}  // ColReduceSquares
    };
};

using EVT =
    Fusion::Planned<Plan, Fusion::TopologicalVisitor<Edges, StoredD, ColReduceSums, Multiplies, ColReduceSquares>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR bias{nullptr}; ///< in: float, 1 x N
    layout::RowMajor layoutBias{};
    GM_ADDR D{nullptr}; ///< out: float, M x N
    layout::RowMajor layoutD{};
    GM_ADDR sums{nullptr}; ///< out: float, M x 1
    layout::RowMajor layoutSums{};
    float identitySums{0.0f}; ///< the caller fills sums with it
    GM_ADDR squares{nullptr}; ///< out: float, M x 1
    layout::RowMajor layoutSquares{};
    float identitySquares{0.0f}; ///< the caller fills squares with it

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE EVT::Arguments ToEvt() const
    {
        return {
            {{AccLoad::Arguments{}, RowBroadcastBias::Arguments{bias, layoutBias}, Plus::Arguments{}},
             AuxStoreD::Arguments{D, layoutD}},
            ColReduceSums::Arguments{sums, layoutSums, identitySums},
            Multiplies::Arguments{},
            ColReduceSquares::Arguments{squares, layoutSquares, identitySquares}};
    }
};

} // namespace Catlass::Evt::layer_norm_sums

#endif // EVTGEN_LAYER_NORM_SUMS_HPP
