#ifndef EVTGEN_EXPERT_COMBINE_ADD_HPP
#define EVTGEN_EXPERT_COMBINE_ADD_HPP

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

// The epilogue expert_combine_add, of C = A * B:
//
//     D = half((C * weight) + float(shared))

namespace Catlass::Evt::expert_combine_add {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using ColBroadcastWeight = Fusion::VisitorColBroadcast<float, layout::RowMajor>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using AuxLoadShared = Fusion::VisitorAuxLoad<half, layout::RowMajor>;
using CastSharedToFloat = Fusion::VisitorCast<float, half>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using CastPlusToHalf = Fusion::VisitorCast<half, float>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using CTimesWeight = Fusion::TreeVisitor<Multiplies, AccLoad, ColBroadcastWeight>;
using SharedAsFloat = Fusion::TreeVisitor<CastSharedToFloat, AuxLoadShared>;
using CTimesWeightPlusShared = Fusion::TreeVisitor<Plus, CTimesWeight, SharedAsFloat>;
using CTimesWeightPlusSharedAsHalf = Fusion::TreeVisitor<CastPlusToHalf, CTimesWeightPlusShared>;
using EVT = Fusion::TreeVisitor<AuxStoreD, CTimesWeightPlusSharedAsHalf>;

// Elements of a tile. With 3 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 5056;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::AtlasA2, 3>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::GroupedMatmulSliceMVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR weight{nullptr}; ///< in: float, M x 1
    layout::RowMajor layoutWeight{};
    GM_ADDR shared{nullptr}; ///< in: half, M x N
    layout::RowMajor layoutShared{};
    GM_ADDR D{nullptr}; ///< out: half, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{AccLoad::Arguments{}, ColBroadcastWeight::Arguments{weight, layoutWeight}, Multiplies::Arguments{}},
              {AuxLoadShared::Arguments{shared, layoutShared}, CastSharedToFloat::Arguments{}},
              Plus::Arguments{}},
             CastPlusToHalf::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

} // namespace Catlass::Evt::expert_combine_add

#endif // EVTGEN_EXPERT_COMBINE_ADD_HPP
