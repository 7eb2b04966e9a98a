#ifndef EVTGEN_dropout_HPP
#define EVTGEN_dropout_HPP

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

// The epilogue dropout, of C = A * B:
//
//     D = (random >= rate) ? (C * scale) : 0

namespace Catlass::Evt::dropout {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = half;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

/// Fusion::WhereScalar with scalar bound.
template <class Element>
struct WhereScalarConstant {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Fusion::Mask> const& a,
        AscendC::LocalTensor<Element> const& b) const
    {
        Fusion::WhereScalar<Element>{}(dst, count, a, b, static_cast<Element>(0.0f));
    }
};

// The nodes
using AuxLoadRandom = Fusion::VisitorAuxLoad<half, layout::RowMajor>;
using GreaterEqualScalar = Fusion::VisitorCompute<Fusion::GreaterEqualScalar, half, 1>;
using AccLoad = Fusion::VisitorAccLoad<half>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, half, 1>;
using WhereScalar = Fusion::VisitorCompute<WhereScalarConstant, half>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

using EVT = Fusion::TreeVisitor<
    AuxStoreD,
    Fusion::TreeVisitor<
        WhereScalar, Fusion::TreeVisitor<GreaterEqualScalar, AuxLoadRandom>, Fusion::TreeVisitor<Muls, AccLoad>>>;

// Each position of the arguments belongs to its node
static_assert(std::is_same_v<
              EVT::Arguments, tla::tuple<
                                  tla::tuple<
                                      tla::tuple<AuxLoadRandom::Arguments, GreaterEqualScalar::Arguments>,
                                      tla::tuple<AccLoad::Arguments, Muls::Arguments>, WhereScalar::Arguments>,
                                  AuxStoreD::Arguments>>);

// Elements of one node's buffer: 186624 of 188160 bytes of UB with 2 buffers
constexpr uint32_t COMPUTE_LENGTH = 9216;
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
    GM_ADDR random{nullptr};  ///< in: half, M x N
    layout::RowMajor layoutRandom{};
    float rate{};        ///< in: a number
    float scale{};       ///< in: a number
    GM_ADDR D{nullptr};  ///< out: half, M x N
    layout::RowMajor layoutD{};

    /// The same as the nest that the graph takes.
    EVT::Arguments ToEvt() const
    {
        return {
            {{AuxLoadRandom::Arguments{random, layoutRandom}, GreaterEqualScalar::Arguments{{rate}}},
             {AccLoad::Arguments{}, Muls::Arguments{{scale}}},
             WhereScalar::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

}  // namespace Catlass::Evt::dropout

#endif  // EVTGEN_dropout_HPP
