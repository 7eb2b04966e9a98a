#ifndef EVTGEN_MOVING_AVERAGE_HPP
#define EVTGEN_MOVING_AVERAGE_HPP

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

// The epilogue moving_average, of C = A * B:
//
//     updated = lerp(average, C, weight=0.01)

namespace Catlass::Evt::moving_average {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

namespace operations {

/// dst = lerp(a, b, weight)
template <class Element>
struct Lerp {
    static constexpr uint32_t SCRATCH_TILES = 1;
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t IN_PLACE = 0b11;

    Element weight;

    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a,
        AscendC::LocalTensor<Element> const& b, AscendC::LocalTensor<Element> const& tmp) const
    {
        AscendC::Sub(tmp, b, a, count);
        Fusion::BarrierV();
        AscendC::Muls(tmp, tmp, weight, count);
        Fusion::BarrierV();
        AscendC::Add(dst, a, tmp, count);
    }
};

} // namespace operations

// The nodes
using AuxLoadAverage = Fusion::VisitorAuxLoad<float, layout::RowMajor>;
using AccLoad = Fusion::VisitorAccLoad<float>;
using Lerp = Fusion::VisitorCompute<operations::Lerp, float, float>;
using AuxStoreUpdated = Fusion::VisitorAuxStore<float, layout::RowMajor>;

// The graph
using LerpOfAverageAndC = Fusion::TreeVisitor<Lerp, AuxLoadAverage, AccLoad>;
using EVT = Fusion::TreeVisitor<AuxStoreUpdated, LerpOfAverageAndC>;

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
    GM_ADDR average{nullptr}; ///< in: float, M x N
    layout::RowMajor layoutAverage{};
    GM_ADDR updated{nullptr}; ///< out: float, M x N
    layout::RowMajor layoutUpdated{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {AuxLoadAverage::Arguments{average, layoutAverage}, AccLoad::Arguments{}, Lerp::Arguments{{0.01f}}},
            AuxStoreUpdated::Arguments{updated, layoutUpdated}};
    }
};

} // namespace Catlass::Evt::moving_average

#endif // EVTGEN_MOVING_AVERAGE_HPP
