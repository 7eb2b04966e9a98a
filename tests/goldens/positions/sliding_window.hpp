#ifndef EVTGEN_SLIDING_WINDOW_HPP
#define EVTGEN_SLIDING_WINDOW_HPP

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

// The epilogue sliding_window, of C = A * B:
//
//     minus = row_index() - col_index()
//     scores = (float(fmax(minus, (-minus))) <= 4) ? C : -INFINITY

namespace Catlass::Evt::sliding_window {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = half;
using LayoutA = layout::RowMajor;
using LayoutB = layout::ColumnMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<half>;
using RowIndex = Fusion::VisitorRowIndex;
using ColIndex = Fusion::VisitorColIndex;
using Minus = Fusion::VisitorCompute<Fusion::Minus, int32_t>;
using Negate = Fusion::VisitorCompute<Fusion::Negate, int32_t>;
using Maximum = Fusion::VisitorCompute<Fusion::Maximum, int32_t>;
using CastMaximumToFloat = Fusion::VisitorCast<float, int32_t>;
using LessEqualScalar = Fusion::VisitorCompute<Fusion::LessEqualScalar, float, float>;
using WhereScalar = Fusion::VisitorCompute<Fusion::WhereScalar, half, half>;
using AuxStoreScores = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using Edges = tla::tuple<
    tla::seq<>,     // 0: AccLoad
    tla::seq<>,     // 1: RowIndex
    tla::seq<>,     // 2: ColIndex
    tla::seq<1, 2>, // 3: Minus(RowIndex, ColIndex)
    tla::seq<3>,    // 4: Negate(Minus)
    tla::seq<3, 4>, // 5: Maximum(Minus, Negate)
    tla::seq<5>,    // 6: CastMaximumToFloat(Maximum)
    tla::seq<6>,    // 7: LessEqualScalar(CastMaximumToFloat)
    tla::seq<7, 0>, // 8: WhereScalar(LessEqualScalar, AccLoad)
    tla::seq<8>     // 9: AuxStoreScores(WhereScalar)
    >;
using EVT = Fusion::TopologicalVisitor<
    Edges, AccLoad, RowIndex, ColIndex, Minus, Negate, Maximum, CastMaximumToFloat, LessEqualScalar, WhereScalar,
    AuxStoreScores>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 6592;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR scores{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutScores{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            AccLoad::Arguments{},
            RowIndex::Arguments{},
            ColIndex::Arguments{},
            Minus::Arguments{},
            Negate::Arguments{},
            Maximum::Arguments{},
            CastMaximumToFloat::Arguments{},
            LessEqualScalar::Arguments{{4.0f}},
            WhereScalar::Arguments{{static_cast<half>(-INFINITY)}},
            AuxStoreScores::Arguments{scores, layoutScores}};
    }
};

} // namespace Catlass::Evt::sliding_window

#endif // EVTGEN_SLIDING_WINDOW_HPP
