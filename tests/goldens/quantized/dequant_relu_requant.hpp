#ifndef EVTGEN_dequant_relu_requant_HPP
#define EVTGEN_dequant_relu_requant_HPP

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

// The epilogue dequant_relu_requant, of C = A * B:
//
//     Q = int8_t(half(fmin((fmax((float(C) * channel), 0) * step), 127)))

namespace Catlass::Evt::dequant_relu_requant {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = int8_t;
using ElementB = int8_t;
using ElementC = int32_t;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

/// Fusion::Mins with scalar bound.
template <class Element>
struct MinsConstant {
    CATLASS_DEVICE void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t count, AscendC::LocalTensor<Element> const& a) const
    {
        Fusion::Mins<Element>{}(dst, count, a, static_cast<Element>(127.0f));
    }
};

// The nodes
using AccLoad = Fusion::VisitorAccLoad<int32_t>;
using CastToFloat32 = Fusion::VisitorCast<float, int32_t>;
using RowBroadcastChannel = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using Relu = Fusion::VisitorCompute<Fusion::Relu, float>;
using ScalarBroadcastStep = Fusion::VisitorScalarBroadcast<float, layout::RowMajor>;
using Multiplies2 = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using Mins = Fusion::VisitorCompute<MinsConstant, float>;
using CastToHalf = Fusion::VisitorCast<half, float, AscendC::RoundMode::CAST_ODD>;
using CastToInt8 = Fusion::VisitorCast<int8_t, half, AscendC::RoundMode::CAST_RINT>;
using AuxStoreQ = Fusion::VisitorAuxStore<int8_t, layout::RowMajor>;

using EVT = Fusion::TreeVisitor<
    AuxStoreQ,
    Fusion::TreeVisitor<
        CastToInt8,
        Fusion::TreeVisitor<
            CastToHalf,
            Fusion::TreeVisitor<
                Mins, Fusion::TreeVisitor<
                          Multiplies2,
                          Fusion::TreeVisitor<
                              Relu, Fusion::TreeVisitor<
                                        Multiplies, Fusion::TreeVisitor<CastToFloat32, AccLoad>, RowBroadcastChannel>>,
                          ScalarBroadcastStep>>>>>;

// Each position of the arguments belongs to its node
static_assert(std::is_same_v<
              EVT::Arguments, tla::tuple<
                                  tla::tuple<
                                      tla::tuple<
                                          tla::tuple<
                                              tla::tuple<
                                                  tla::tuple<
                                                      tla::tuple<
                                                          tla::tuple<AccLoad::Arguments, CastToFloat32::Arguments>,
                                                          RowBroadcastChannel::Arguments, Multiplies::Arguments>,
                                                      Relu::Arguments>,
                                                  ScalarBroadcastStep::Arguments, Multiplies2::Arguments>,
                                              Mins::Arguments>,
                                          CastToHalf::Arguments>,
                                      CastToInt8::Arguments>,
                                  AuxStoreQ::Arguments>>);

// Elements of one node's buffer: 188160 of 188160 bytes of UB with 2 buffers
constexpr uint32_t COMPUTE_LENGTH = 2688;
static_assert(EVT::UbBytes(COMPUTE_LENGTH) * 2 <= 188160, "AscendC keeps the rest of UB for itself");

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<false>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// What the epilogue takes, by name.
struct Arguments {
    GM_ADDR channel{nullptr};  ///< in: float, 1 x N
    layout::RowMajor layoutChannel{};
    GM_ADDR step{nullptr};  ///< in: float, 1 x 1
    layout::RowMajor layoutStep{};
    GM_ADDR Q{nullptr};  ///< out: int8_t, M x N
    layout::RowMajor layoutQ{};

    /// The same as the nest that the graph takes.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{{{{{AccLoad::Arguments{}, CastToFloat32::Arguments{}},
                  RowBroadcastChannel::Arguments{channel, layoutChannel},
                  Multiplies::Arguments{}},
                 Relu::Arguments{}},
                ScalarBroadcastStep::Arguments{step, layoutStep},
                Multiplies2::Arguments{}},
               Mins::Arguments{}},
              CastToHalf::Arguments{}},
             CastToInt8::Arguments{}},
            AuxStoreQ::Arguments{Q, layoutQ}};
    }
};

}  // namespace Catlass::Evt::dequant_relu_requant

#endif  // EVTGEN_dequant_relu_requant_HPP
