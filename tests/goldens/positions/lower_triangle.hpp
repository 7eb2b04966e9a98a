#ifndef EVTGEN_LOWER_TRIANGLE_HPP
#define EVTGEN_LOWER_TRIANGLE_HPP

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

// The epilogue lower_triangle, of C = A * B:
//
//     D = (float(row_index() - col_index()) >= 0) ? C : 0
//     sums += sum of the rows of D

namespace Catlass::Evt::lower_triangle {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using RowIndex = Fusion::VisitorRowIndex;
using ColIndex = Fusion::VisitorColIndex;
using Minus = Fusion::VisitorCompute<Fusion::Minus, int32_t>;
using CastMinusToFloat = Fusion::VisitorCast<float, int32_t>;
using GreaterEqualScalar = Fusion::VisitorCompute<Fusion::GreaterEqualScalar, float, float>;
using AccLoad = Fusion::VisitorAccLoad<float>;
using WhereScalar = Fusion::VisitorCompute<Fusion::WhereScalar, float, float>;
using AuxStoreD = Fusion::VisitorAuxStore<float, layout::RowMajor>;
using RowReduceSums = Fusion::VisitorRowReduce<Fusion::Plus, float, layout::RowMajor>;

// The graph
using RowIndexMinusColIndex = Fusion::TreeVisitor<Minus, RowIndex, ColIndex>;
using RowIndexMinusColIndexAsFloat = Fusion::TreeVisitor<CastMinusToFloat, RowIndexMinusColIndex>;
using GreaterEqualScalarValue = Fusion::TreeVisitor<GreaterEqualScalar, RowIndexMinusColIndexAsFloat>;
using WhereScalarValue = Fusion::TreeVisitor<WhereScalar, GreaterEqualScalarValue, AccLoad>;
using StoredD = Fusion::TreeVisitor<AuxStoreD, WhereScalarValue>;
using EVT = Fusion::TreeVisitor<RowReduceSums, StoredD>;

// Elements of a tile. With 2 buffers the nodes take 186368 of the 188160 bytes of UB that AscendC leaves free.
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
    GM_ADDR D{nullptr}; ///< out: float, M x N
    layout::RowMajor layoutD{};
    GM_ADDR sums{nullptr}; ///< out: float, 1 x N
    layout::RowMajor layoutSums{};
    float identitySums{0.0f}; ///< the caller fills sums with it

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{{{RowIndex::Arguments{}, ColIndex::Arguments{}, Minus::Arguments{}}, CastMinusToFloat::Arguments{}},
               GreaterEqualScalar::Arguments{{0.0f}}},
              AccLoad::Arguments{},
              WhereScalar::Arguments{{0.0f}}},
             AuxStoreD::Arguments{D, layoutD}},
            RowReduceSums::Arguments{sums, layoutSums, identitySums}};
    }
};

} // namespace Catlass::Evt::lower_triangle

#endif // EVTGEN_LOWER_TRIANGLE_HPP
