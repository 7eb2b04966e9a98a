#ifndef EVTGEN_BADDBMM_HPP
#define EVTGEN_BADDBMM_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/fusion.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/batched_matmul_visitor.hpp"
#include "catlass/layout/layout.hpp"

// The epilogue baddbmm, of C = A * B:
//
//     D = half((float(input) * beta) + (C * alpha))

namespace Catlass::Evt::baddbmm {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AuxLoadInput = Fusion::VisitorAuxLoad<half, layout::RowMajor>;
using CastInputToFloat = Fusion::VisitorCast<float, half>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, float, float>;
using AccLoad = Fusion::VisitorAccLoad<float>;
using Muls2 = Fusion::VisitorCompute<Fusion::Muls, float, float>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using CastPlusToHalf = Fusion::VisitorCast<half, float>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

// The graph
using InputAsFloat = Fusion::TreeVisitor<CastInputToFloat, AuxLoadInput>;
using MulsOfInput = Fusion::TreeVisitor<Muls, InputAsFloat>;
using MulsOfC = Fusion::TreeVisitor<Muls2, AccLoad>;
using MulsOfInputPlusMulsOfC = Fusion::TreeVisitor<Plus, MulsOfInput, MulsOfC>;
using MulsOfInputPlusMulsOfCAsHalf = Fusion::TreeVisitor<CastPlusToHalf, MulsOfInputPlusMulsOfC>;
using EVT = Fusion::TreeVisitor<AuxStoreD, MulsOfInputPlusMulsOfCAsHalf>;

// Elements of a tile. With 3 buffers the nodes take 187392 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 5184;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueVisitorMultiStage<Arch::AtlasA2, 3>, Gemm::GemmType<ElementC, LayoutC>,
    tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::BatchedMatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR input{nullptr}; ///< in: half, M x N
    layout::RowMajor layoutInput{};
    int64_t strideInput{Kernel::PACKED}; ///< elements from the input of one matmul to that of the next; 0: all share it
    float beta{1.0f};                    ///< in: a number
    float alpha{1.0f};                   ///< in: a number
    GM_ADDR D{nullptr};                  ///< out: half, M x N
    layout::RowMajor layoutD{};
    int64_t strideD{Kernel::PACKED}; ///< elements from the D of one matmul to that of the next

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{{AuxLoadInput::Arguments{input, layoutInput, {}, strideInput}, CastInputToFloat::Arguments{}},
               Muls::Arguments{{beta}}},
              {AccLoad::Arguments{}, Muls2::Arguments{{alpha}}},
              Plus::Arguments{}},
             CastPlusToHalf::Arguments{}},
            AuxStoreD::Arguments{D, layoutD, strideD}};
    }
};

} // namespace Catlass::Evt::baddbmm

#endif // EVTGEN_BADDBMM_HPP
