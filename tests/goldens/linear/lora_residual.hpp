#ifndef EVTGEN_LORA_RESIDUAL_HPP
#define EVTGEN_LORA_RESIDUAL_HPP

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

// The epilogue lora_residual, of C = A * B:
//
//     D = half(((C * scale) + float(base)) + float(residual))

namespace Catlass::Evt::lora_residual {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::ColumnMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, float, float>;
using AuxLoadBase = Fusion::VisitorAuxLoad<half, layout::RowMajor>;
using CastBaseToFloat = Fusion::VisitorCast<float, half>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using AuxLoadResidual = Fusion::VisitorAuxLoad<half, layout::RowMajor>;
using CastResidualToFloat = Fusion::VisitorCast<float, half>;
using Plus2 = Fusion::VisitorCompute<Fusion::Plus, float>;
using CastPlusToHalf = Fusion::VisitorCast<half, float>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using MulsOfC = Fusion::TreeVisitor<Muls, AccLoad>;
using BaseAsFloat = Fusion::TreeVisitor<CastBaseToFloat, AuxLoadBase>;
using MulsOfCPlusBase = Fusion::TreeVisitor<Plus, MulsOfC, BaseAsFloat>;
using ResidualAsFloat = Fusion::TreeVisitor<CastResidualToFloat, AuxLoadResidual>;
using MulsOfCPlusBasePlusResidual = Fusion::TreeVisitor<Plus2, MulsOfCPlusBase, ResidualAsFloat>;
using MulsOfCPlusBasePlusResidualAsHalf = Fusion::TreeVisitor<CastPlusToHalf, MulsOfCPlusBasePlusResidual>;
using EVT = Fusion::TreeVisitor<AuxStoreD, MulsOfCPlusBasePlusResidualAsHalf>;

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
    float scale{2.0f};     ///< in: a number
    GM_ADDR base{nullptr}; ///< in: half, M x N
    layout::RowMajor layoutBase{};
    GM_ADDR residual{nullptr}; ///< in: half, M x N
    layout::RowMajor layoutResidual{};
    GM_ADDR D{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{{AccLoad::Arguments{}, Muls::Arguments{{scale}}},
               {AuxLoadBase::Arguments{base, layoutBase}, CastBaseToFloat::Arguments{}},
               Plus::Arguments{}},
              {AuxLoadResidual::Arguments{residual, layoutResidual}, CastResidualToFloat::Arguments{}},
              Plus2::Arguments{}},
             CastPlusToHalf::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::lora_residual

#endif // EVTGEN_LORA_RESIDUAL_HPP
