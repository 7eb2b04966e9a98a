#ifndef EVTGEN_quant_per_tensor_HPP
#define EVTGEN_quant_per_tensor_HPP

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

// The epilogue quant_per_tensor, of C = A * B:
//
//     Q = int8_t(half(clamp(C * step, low=-128, high=127)))

namespace Catlass::Evt::quant_per_tensor {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

/// Fusion::Clamp with low and high bound.
template <class Element>
struct ClampConstant : Fusion::Clamp<Element> {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        Fusion::Clamp<Element>{}(dst, count, a, static_cast<Element>(-128.0f), static_cast<Element>(127.0f));
    }
};

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using ScalarBroadcastStep = Fusion::VisitorScalarBroadcast<float, layout::RowMajor>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using Clamp = Fusion::VisitorCompute<ClampConstant, float>;
using CastToHalf = Fusion::VisitorCast<half, float, AscendC::RoundMode::CAST_ODD>;
using CastToInt8 = Fusion::VisitorCast<int8_t, half, AscendC::RoundMode::CAST_RINT>;
using AuxStoreQ = Fusion::VisitorAuxStore<int8_t, layout::RowMajor>;

using EVT = Fusion::TreeVisitor<
    AuxStoreQ,
    Fusion::TreeVisitor<
        CastToInt8,
        Fusion::TreeVisitor<
            CastToHalf, Fusion::TreeVisitor<Clamp, Fusion::TreeVisitor<Multiplies, AccLoad, ScalarBroadcastStep>>>>>;

// Each position of the arguments belongs to its node
static_assert(std::is_same_v<
              EVT::Arguments,
              tla::tuple<
                  tla::tuple<
                      tla::tuple<
                          tla::tuple<
                              tla::tuple<AccLoad::Arguments, ScalarBroadcastStep::Arguments, Multiplies::Arguments>,
                              Clamp::Arguments>,
                          CastToHalf::Arguments>,
                      CastToInt8::Arguments>,
                  AuxStoreQ::Arguments>>);

// Elements of one node's buffer: 187264 of 188160 bytes of UB with 2 buffers
constexpr uint32_t COMPUTE_LENGTH = 4928;
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
    GM_ADDR step{nullptr};  ///< in: float, 1 x 1
    layout::RowMajor layoutStep{};
    GM_ADDR Q{nullptr};  ///< out: int8_t, M x N
    layout::RowMajor layoutQ{};

    /// The same as the nest that the graph takes.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{{AccLoad::Arguments{}, ScalarBroadcastStep::Arguments{step, layoutStep}, Multiplies::Arguments{}},
               Clamp::Arguments{}},
              CastToHalf::Arguments{}},
             CastToInt8::Arguments{}},
            AuxStoreQ::Arguments{Q, layoutQ}};
    }
};

}  // namespace Catlass::Evt::quant_per_tensor

#endif  // EVTGEN_quant_per_tensor_HPP
