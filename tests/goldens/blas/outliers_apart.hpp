#ifndef EVTGEN_outliers_apart_HPP
#define EVTGEN_outliers_apart_HPP

#include <type_traits>

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

/// Fusion::WhereScalar with scalar bound.
template <class Element>
struct WhereScalarConstant {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Fusion::Mask> const& a,
        AscendC::LocalTensor<Element> const& b) const
    {
        Fusion::WhereScalar<Element>{}(dst, count, a, b, static_cast<Element>(0.0f));
    }
};

// The nodes
using AccLoad = Fusion::VisitorAccLoad<half>;
using Absolute = Fusion::VisitorCompute<Fusion::Absolute, half>;
using LessScalar = Fusion::VisitorCompute<Fusion::LessScalar, half, 1>;
using WhereScalar = Fusion::VisitorCompute<WhereScalarConstant, half>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;
using LogicalNot = Fusion::VisitorCompute<Fusion::LogicalNot, Fusion::Mask>;
using WhereScalar2 = Fusion::VisitorCompute<WhereScalarConstant, half>;
using AuxStoreOutliers = Fusion::VisitorAuxStore<half, layout::RowMajor>;
using Outputs = Fusion::VisitorOutputs;

// The inputs of each node
using Edges = tla::tuple<
    tla::seq<>,      // 0: AccLoad
    tla::seq<0>,     // 1: Absolute
    tla::seq<1>,     // 2: LessScalar
    tla::seq<2, 0>,  // 3: WhereScalar
    tla::seq<3>,     // 4: AuxStoreD
    tla::seq<2>,     // 5: LogicalNot
    tla::seq<5, 0>,  // 6: WhereScalar2
    tla::seq<6>,     // 7: AuxStoreOutliers
    tla::seq<4, 7>   // 8: Outputs
    >;

using EVT = Fusion::TopologicalVisitor<
    Edges, AccLoad, Absolute, LessScalar, WhereScalar, AuxStoreD, LogicalNot, WhereScalar2, AuxStoreOutliers, Outputs>;

// Each position of the arguments belongs to its node
static_assert(std::is_same_v<
              EVT::Arguments, tla::tuple<
                                  AccLoad::Arguments, Absolute::Arguments, LessScalar::Arguments,
                                  WhereScalar::Arguments, AuxStoreD::Arguments, LogicalNot::Arguments,
                                  WhereScalar2::Arguments, AuxStoreOutliers::Arguments, Outputs::Arguments>>);

// Elements of one node's buffer: 186368 of 188160 bytes of UB with 2 buffers
constexpr uint32_t COMPUTE_LENGTH = 9088;
static_assert(EVT::UbBytes(COMPUTE_LENGTH) * 2 <= 188160, "AscendC keeps the rest of UB for itself");

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// What the epilogue takes, by name.
struct Arguments {
    float limit{6.0f};   ///< in: a number
    GM_ADDR D{nullptr};  ///< out: half, M x N
    layout::RowMajor layoutD{};
    GM_ADDR outliers{nullptr};  ///< out: half, M x N
    layout::RowMajor layoutOutliers{};

    /// The same as the nest that the graph takes.
    EVT::Arguments ToEvt() const
    {
        return {
            AccLoad::Arguments{},
            Absolute::Arguments{},
            LessScalar::Arguments{{limit}},
            WhereScalar::Arguments{},
            AuxStoreD::Arguments{D, layoutD},
            LogicalNot::Arguments{},
            WhereScalar2::Arguments{},
            AuxStoreOutliers::Arguments{outliers, layoutOutliers},
            Outputs::Arguments{}};
    }
};

}  // namespace Catlass::Evt::outliers_apart

#endif  // EVTGEN_outliers_apart_HPP
