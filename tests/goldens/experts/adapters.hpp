#ifndef EVTGEN_ADAPTERS_HPP
#define EVTGEN_ADAPTERS_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/fusion.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/grouped_matmul_slice_m_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue adapters, of C = A * B:
//
//     D = half(float(base) + (C * scale))

namespace Catlass::Evt::adapters {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AuxLoadBase = Fusion::VisitorAuxLoad<half, layout::RowMajor>;
using CastBaseToFloat = Fusion::VisitorCast<float, half>;
using AccLoad = Fusion::VisitorAccLoad<float>;
using ScalarBroadcastScale = Fusion::VisitorScalarBroadcast<float, layout::RowMajor>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using CastPlusToHalf = Fusion::VisitorCast<half, float>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using BaseAsFloat = Fusion::TreeVisitor<CastBaseToFloat, AuxLoadBase>;
using CTimesScale = Fusion::TreeVisitor<Multiplies, AccLoad, ScalarBroadcastScale>;
using BasePlusCTimesScale = Fusion::TreeVisitor<Plus, BaseAsFloat, CTimesScale>;
using BasePlusCTimesScaleAsHalf = Fusion::TreeVisitor<CastPlusToHalf, BasePlusCTimesScale>;
using EVT = Fusion::TreeVisitor<AuxStoreD, BasePlusCTimesScaleAsHalf>;

// Elements of a tile. With 2 buffers the nodes take 185344 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 5760;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::GroupedMatmulSliceMVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR base{nullptr}; ///< in: half, M x N
    layout::RowMajor layoutBase{};
    GM_ADDR scale{nullptr}; ///< in: float, 1 x 1
    layout::RowMajor layoutScale{};
    int64_t strideScale{Kernel::PACKED}; ///< elements from the scale of one matmul to that of the next; 0: all share it
    GM_ADDR D{nullptr};                  ///< out: half, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{AuxLoadBase::Arguments{base, layoutBase}, CastBaseToFloat::Arguments{}},
              {AccLoad::Arguments{}, ScalarBroadcastScale::Arguments{scale, layoutScale, {}, strideScale},
               Multiplies::Arguments{}},
              Plus::Arguments{}},
             CastPlusToHalf::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::adapters

#endif // EVTGEN_ADAPTERS_HPP
