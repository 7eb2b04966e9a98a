#ifndef EVTGEN_TRANSPOSED_ADDMM_HPP
#define EVTGEN_TRANSPOSED_ADDMM_HPP

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

// The epilogue transposed_addmm, of acc = A * B:
//
//     D_t = transpose((C * beta) + acc)
//     D = half(D_t)

namespace Catlass::Evt::transposed_addmm {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AuxLoadC = Fusion::VisitorAuxLoad<float, layout::ColumnMajor>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, float, float>;
using AccLoad = Fusion::VisitorAccLoad<float>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using AuxStoreDT = Fusion::VisitorAuxStore<float, layout::ColumnMajor>;
using CastPlusToHalf = Fusion::VisitorCast<half, float>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using MulsOfC = Fusion::TreeVisitor<Muls, AuxLoadC>;
using MulsOfCPlusC = Fusion::TreeVisitor<Plus, MulsOfC, AccLoad>;
using StoredDT = Fusion::TreeVisitor<AuxStoreDT, MulsOfCPlusC>;
using MulsOfCPlusCAsHalf = Fusion::TreeVisitor<CastPlusToHalf, StoredDT>;
using EVT = Fusion::TreeVisitor<AuxStoreD, MulsOfCPlusCAsHalf>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 6656;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

// System headers may have macros of these names
#pragma push_macro("D_t")
#undef D_t

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR C{nullptr}; ///< in: float, M x N
    layout::ColumnMajor layoutC{};
    float beta{1.0f};     ///< in: a number
    GM_ADDR D_t{nullptr}; ///< out: float, M x N
    layout::ColumnMajor layoutDT{};
    GM_ADDR D{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{{AuxLoadC::Arguments{C, layoutC}, Muls::Arguments{{beta}}}, AccLoad::Arguments{}, Plus::Arguments{}},
              AuxStoreDT::Arguments{D_t, layoutDT}},
             CastPlusToHalf::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

#pragma pop_macro("D_t")

} // namespace Catlass::Evt::transposed_addmm

#endif // EVTGEN_TRANSPOSED_ADDMM_HPP
