#ifndef EVTGEN_W8A8_STATIC_HPP
#define EVTGEN_W8A8_STATIC_HPP

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

// The epilogue w8a8_static, of C = A * B:
//
//     D = half((float(C + correction) * channel) * step)

namespace Catlass::Evt::w8a8_static {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = int8_t;
using ElementB = int8_t;
using ElementC = int32_t;
using LayoutA = layout::RowMajor;
using LayoutB = layout::ColumnMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<int32_t>;
using RowBroadcastCorrection = Fusion::VisitorRowBroadcast<int32_t, layout::RowMajor>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, int32_t>;
using CastPlusToFloat = Fusion::VisitorCast<float, int32_t>;
using RowBroadcastChannel = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using ScalarBroadcastStep = Fusion::VisitorScalarBroadcast<float, layout::RowMajor>;
using Multiplies2 = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using CastMultipliesToHalf = Fusion::VisitorCast<half, float>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using CPlusCorrection = Fusion::TreeVisitor<Plus, AccLoad, RowBroadcastCorrection>;
using CPlusCorrectionAsFloat = Fusion::TreeVisitor<CastPlusToFloat, CPlusCorrection>;
using CPlusCorrectionTimesChannel = Fusion::TreeVisitor<Multiplies, CPlusCorrectionAsFloat, RowBroadcastChannel>;
using Multiplies2Value = Fusion::TreeVisitor<Multiplies2, CPlusCorrectionTimesChannel, ScalarBroadcastStep>;
using Multiplies2AsHalf = Fusion::TreeVisitor<CastMultipliesToHalf, Multiplies2Value>;
using EVT = Fusion::TreeVisitor<AuxStoreD, Multiplies2AsHalf>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 4224;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2PreloadAsyncWithCallback<1, 2, 2, 2, 1, false, true>, Catlass::GemmShape<128, 256, 512>,
    Catlass::GemmShape<128, 256, 128>, Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>,
    Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

// Blocks of C per cube core in the workspace
constexpr uint32_t WORKSPACE_STAGES = 2;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler, WORKSPACE_STAGES>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR correction{nullptr}; ///< in: int32_t, 1 x N
    layout::RowMajor layoutCorrection{};
    GM_ADDR channel{nullptr}; ///< in: float, 1 x N
    layout::RowMajor layoutChannel{};
    GM_ADDR step{nullptr}; ///< in: float, 1 x 1
    layout::RowMajor layoutStep{};
    GM_ADDR D{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{{{AccLoad::Arguments{}, RowBroadcastCorrection::Arguments{correction, layoutCorrection},
                 Plus::Arguments{}},
                CastPlusToFloat::Arguments{}},
               RowBroadcastChannel::Arguments{channel, layoutChannel},
               Multiplies::Arguments{}},
              ScalarBroadcastStep::Arguments{step, layoutStep},
              Multiplies2::Arguments{}},
             CastMultipliesToHalf::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::w8a8_static

#endif // EVTGEN_W8A8_STATIC_HPP
