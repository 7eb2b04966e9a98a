#ifndef EVTGEN_DEQUANT_RELU_REQUANT_HPP
#define EVTGEN_DEQUANT_RELU_REQUANT_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/operations/activation.hpp"
#include "catlass/epilogue/fusion/operations/arithmetic.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
#include "catlass/epilogue/fusion/visitor_cast.hpp"
#include "catlass/epilogue/fusion/visitor_compute.hpp"
#include "catlass/epilogue/fusion/visitor_row_broadcast.hpp"
#include "catlass/epilogue/fusion/visitor_scalar_broadcast.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue dequant_relu_requant, of C = A * B:
//
//     Q = int8_t(half(fmax((float(C) * channel), 0) * step))

namespace Catlass::Evt::dequant_relu_requant {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = int8_t;
using ElementB = int8_t;
using ElementC = int32_t;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<int32_t>;
using CastCToFloat = Fusion::VisitorCast<float, int32_t>;
using RowBroadcastChannel = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using Relu = Fusion::VisitorCompute<Fusion::Relu, float>;
using ScalarBroadcastStep = Fusion::VisitorScalarBroadcast<float, layout::RowMajor>;
using Multiplies2 = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using CastMultipliesToHalf = Fusion::VisitorCast<half, float, AscendC::RoundMode::CAST_ODD>;
using CastMultipliesToInt8 = Fusion::VisitorCast<int8_t, half>;
using AuxStoreQ = Fusion::VisitorAuxStore<int8_t, layout::RowMajor>;

// The graph
using CAsFloat = Fusion::TreeVisitor<CastCToFloat, AccLoad>;
using CTimesChannel = Fusion::TreeVisitor<Multiplies, CAsFloat, RowBroadcastChannel>;
using ReluOfCTimesChannel = Fusion::TreeVisitor<Relu, CTimesChannel>;
using ReluOfCTimesChannelTimesStep = Fusion::TreeVisitor<Multiplies2, ReluOfCTimesChannel, ScalarBroadcastStep>;
using ReluOfCTimesChannelTimesStepAsHalf = Fusion::TreeVisitor<CastMultipliesToHalf, ReluOfCTimesChannelTimesStep>;
using ReluOfCTimesChannelTimesStepAsInt8 =
    Fusion::TreeVisitor<CastMultipliesToInt8, ReluOfCTimesChannelTimesStepAsHalf>;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 5824;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 93696;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {23296}},     // AccLoad
        {5, false, {46848}, {23296}}, // ScalarBroadcastStep
        {1, false, {70144}, {23296}}, // CastCToFloat
        {2, false, {23296}, {23296}}, // RowBroadcastChannel
        {3, true, {70144}, {23296}},  // Multiplies
        {4, true, {70144}, {23296}},  // Relu
        {6, true, {70144}, {23296}},  // Multiplies2
        {7, true, {0}, {11648}},      // CastMultipliesToHalf
        {8, true, {70144}, {5824}},   // CastMultipliesToInt8
        {9, false, {}, {}}            // AuxStoreQ
    };
};

using EVT = Fusion::Planned<Plan, Fusion::TreeVisitor<AuxStoreQ, ReluOfCTimesChannelTimesStepAsInt8>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<false>, Catlass::GemmShape<128, 256, 512>, Catlass::GemmShape<128, 256, 128>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR channel{nullptr}; ///< in: float, 1 x N
    layout::RowMajor layoutChannel{};
    GM_ADDR step{nullptr}; ///< in: float, 1 x 1
    layout::RowMajor layoutStep{};
    GM_ADDR Q{nullptr}; ///< out: int8_t, M x N
    layout::RowMajor layoutQ{};

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE EVT::Arguments ToEvt() const
    {
        return {
            {{{{{{AccLoad::Arguments{}, CastCToFloat::Arguments{}},
                 RowBroadcastChannel::Arguments{channel, layoutChannel},
                 Multiplies::Arguments{}},
                Relu::Arguments{}},
               ScalarBroadcastStep::Arguments{step, layoutStep},
               Multiplies2::Arguments{}},
              CastMultipliesToHalf::Arguments{}},
             CastMultipliesToInt8::Arguments{}},
            AuxStoreQ::Arguments{Q, layoutQ}};
    }
};

} // namespace Catlass::Evt::dequant_relu_requant

#endif // EVTGEN_DEQUANT_RELU_REQUANT_HPP
