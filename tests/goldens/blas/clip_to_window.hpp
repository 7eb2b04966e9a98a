#ifndef EVTGEN_CLIP_TO_WINDOW_HPP
#define EVTGEN_CLIP_TO_WINDOW_HPP

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

// The epilogue clip_to_window, of C = A * B:
//
//     D = ((C > low) && (C < high)) ? C : X

namespace Catlass::Evt::clip_to_window {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using AuxLoadX = Fusion::VisitorAuxLoad<float, layout::RowMajor>;
using GreaterScalar = Fusion::VisitorCompute<Fusion::GreaterScalar, float, float>;
using LessScalar = Fusion::VisitorCompute<Fusion::LessScalar, float, float>;
using LogicalAnd = Fusion::VisitorCompute<Fusion::LogicalAnd, Fusion::Mask>;
using Where = Fusion::VisitorCompute<Fusion::Where, float>;
using AuxStoreD = Fusion::VisitorAuxStore<float, layout::RowMajor>;

// The graph
using Edges = tla::tuple<
    tla::seq<>,        // 0: AccLoad
    tla::seq<>,        // 1: AuxLoadX
    tla::seq<0>,       // 2: GreaterScalar(AccLoad)
    tla::seq<0>,       // 3: LessScalar(AccLoad)
    tla::seq<2, 3>,    // 4: LogicalAnd(GreaterScalar, LessScalar)
    tla::seq<4, 0, 1>, // 5: Where(LogicalAnd, AccLoad, AuxLoadX)
    tla::seq<5>        // 6: AuxStoreD(Where)
    >;
using EVT =
    Fusion::TopologicalVisitor<Edges, AccLoad, AuxLoadX, GreaterScalar, LessScalar, LogicalAnd, Where, AuxStoreD>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 5760;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR X{nullptr}; ///< in: float, M x N
    layout::RowMajor layoutX{};
    float low{};        ///< in: a number
    float high{};       ///< in: a number
    GM_ADDR D{nullptr}; ///< out: float, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            AccLoad::Arguments{},
            AuxLoadX::Arguments{X, layoutX},
            GreaterScalar::Arguments{{low}},
            LessScalar::Arguments{{high}},
            LogicalAnd::Arguments{},
            Where::Arguments{},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::clip_to_window

#endif // EVTGEN_CLIP_TO_WINDOW_HPP
