#ifndef EVTGEN_attention_keep_HPP
#define EVTGEN_attention_keep_HPP

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

// The epilogue attention_keep, of C = A * B:
//
//     scores = (keep > 0) ? (C * scale) : -65504

namespace Catlass::Evt::attention_keep {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

/// Fusion::GreaterScalar with scalar bound.
template <class Element>
struct GreaterScalarConstant : Fusion::GreaterScalar<Element> {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Fusion::Mask> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& scratch,
        AscendC::LocalTensor<Element> const& a) const
    {
        Fusion::GreaterScalar<Element>{}(dst, count, scratch, a, static_cast<Element>(0.0f));
    }
};

/// Fusion::WhereScalar with scalar bound.
template <class Element>
struct WhereScalarConstant {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Fusion::Mask> const& a,
        AscendC::LocalTensor<Element> const& b) const
    {
        Fusion::WhereScalar<Element>{}(dst, count, a, b, static_cast<Element>(-65504.0f));
    }
};

// The nodes
using AuxLoadKeep = Fusion::VisitorAuxLoad<half, layout::RowMajor>;
using GreaterScalar = Fusion::VisitorCompute<GreaterScalarConstant, half>;
using AccLoad = Fusion::VisitorAccLoad<float>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, float, 1>;
using WhereScalar = Fusion::VisitorCompute<WhereScalarConstant, float>;
using AuxStoreScores = Fusion::VisitorAuxStore<float, layout::RowMajor>;

using EVT = Fusion::TreeVisitor<
    AuxStoreScores,
    Fusion::TreeVisitor<
        WhereScalar, Fusion::TreeVisitor<GreaterScalar, AuxLoadKeep>, Fusion::TreeVisitor<Muls, AccLoad>>>;

// Each position of the arguments belongs to its node
static_assert(std::is_same_v<
              EVT::Arguments, tla::tuple<
                                  tla::tuple<
                                      tla::tuple<AuxLoadKeep::Arguments, GreaterScalar::Arguments>,
                                      tla::tuple<AccLoad::Arguments, Muls::Arguments>, WhereScalar::Arguments>,
                                  AuxStoreScores::Arguments>>);

// Elements of one node's buffer: 185792 of 188160 bytes of UB with 2 buffers
constexpr uint32_t COMPUTE_LENGTH = 5760;
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
    GM_ADDR keep{nullptr};  ///< in: half, M x N
    layout::RowMajor layoutKeep{};
    float scale{0.125f};      ///< in: a number
    GM_ADDR scores{nullptr};  ///< out: float, M x N
    layout::RowMajor layoutScores{};

    /// The same as the nest that the graph takes.
    EVT::Arguments ToEvt() const
    {
        return {
            {{AuxLoadKeep::Arguments{keep, layoutKeep}, GreaterScalar::Arguments{}},
             {AccLoad::Arguments{}, Muls::Arguments{{scale}}},
             WhereScalar::Arguments{}},
            AuxStoreScores::Arguments{scores, layoutScores}};
    }
};

}  // namespace Catlass::Evt::attention_keep

#endif  // EVTGEN_attention_keep_HPP
