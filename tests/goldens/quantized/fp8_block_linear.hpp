#ifndef EVTGEN_FP8_BLOCK_LINEAR_HPP
#define EVTGEN_FP8_BLOCK_LINEAR_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/operations/arithmetic.hpp"
#include "catlass/epilogue/fusion/topological_visitor.hpp"
#include "catlass/epilogue/fusion/tree_visitor.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_load.hpp"
#include "catlass/epilogue/fusion/visitor_aux_store.hpp"
#include "catlass/epilogue/fusion/visitor_block_broadcast.hpp"
#include "catlass/epilogue/fusion/visitor_cast.hpp"
#include "catlass/epilogue/fusion/visitor_compute.hpp"
#include "catlass/epilogue/fusion/visitor_decode_float8.hpp"
#include "catlass/epilogue/fusion/widened.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue fp8_block_linear, of C = A * (B * b_scale[k / 128, n / 128]):
//
//     D = bfloat16_t(C)

namespace Catlass::Evt::fp8_block_linear {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = bfloat16_t;
using ElementB = int8_t;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::ColumnMajor;
using LayoutC = layout::RowMajor;

// First the AIVs widen B, by its columns

namespace widening {

// The nodes
using AuxLoadB = Fusion::VisitorAuxLoad<int8_t, layout::RowMajor>;
using CastBToHalf = Fusion::VisitorCast<half, int8_t>;
using CastBToInt16 = Fusion::VisitorCast<int16_t, half, AscendC::RoundMode::CAST_RINT>;
using DecodedB = Fusion::VisitorDecodeFloat8<4>;
using CastBToFloat = Fusion::VisitorCast<float, half>;
using BlockBroadcastBScale = Fusion::VisitorBlockBroadcast<float, layout::ColumnMajor, 128, 128>;
using Multiplies = Fusion::VisitorCompute<Fusion::Multiplies, float>;
using CastMultipliesToBfloat16 = Fusion::VisitorCast<bfloat16_t, float, AscendC::RoundMode::CAST_RINT>;
using AuxStoreWidenedB = Fusion::VisitorAuxStore<bfloat16_t, layout::RowMajor>;

// The graph
using Edges = tla::tuple<
    tla::seq<>,     // 0: AuxLoadB
    tla::seq<0>,    // 1: CastBToHalf(AuxLoadB)
    tla::seq<1>,    // 2: CastBToInt16(CastBToHalf)
    tla::seq<2>,    // 3: DecodedB(CastBToInt16)
    tla::seq<3>,    // 4: CastBToFloat(DecodedB)
    tla::seq<>,     // 5: BlockBroadcastBScale
    tla::seq<4, 5>, // 6: Multiplies(CastBToFloat, BlockBroadcastBScale)
    tla::seq<6>,    // 7: CastMultipliesToBfloat16(Multiplies)
    tla::seq<7>     // 8: AuxStoreWidenedB(CastMultipliesToBfloat16)
    >;

// Elements of a tile. With 2 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 9344;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 93696;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {9344}},                     // AuxLoadB
        {1, false, {37632}, {18688}},                // CastBToHalf
        {2, true, {0}, {18688}},                     // CastBToInt16
        {3, true, {0, 0, 37632}, {18688, 0, 19200}}, // DecodedB
        {4, true, {37632}, {37376}},                 // CastBToFloat
        {5, true, {0}, {37376}},                     // BlockBroadcastBScale
        {6, true, {37632}, {37376}},                 // Multiplies
        {7, true, {75008}, {18688}},                 // CastMultipliesToBfloat16
        {8, false, {}, {}}                           // AuxStoreWidenedB
    };
};

using EVT = Fusion::Planned<
    Plan, Fusion::TopologicalVisitor<
              Edges, AuxLoadB, CastBToHalf, CastBToInt16, DecodedB, CastBToFloat, BlockBroadcastBScale, Multiplies,
              CastMultipliesToBfloat16, AuxStoreWidenedB>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace widening

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using CastCToBfloat16 = Fusion::VisitorCast<bfloat16_t, float, AscendC::RoundMode::CAST_RINT>;
using AuxStoreD = Fusion::VisitorAuxStore<bfloat16_t, layout::RowMajor>;

// The graph
using CAsBfloat16 = Fusion::TreeVisitor<CastCToBfloat16, AccLoad>;

// Elements of a tile. With 3 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 10368;

// The plan of a tile, visit by visit: the node's number, whether V waits before it, where its tile and what it has
// loaded, as scratch and to store begin in a buffer of UB, and the bytes of each
struct Plan {
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = 62464;
    static constexpr Fusion::PlannedVisit VISITS[] = {
        {0, false, {0}, {41472}},     // AccLoad
        {1, false, {41728}, {20736}}, // CastCToBfloat16
        {2, false, {}, {}}            // AuxStoreD
    };
};

using EVT = Fusion::Planned<Plan, Fusion::TreeVisitor<AuxStoreD, CAsBfloat16>>;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::AtlasA2, 3>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementA, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using WidenedEpilogue = Fusion::Widened<widening::BlockEpilogue, BlockEpilogue>;

// Its vector cores wait for each other: launch it in batch mode, on no more cores than the device has
using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, WidenedEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR b_scale{nullptr}; ///< in: float, ((K + 127) / 128) x ((N + 127) / 128)
    layout::RowMajor layoutBScale{};
    GM_ADDR D{nullptr}; ///< out: bfloat16_t, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    CATLASS_HOST_DEVICE WidenedEpilogue::EVT::Arguments ToEvt() const
    {
        return {
            {widening::AuxLoadB::Arguments{}, widening::CastBToHalf::Arguments{}, widening::CastBToInt16::Arguments{},
             widening::DecodedB::Arguments{}, widening::CastBToFloat::Arguments{},
             widening::BlockBroadcastBScale::Arguments{
                 b_scale, {layoutBScale.shape(1), layoutBScale.shape(0), layoutBScale.stride(0)}},
             widening::Multiplies::Arguments{}, widening::CastMultipliesToBfloat16::Arguments{},
             widening::AuxStoreWidenedB::Arguments{}},
            {{AccLoad::Arguments{}, CastCToBfloat16::Arguments{}}, AuxStoreD::Arguments{D, layoutD}}};
    }
};

} // namespace Catlass::Evt::fp8_block_linear

#endif // EVTGEN_FP8_BLOCK_LINEAR_HPP
