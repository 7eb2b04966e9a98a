#ifndef EVTGEN_RMS_NORM_SQUARES_HPP
#define EVTGEN_RMS_NORM_SQUARES_HPP

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

// The epilogue rms_norm_squares, of C = A * B:
//
//     plus = C + float(residual)
//     D = half(plus)
//     squares += sum of the columns of plus * plus

namespace Catlass::Evt::rms_norm_squares {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using AuxLoadResidual = Fusion::VisitorAuxLoad<half, layout::RowMajor>;
using CastResidualToFloat = Fusion::VisitorCast<float, half>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using CastPlusToHalf = Fusion::VisitorCast<half, float>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using ColReduceSquares = Fusion::VisitorColReduce<Fusion::Plus, float, layout::RowMajor>;
using Outputs = Fusion::VisitorOutputs;

// The graph
using ResidualAsFloat = Fusion::TreeVisitor<CastResidualToFloat, AuxLoadResidual>;
using Edges = tla::tuple<
    tla::seq<>,     // 0: AccLoad
    tla::seq<>,     // 1: ResidualAsFloat
    tla::seq<0, 1>, // 2: Plus(AccLoad, ResidualAsFloat)
    tla::seq<2>,    // 3: CastPlusToHalf(Plus)
    tla::seq<3>,    // 4: AuxStoreD(CastPlusToHalf)
    tla::seq<2, 2>, // 5: Multiplies(Plus, Plus)
    tla::seq<5>,    // 6: ColReduceSquares(Multiplies)
    tla::seq<4, 6>  // 7: Outputs(AuxStoreD, ColReduceSquares)
    >;
using EVT = Fusion::TopologicalVisitor<
    Edges, AccLoad, ResidualAsFloat, Plus, CastPlusToHalf, AuxStoreD, Multiplies, ColReduceSquares, Outputs>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 9024;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR residual{nullptr}; ///< in: half, M x N
    layout::RowMajor layoutResidual{};
    GM_ADDR D{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutD{};
    GM_ADDR squares{nullptr}; ///< out: float, M x 1
    layout::RowMajor layoutSquares{};
    float identitySquares{0.0f}; ///< the caller fills squares with it

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            AccLoad::Arguments{},
            {AuxLoadResidual::Arguments{residual, layoutResidual}, CastResidualToFloat::Arguments{}},
            Plus::Arguments{},
            CastPlusToHalf::Arguments{},
            AuxStoreD::Arguments{D, layoutD},
            Multiplies::Arguments{},
            ColReduceSquares::Arguments{squares, layoutSquares, identitySquares},
            Outputs::Arguments{}};
    }
};

} // namespace Catlass::Evt::rms_norm_squares

#endif // EVTGEN_RMS_NORM_SQUARES_HPP
