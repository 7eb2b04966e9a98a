#ifndef EVTGEN_softmax_max_HPP
#define EVTGEN_softmax_max_HPP

#include <type_traits>

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

// The epilogue softmax_max, of C = A * B:
//
//     scores = C * 0.125
//     row_max = max(row_max, max of the columns of C * 0.125)

namespace Catlass::Evt::softmax_max {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

/// Fusion::Muls with scalar bound.
template <class Element>
struct MulsConstant {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        Fusion::Muls<Element>{}(dst, count, a, static_cast<Element>(0.125f));
    }
};

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using Muls = Fusion::VisitorCompute<MulsConstant, float>;
using AuxStoreScores = Fusion::VisitorAuxStore<float, layout::RowMajor>;
using ColReduceRowMax = Fusion::VisitorColReduce<Fusion::Maximum, float, layout::RowMajor>;

using EVT =
    Fusion::TreeVisitor<ColReduceRowMax, Fusion::TreeVisitor<AuxStoreScores, Fusion::TreeVisitor<Muls, AccLoad>>>;

// Each position of the arguments belongs to its node
static_assert(
    std::is_same_v<
        EVT::Arguments, tla::tuple<
                            tla::tuple<tla::tuple<AccLoad::Arguments, Muls::Arguments>, AuxStoreScores::Arguments>,
                            ColReduceRowMax::Arguments>>);

// Elements of one node's buffer: 187840 of 188160 bytes of UB with 2 buffers
constexpr uint32_t COMPUTE_LENGTH = 11392;
static_assert(EVT::UbBytes(COMPUTE_LENGTH) * 2 <= 188160, "AscendC keeps the rest of UB for itself");

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// What the epilogue takes, by name.
struct Arguments {
    GM_ADDR scores{nullptr};  ///< out: float, M x N
    layout::RowMajor layoutScores{};
    GM_ADDR row_max{nullptr};  ///< out: float, M x 1
    layout::RowMajor layoutRowMax{};
    float identityRowMax{-INFINITY};  ///< the caller fills row_max with it

    /// The same as the nest that the graph takes.
    EVT::Arguments ToEvt() const
    {
        return {
            {{AccLoad::Arguments{}, Muls::Arguments{}}, AuxStoreScores::Arguments{scores, layoutScores}},
            ColReduceRowMax::Arguments{row_max, layoutRowMax, identityRowMax}};
    }
};

}  // namespace Catlass::Evt::softmax_max

#endif  // EVTGEN_softmax_max_HPP
