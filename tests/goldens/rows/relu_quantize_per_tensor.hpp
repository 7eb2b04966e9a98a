#ifndef EVTGEN_RELU_QUANTIZE_PER_TENSOR_HPP
#define EVTGEN_RELU_QUANTIZE_PER_TENSOR_HPP

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

// The epilogue relu_quantize_per_tensor, of C = A * B:
//
//     castAddReluToFloat = float(fmax(C + bias, 0))
//     muls = max(fabs(castAddReluToFloat) over elements) * 0.007874016
//     scale = first value of fmax(muls, 7.523164e-37)
//     D = int8_t(half(castAddReluToFloat / fmax(muls, 7.523164e-37)))

namespace Catlass::Evt::relu_quantize_per_tensor {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = half;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// Phase 1:
//
//     MaxOfAbsolute = max of the elements of fabs(float(fmax(C + bias, 0)))

namespace phase1 {

// The nodes
using AccLoad = Fusion::VisitorAccLoad<half>;
using RowBroadcastBias = Fusion::VisitorRowBroadcast<half, layout::RowMajor>;
using AddRelu = Fusion::VisitorCompute<Fusion::AddRelu, half>;
using CastAddReluToFloat = Fusion::VisitorCast<float, half>;
using Absolute = Fusion::VisitorCompute<Fusion::Absolute, float>;
using ScalarReduceMaxOfAbsolute =
    Fusion::VisitorInWorkspace<0, Fusion::VisitorScalarReduce<Fusion::Maximum, float, layout::RowMajor>>;

// The graph
using AddReluOfCAndBias = Fusion::TreeVisitor<AddRelu, AccLoad, RowBroadcastBias>;
using AddReluOfCAndBiasAsFloat = Fusion::TreeVisitor<CastAddReluToFloat, AddReluOfCAndBias>;
using AbsoluteOfAddReluOfCAndBias = Fusion::TreeVisitor<Absolute, AddReluOfCAndBiasAsFloat>;
using EVT = Fusion::TreeVisitor<ScalarReduceMaxOfAbsolute, AbsoluteOfAddReluOfCAndBias>;

// Elements of a tile. With 2 buffers the nodes take 186368 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 15488;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace phase1

// Phase 2:
//
//     scale = first value of fmax((MaxOfAbsolute * 0.007874016), 7.523164e-37)
//     D = int8_t(half(float(fmax(C + bias, 0)) / fmax((MaxOfAbsolute * 0.007874016), 7.523164e-37)))

namespace phase2 {

// The nodes
using AccLoad = Fusion::VisitorAccLoad<half>;
using RowBroadcastBias = Fusion::VisitorRowBroadcast<half, layout::RowMajor>;
using AddRelu = Fusion::VisitorCompute<Fusion::AddRelu, half>;
using CastAddReluToFloat = Fusion::VisitorCast<float, half>;
using ScalarBroadcastMaxOfAbsolute =
    Fusion::VisitorInWorkspace<0, Fusion::VisitorScalarBroadcast<float, layout::RowMajor>>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, float, float>;
using Maxs = Fusion::VisitorCompute<Fusion::Maxs, float, float>;
using ScalarStoreScale = Fusion::VisitorScalarStore<float, layout::RowMajor>;
using Divides = Fusion::VisitorCompute<Fusion::Divides, float>;
using CastDividesToHalf = Fusion::VisitorCast<half, float, AscendC::RoundMode::CAST_ODD>;
using CastDividesToInt8 = Fusion::VisitorCast<int8_t, half>;
using AuxStoreD = Fusion::VisitorAuxStore<int8_t, layout::RowMajor>;

// The graph
using AddReluOfCAndBias = Fusion::TreeVisitor<AddRelu, AccLoad, RowBroadcastBias>;
using AddReluOfCAndBiasAsFloat = Fusion::TreeVisitor<CastAddReluToFloat, AddReluOfCAndBias>;
using MulsOfMaxOfAbsolute = Fusion::TreeVisitor<Muls, ScalarBroadcastMaxOfAbsolute>;
using MaxsOfMulsOfMaxOfAbsolute = Fusion::TreeVisitor<Maxs, MulsOfMaxOfAbsolute>;
using StoredScale = Fusion::TreeVisitor<ScalarStoreScale, MaxsOfMulsOfMaxOfAbsolute>;
using DividesValue = Fusion::TreeVisitor<Divides, AddReluOfCAndBiasAsFloat, StoredScale>;
using DividesAsHalf = Fusion::TreeVisitor<CastDividesToHalf, DividesValue>;
using DividesAsInt8 = Fusion::TreeVisitor<CastDividesToInt8, DividesAsHalf>;
using EVT = Fusion::TreeVisitor<AuxStoreD, DividesAsInt8>;

// Elements of a tile. With 2 buffers the nodes take 185344 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 5760;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

} // namespace phase2

using BlockEpilogue = Fusion::Phases<phase1::BlockEpilogue, phase2::BlockEpilogue>;
using EVT = BlockEpilogue::EVT;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

// The workspace has the whole of C
constexpr uint32_t WORKSPACE_STAGES = 0;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler, WORKSPACE_STAGES>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR bias{nullptr}; ///< in: half, 1 x N
    layout::RowMajor layoutBias{};
    GM_ADDR scale{nullptr}; ///< out: float, 1 x 1
    layout::RowMajor layoutScale{};
    GM_ADDR D{nullptr}; ///< out: int8_t, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{{phase1::AccLoad::Arguments{}, phase1::RowBroadcastBias::Arguments{bias, layoutBias},
                phase1::AddRelu::Arguments{}},
               phase1::CastAddReluToFloat::Arguments{}},
              phase1::Absolute::Arguments{}},
             phase1::ScalarReduceMaxOfAbsolute::Arguments{}},
            {{{{{{phase2::AccLoad::Arguments{}, phase2::RowBroadcastBias::Arguments{bias, layoutBias},
                  phase2::AddRelu::Arguments{}},
                 phase2::CastAddReluToFloat::Arguments{}},
                {{{phase2::ScalarBroadcastMaxOfAbsolute::Arguments{}, phase2::Muls::Arguments{{0.007874016f}}},
                  phase2::Maxs::Arguments{{7.523164e-37f}}},
                 phase2::ScalarStoreScale::Arguments{scale, layoutScale}},
                phase2::Divides::Arguments{}},
               phase2::CastDividesToHalf::Arguments{}},
              phase2::CastDividesToInt8::Arguments{}},
             phase2::AuxStoreD::Arguments{D, layoutD}}};
    }
};

} // namespace Catlass::Evt::relu_quantize_per_tensor

#endif // EVTGEN_RELU_QUANTIZE_PER_TENSOR_HPP
