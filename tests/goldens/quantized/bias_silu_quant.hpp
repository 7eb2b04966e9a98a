#ifndef EVTGEN_bias_silu_quant_HPP
#define EVTGEN_bias_silu_quant_HPP

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

// The epilogue bias_silu_quant, of C = A * B:
//
//     Q = int8_t(half(clamp(silu(C + float(bias)) * step, low=-128, high=127)))

namespace Catlass::Evt::bias_silu_quant {

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
using RowBroadcastBias = Fusion::VisitorRowBroadcast<half, layout::RowMajor>;
using CastToFloat32 = Fusion::VisitorCast<float, half>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using Silu = Fusion::VisitorCompute<Fusion::Silu, float>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, float, 1>;
using Clamp = Fusion::VisitorCompute<ClampConstant, float>;
using CastToHalf = Fusion::VisitorCast<half, float, AscendC::RoundMode::CAST_ODD>;
using CastToInt8 = Fusion::VisitorCast<int8_t, half, AscendC::RoundMode::CAST_RINT>;
using AuxStoreQ = Fusion::VisitorAuxStore<int8_t, layout::RowMajor>;

using EVT = Fusion::TreeVisitor<
    AuxStoreQ,
    Fusion::TreeVisitor<
        CastToInt8,
        Fusion::TreeVisitor<
            CastToHalf, Fusion::TreeVisitor<
                            Clamp, Fusion::TreeVisitor<
                                       Muls, Fusion::TreeVisitor<
                                                 Silu, Fusion::TreeVisitor<
                                                           Plus, AccLoad,
                                                           Fusion::TreeVisitor<CastToFloat32, RowBroadcastBias>>>>>>>>;

// Each position of the arguments belongs to its node
static_assert(
    std::is_same_v<
        EVT::Arguments,
        tla::tuple<
            tla::tuple<
                tla::tuple<
                    tla::tuple<
                        tla::tuple<
                            tla::tuple<
                                tla::tuple<
                                    AccLoad::Arguments,
                                    tla::tuple<RowBroadcastBias::Arguments, CastToFloat32::Arguments>, Plus::Arguments>,
                                Silu::Arguments>,
                            Muls::Arguments>,
                        Clamp::Arguments>,
                    CastToHalf::Arguments>,
                CastToInt8::Arguments>,
            AuxStoreQ::Arguments>>);

// Elements of one node's buffer: 187968 of 188160 bytes of UB with 2 buffers
constexpr uint32_t COMPUTE_LENGTH = 2848;
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
    GM_ADDR bias{nullptr};  ///< in: half, 1 x N
    layout::RowMajor layoutBias{};
    float step{};        ///< in: a number
    GM_ADDR Q{nullptr};  ///< out: int8_t, M x N
    layout::RowMajor layoutQ{};

    /// The same as the nest that the graph takes.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{{{{AccLoad::Arguments{},
                  {RowBroadcastBias::Arguments{bias, layoutBias}, CastToFloat32::Arguments{}},
                  Plus::Arguments{}},
                 Silu::Arguments{}},
                Muls::Arguments{{step}}},
               Clamp::Arguments{}},
              CastToHalf::Arguments{}},
             CastToInt8::Arguments{}},
            AuxStoreQ::Arguments{Q, layoutQ}};
    }
};

}  // namespace Catlass::Evt::bias_silu_quant

#endif  // EVTGEN_bias_silu_quant_HPP
