#ifndef EVTGEN_EXPERT_SWIGLU_DEQUANT_QUANT_HPP
#define EVTGEN_EXPERT_SWIGLU_DEQUANT_QUANT_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/operations/activation.hpp"
#include "catlass/epilogue/fusion/operations/arithmetic.hpp"
#include "catlass/epilogue/fusion/topological_visitor.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
#include "catlass/epilogue/fusion/visitor_by_repeats.hpp"
#include "catlass/epilogue/fusion/visitor_cast.hpp"
#include "catlass/epilogue/fusion/visitor_col_broadcast.hpp"
#include "catlass/epilogue/fusion/visitor_compute.hpp"
#include "catlass/epilogue/fusion/visitor_row_broadcast.hpp"
#include "catlass/epilogue/fusion/visitor_scalar_broadcast.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/grouped_matmul_slice_m_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue expert_swiglu_dequant_quant, of gate and up, the left and the right half of A * B:
//
//     multiplies5 = silu((float(gate) * gate_scale) * token) * ((float(up) * up_scale) * token)
//     Q = int8_t(half(multiplies5 * step))

namespace Catlass::Evt::expert_swiglu_dequant_quant {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = int8_t;
using ElementB = int8_t;
using ElementC = int32_t;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using ColBroadcastToken = Fusion::VisitorColBroadcast<float, layout::RowMajor, false, false>;
using ScalarBroadcastStep = Fusion::VisitorScalarBroadcast<float, layout::RowMajor>;
using AccLoad = Fusion::VisitorAccLoad<int32_t>;
using CastCToFloat = Fusion::VisitorCast<float, int32_t>;
using RowBroadcastGateScale = Fusion::VisitorRowBroadcast<float, layout::RowMajor, false, false>;
using Multiplies =
    Fusion::VisitorByRepeats<Fusion::VisitorCompute<Fusion::Multiplies, float>, Fusion::Held::TILE, Fusion::Held::ROW>;
using Multiplies2 = Fusion::VisitorByRepeats<
    Fusion::VisitorCompute<Fusion::Multiplies, float>, Fusion::Held::TILE, Fusion::Held::COLUMN>;
using Silu = Fusion::VisitorCompute<Fusion::Silu, float>;
using AccLoad2 = Fusion::VisitorAccLoad<int32_t, false, 1>;
using CastC2ToFloat = Fusion::VisitorCast<float, int32_t>;
using RowBroadcastUpScale = Fusion::VisitorRowBroadcast<float, layout::RowMajor, false, false>;
using Multiplies3 =
    Fusion::VisitorByRepeats<Fusion::VisitorCompute<Fusion::Multiplies, float>, Fusion::Held::TILE, Fusion::Held::ROW>;
using Multiplies4 = Fusion::VisitorByRepeats<
    Fusion::VisitorCompute<Fusion::Multiplies, float>, Fusion::Held::TILE, Fusion::Held::COLUMN>;
using Multiplies5 = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using Multiplies6 = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using CastMultipliesToHalf = Fusion::VisitorCast<half, float, AscendC::RoundMode::CAST_ODD>;
using CastMultipliesToInt8 = Fusion::VisitorCast<int8_t, half>;
using AuxStoreQ = Fusion::VisitorAuxStore<int8_t, layout::RowMajor>;

// The graph
using CAsFloat = Fusion::TreeVisitor<CastCToFloat, AccLoad>;
using CTimesGateScale = Fusion::TreeVisitor<Multiplies, CAsFloat, RowBroadcastGateScale>;
using C2AsFloat = Fusion::TreeVisitor<CastC2ToFloat, AccLoad2>;
using C2TimesUpScale = Fusion::TreeVisitor<Multiplies3, C2AsFloat, RowBroadcastUpScale>;
using Edges = tla::tuple<
    tla::seq<>,     // 0: ColBroadcastToken
    tla::seq<>,     // 1: ScalarBroadcastStep
    tla::seq<>,     // 2: CTimesGateScale
    tla::seq<2, 0>, // 3: Multiplies2(CTimesGateScale, ColBroadcastToken)
    tla::seq<3>,    // 4: Silu(Multiplies2)
    tla::seq<>,     // 5: C2TimesUpScale
    tla::seq<5, 0>, // 6: Multiplies4(C2TimesUpScale, ColBroadcastToken)
    tla::seq<4, 6>, // 7: Multiplies5(Silu, Multiplies4)
    tla::seq<7, 1>, // 8: Multiplies6(Multiplies5, ScalarBroadcastStep)
    tla::seq<8>,    // 9: CastMultipliesToHalf(Multiplies6)
    tla::seq<9>,    // 10: CastMultipliesToInt8(CastMultipliesToHalf)
    tla::seq<10>    // 11: AuxStoreQ(CastMultipliesToInt8)
    >;

// Elements of a tile. With 2 buffers the nodes take 186368 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 3456;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 93184;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {1024}},                          // ColBroadcastToken
        {1, false, {1280}, {13824}},                      // ScalarBroadcastStep
        {2, false, {15104}, {13824}},                     // AccLoad
        {4, false, {28928}, {8192}},                      // RowBroadcastGateScale
        {8, false, {43264}, {13824}},                     // AccLoad2
        {10, false, {57088}, {8192}},                     // RowBroadcastUpScale
        {3, false, {65536}, {13824}},                     // CastCToFloat
        {9, false, {79360}, {13824}},                     // CastC2ToFloat
        {5, true, {15104}, {13824}},                      // Multiplies
        {11, false, {43264}, {13824}},                    // Multiplies3
        {6, true, {15104, 0, 65536}, {13824, 0, 8192}},   // Multiplies2
        {12, false, {43264, 0, 79360}, {13824, 0, 8192}}, // Multiplies4
        {7, false, {65536, 0, 28928}, {13824, 0, 14080}}, // Silu
        {13, true, {65536}, {13824}},                     // Multiplies5
        {14, true, {65536}, {13824}},                     // Multiplies6
        {15, true, {57088}, {6912}},                      // CastMultipliesToHalf
        {16, true, {79360}, {3456}},                      // CastMultipliesToInt8
        {17, false, {}, {}}                               // AuxStoreQ
    };
};

