#ifndef EVTGEN_EXPERT_ABS_MAX_HPP
#define EVTGEN_EXPERT_ABS_MAX_HPP

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

// The epilogue expert_abs_max, of C = A * B:
//
//     D = C
//     channel_max = max(channel_max, max of the rows of fabs(D))
//     expert_max = max(expert_max, max of the elements of fabs(D))

namespace Catlass::Evt::expert_abs_max {

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
using RowReduceChannelMax = Fusion::VisitorRowReduce<Fusion::Maximum, float, layout::RowMajor>;
using ScalarReduceExpertMax = Fusion::VisitorScalarReduce<Fusion::Maximum, float, layout::RowMajor>;

// The graph
using StoredD = Fusion::TreeVisitor<AuxStoreD, AccLoad>;
using AbsoluteOfC = Fusion::TreeVisitor<Absolute, StoredD>;
using ReducedChannelMax = Fusion::TreeVisitor<RowReduceChannelMax, AbsoluteOfC>;
using EVT = Fusion::TreeVisitor<ScalarReduceExpertMax, ReducedChannelMax>;

// Elements of a tile. With 3 buffers the nodes take 185856 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 5888;

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
    GM_ADDR D{nullptr}; ///< out: float, M x N
    layout::RowMajor layoutD{};
    GM_ADDR channel_max{nullptr}; ///< out: float, 1 x N
    layout::RowMajor layoutChannelMax{};
    float identityChannelMax{0.0f}; ///< the caller fills channel_max with it
    int64_t strideChannelMax{
        Kernel::PACKED};         ///< elements from the channel_max of one matmul to that of the next; 0: all share it
    GM_ADDR expert_max{nullptr}; ///< out: float, 1 x 1
    layout::RowMajor layoutExpertMax{};
    float identityExpertMax{0.0f}; ///< the caller fills expert_max with it
    int64_t strideExpertMax{
        Kernel::PACKED}; ///< elements from the expert_max of one matmul to that of the next; 0: all share it

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{AccLoad::Arguments{}, AuxStoreD::Arguments{D, layoutD}}, Absolute::Arguments{}},
             RowReduceChannelMax::Arguments{channel_max, layoutChannelMax, identityChannelMax, strideChannelMax}},
            ScalarReduceExpertMax::Arguments{expert_max, layoutExpertMax, identityExpertMax, strideExpertMax}};
    }
};

} // namespace Catlass::Evt::expert_abs_max

#endif // EVTGEN_EXPERT_ABS_MAX_HPP
