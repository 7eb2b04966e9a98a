#ifndef EVTGEN_OUTLIERS_APART_HPP
#define EVTGEN_OUTLIERS_APART_HPP

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

// The epilogue outliers_apart, of C = A * B:
//
//     lessScalar = fabs(C) < limit
//     D = lessScalar ? C : 0
//     outliers = (!lessScalar) ? C : 0

namespace Catlass::Evt::outliers_apart {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = half;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<half>;
using Absolute = Fusion::VisitorCompute<Fusion::Absolute, half>;
using LessScalar = Fusion::VisitorCompute<Fusion::LessScalar, half, half>;
using WhereScalar = Fusion::VisitorCompute<Fusion::WhereScalar, half, half>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;
using LogicalNot = Fusion::VisitorCompute<Fusion::LogicalNot, Fusion::Mask>;
using WhereScalar2 = Fusion::VisitorCompute<Fusion::WhereScalar, half, half>;
using AuxStoreOutliers = Fusion::VisitorAuxStore<half, layout::RowMajor>;
using Outputs = Fusion::VisitorOutputs;

// The graph
using Edges = tla::tuple<
    tla::seq<>,     // 0: AccLoad
    tla::seq<0>,    // 1: Absolute(AccLoad)
    tla::seq<1>,    // 2: LessScalar(Absolute)
    tla::seq<2, 0>, // 3: WhereScalar(LessScalar, AccLoad)
    tla::seq<3>,    // 4: AuxStoreD(WhereScalar)
    tla::seq<2>,    // 5: LogicalNot(LessScalar)
    tla::seq<5, 0>, // 6: WhereScalar2(LogicalNot, AccLoad)
    tla::seq<6>,    // 7: AuxStoreOutliers(WhereScalar2)
    tla::seq<4, 7>  // 8: Outputs(AuxStoreD, AuxStoreOutliers)
    >;
using EVT = Fusion::TopologicalVisitor<
    Edges, AccLoad, Absolute, LessScalar, WhereScalar, AuxStoreD, LogicalNot, WhereScalar2, AuxStoreOutliers, Outputs>;

// Elements of a tile. With 2 buffers the nodes take 186368 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 11520;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    half limit{static_cast<half>(6.0f)}; ///< in: a number
    GM_ADDR D{nullptr};                  ///< out: half, M x N
    layout::RowMajor layoutD{};
    GM_ADDR outliers{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutOutliers{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            AccLoad::Arguments{},
            Absolute::Arguments{},
            LessScalar::Arguments{{limit}},
            WhereScalar::Arguments{{static_cast<half>(0.0f)}},
            AuxStoreD::Arguments{D, layoutD},
            LogicalNot::Arguments{},
            WhereScalar2::Arguments{{static_cast<half>(0.0f)}},
            AuxStoreOutliers::Arguments{outliers, layoutOutliers},
            Outputs::Arguments{}};
    }
};

} // namespace Catlass::Evt::outliers_apart

#endif // EVTGEN_OUTLIERS_APART_HPP
