#ifndef EVTGEN_GROUPED_DEQUANT_HPP
#define EVTGEN_GROUPED_DEQUANT_HPP

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

// The epilogue grouped_dequant, of C = A * B:
//
//     D = half((float(C) * scale) * token_scale)

namespace Catlass::Evt::grouped_dequant {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = int8_t;
using ElementB = int8_t;
using ElementC = int32_t;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<int32_t>;
using CastCToFloat = Fusion::VisitorCast<float, int32_t>;
using RowBroadcastScale = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using ColBroadcastTokenScale = Fusion::VisitorColBroadcast<float, layout::RowMajor>;
using Multiplies2 = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using CastMultipliesToHalf = Fusion::VisitorCast<half, float>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using CAsFloat = Fusion::TreeVisitor<CastCToFloat, AccLoad>;
using CTimesScale = Fusion::TreeVisitor<Multiplies, CAsFloat, RowBroadcastScale>;
using CTimesScaleTimesTokenScale = Fusion::TreeVisitor<Multiplies2, CTimesScale, ColBroadcastTokenScale>;
using CTimesScaleTimesTokenScaleAsHalf = Fusion::TreeVisitor<CastMultipliesToHalf, CTimesScaleTimesTokenScale>;
using EVT = Fusion::TreeVisitor<AuxStoreD, CTimesScaleTimesTokenScaleAsHalf>;

// Elements of a tile. With 2 buffers the nodes take 186368 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 7616;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<false>, Catlass::GemmShape<128, 256, 512>, Catlass::GemmShape<128, 256, 128>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::GroupedMatmulSliceMVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR scale{nullptr}; ///< in: float, 1 x N
    layout::RowMajor layoutScale{};
    int64_t strideScale{Kernel::PACKED}; ///< elements from the scale of one matmul to that of the next; 0: all share it
    GM_ADDR token_scale{nullptr};        ///< in: float, M x 1
    layout::RowMajor layoutTokenScale{};
    GM_ADDR D{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE EVT::Arguments ToEvt() const
    {
        return {
            {{{{AccLoad::Arguments{}, CastCToFloat::Arguments{}},
               RowBroadcastScale::Arguments{scale, layoutScale, {}, strideScale},
               Multiplies::Arguments{}},
              ColBroadcastTokenScale::Arguments{token_scale, layoutTokenScale},
              Multiplies2::Arguments{}},
             CastMultipliesToHalf::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::grouped_dequant

#endif // EVTGEN_GROUPED_DEQUANT_HPP