using EVT = Fusion::Planned<
    Plan, Fusion::TopologicalVisitor<
              Edges, ColBroadcastToken, ScalarBroadcastStep, CTimesGateScale, Multiplies2, Silu, C2TimesUpScale,
              Multiplies4, Multiplies5, Multiplies6, CastMultipliesToHalf, CastMultipliesToInt8, AuxStoreQ>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<false>, Catlass::GemmShape<128, 256, 512>, Catlass::GemmShape<128, 256, 128>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

// Launched with ptrB2 = ptrB: B has 2 * N columns
using Kernel = Gemm::Kernel::GroupedMatmulSliceMVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR token{nullptr}; ///< in: float, M x 1
    layout::RowMajor layoutToken{};
    GM_ADDR step{nullptr}; ///< in: float, 1 x 1
    layout::RowMajor layoutStep{};
    int64_t strideStep{Kernel::PACKED}; ///< elements from the step of one matmul to that of the next; 0: all share it
    GM_ADDR gate_scale{nullptr};        ///< in: float, 1 x N
    layout::RowMajor layoutGateScale{};
    int64_t strideGateScale{
        Kernel::PACKED};       ///< elements from the gate_scale of one matmul to that of the next; 0: all share it
    GM_ADDR up_scale{nullptr}; ///< in: float, 1 x N
    layout::RowMajor layoutUpScale{};
    int64_t strideUpScale{
        Kernel::PACKED}; ///< elements from the up_scale of one matmul to that of the next; 0: all share it
    GM_ADDR Q{nullptr};  ///< out: int8_t, M x N
    layout::RowMajor layoutQ{};

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE EVT::Arguments ToEvt() const
    {
        return {
            ColBroadcastToken::Arguments{token, layoutToken},
            ScalarBroadcastStep::Arguments{step, layoutStep, {}, strideStep},
            {{AccLoad::Arguments{}, CastCToFloat::Arguments{}},
             RowBroadcastGateScale::Arguments{gate_scale, layoutGateScale, {}, strideGateScale},
             Multiplies::Arguments{}},
            Multiplies2::Arguments{},
            Silu::Arguments{},
            {{AccLoad2::Arguments{}, CastC2ToFloat::Arguments{}},
             RowBroadcastUpScale::Arguments{up_scale, layoutUpScale, {}, strideUpScale},
             Multiplies3::Arguments{}},
            Multiplies4::Arguments{},
            Multiplies5::Arguments{},
            Multiplies6::Arguments{},
            CastMultipliesToHalf::Arguments{},
            CastMultipliesToInt8::Arguments{},
            AuxStoreQ::Arguments{Q, layoutQ}};
    }
};

} // namespace Catlass::Evt::expert_swiglu_dequant_quant

#endif // EVTGEN_EXPERT_SWIGLU_DEQUANT_QUANT_HPP
