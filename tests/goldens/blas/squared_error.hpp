#ifndef EVTGEN_SQUARED_ERROR_HPP
#define EVTGEN_SQUARED_ERROR_HPP

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

// The epilogue squared_error, of C = A * B:
//
//     error = C - target
//     loss += sum of the elements of error * error

namespace Catlass::Evt::squared_error {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using AuxLoadTarget = Fusion::VisitorAuxLoad<float, layout::RowMajor>;
using Minus = Fusion::VisitorCompute<Fusion::Minus, float>;
using AuxStoreError = Fusion::VisitorAuxStore<float, layout::RowMajor>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using ScalarReduceLoss = Fusion::VisitorScalarReduce<Fusion::Plus, float, layout::RowMajor>;

// The graph
using CMinusTarget = Fusion::TreeVisitor<Minus, AccLoad, AuxLoadTarget>;
using Edges = tla::tuple<
    tla::seq<>,     // 0: CMinusTarget
    tla::seq<0>,    // 1: AuxStoreError(CMinusTarget)
    tla::seq<1, 1>, // 2: Multiplies(AuxStoreError, AuxStoreError)
    tla::seq<2>     // 3: ScalarReduceLoss(Multiplies)
    >;
using EVT = Fusion::TopologicalVisitor<Edges, CMinusTarget, AuxStoreError, Multiplies, ScalarReduceLoss>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 7744;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR target{nullptr}; ///< in: float, M x N
    layout::RowMajor layoutTarget{};
    GM_ADDR error{nullptr}; ///< out: float, M x N
    layout::RowMajor layoutError{};
    GM_ADDR loss{nullptr}; ///< out: float, 1 x 1
    layout::RowMajor layoutLoss{};
    float identityLoss{0.0f}; ///< the caller fills loss with it

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {AccLoad::Arguments{}, AuxLoadTarget::Arguments{target, layoutTarget}, Minus::Arguments{}},
            AuxStoreError::Arguments{error, layoutError},
            Multiplies::Arguments{},
            ScalarReduceLoss::Arguments{loss, layoutLoss, identityLoss}};
    }
};

} // namespace Catlass::Evt::squared_error

#endif // EVTGEN_SQUARED_ERROR_HPP
