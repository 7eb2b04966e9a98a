#ifndef EVTGEN_ABS_MAX_HPP
#define EVTGEN_ABS_MAX_HPP

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

// The epilogue abs_max, of C = A * B:
//
//     D = C
//     token_max = max(token_max, max of the columns of fabs(D))
//     all_max = max(all_max, max of the elements of fabs(D))

namespace Catlass::Evt::abs_max {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using AuxStoreD = Fusion::VisitorAuxStore<float, layout::RowMajor>;
using Absolute = Fusion::VisitorCompute<Fusion::Absolute, float>;
using ColReduceTokenMax = Fusion::VisitorColReduce<Fusion::Maximum, float, layout::RowMajor>;
using ScalarReduceAllMax = Fusion::VisitorScalarReduce<Fusion::Maximum, float, layout::RowMajor>;

// The graph
using StoredD = Fusion::TreeVisitor<AuxStoreD, AccLoad>;
using AbsoluteOfC = Fusion::TreeVisitor<Absolute, StoredD>;
using ReducedTokenMax = Fusion::TreeVisitor<ColReduceTokenMax, AbsoluteOfC>;
using EVT = Fusion::TreeVisitor<ScalarReduceAllMax, ReducedTokenMax>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 10880;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR D{nullptr}; ///< out: float, M x N
    layout::RowMajor layoutD{};
    GM_ADDR token_max{nullptr}; ///< out: float, M x 1
    layout::RowMajor layoutTokenMax{};
    float identityTokenMax{0.0f}; ///< the caller fills token_max with it
    GM_ADDR all_max{nullptr};     ///< out: float, 1 x 1
    layout::RowMajor layoutAllMax{};
    float identityAllMax{0.0f}; ///< the caller fills all_max with it

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{AccLoad::Arguments{}, AuxStoreD::Arguments{D, layoutD}}, Absolute::Arguments{}},
             ColReduceTokenMax::Arguments{token_max, layoutTokenMax, identityTokenMax}},
            ScalarReduceAllMax::Arguments{all_max, layoutAllMax, identityAllMax}};
    }
};

} // namespace Catlass::Evt::abs_max

#endif // EVTGEN_ABS_MAX_HPP
