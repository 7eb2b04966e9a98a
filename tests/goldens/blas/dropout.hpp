#ifndef EVTGEN_DROPOUT_HPP
#define EVTGEN_DROPOUT_HPP

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

// The epilogue dropout, of C = A * B:
//
//     D = (random >= rate) ? (C * scale) : 0

namespace Catlass::Evt::dropout {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = half;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AuxLoadRandom = Fusion::VisitorAuxLoad<half, layout::RowMajor>;
using GreaterEqualScalar = Fusion::VisitorCompute<Fusion::GreaterEqualScalar, half, half>;
using AccLoad = Fusion::VisitorAccLoad<half>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, half, half>;
using WhereScalar = Fusion::VisitorCompute<Fusion::WhereScalar, half, half>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using GreaterEqualScalarOfRandom = Fusion::TreeVisitor<GreaterEqualScalar, AuxLoadRandom>;
using MulsOfC = Fusion::TreeVisitor<Muls, AccLoad>;
using WhereScalarValue = Fusion::TreeVisitor<WhereScalar, GreaterEqualScalarOfRandom, MulsOfC>;
using EVT = Fusion::TreeVisitor<AuxStoreD, WhereScalarValue>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 15104;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR random{nullptr}; ///< in: half, M x N
    layout::RowMajor layoutRandom{};
    half rate{};        ///< in: a number
    half scale{};       ///< in: a number
    GM_ADDR D{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{AuxLoadRandom::Arguments{random, layoutRandom}, GreaterEqualScalar::Arguments{{rate}}},
             {AccLoad::Arguments{}, Muls::Arguments{{scale}}},
             WhereScalar::Arguments{{static_cast<half>(0.0f)}}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::dropout

#endif // EVTGEN_DROPOUT_HPP
