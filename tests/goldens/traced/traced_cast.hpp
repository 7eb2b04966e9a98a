#ifndef EVTGEN_traced_cast_HPP
#define EVTGEN_traced_cast_HPP

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

// The epilogue traced_cast, of C = A * B:
//
//     D = half(float(C) + float(X))

namespace Catlass::Evt::traced_cast {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = half;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<half>;
using CastToFloat32 = Fusion::VisitorCast<float, half>;
using AuxLoadX = Fusion::VisitorAuxLoad<half, layout::RowMajor>;
using CastToFloat322 = Fusion::VisitorCast<float, half>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using CastToHalf = Fusion::VisitorCast<half, float>;
using AuxStoreD = Fusion::VisitorAuxStore<half, layout::RowMajor>;

using EVT = Fusion::TreeVisitor<
    AuxStoreD, Fusion::TreeVisitor<
                   CastToHalf, Fusion::TreeVisitor<
                                   Plus, Fusion::TreeVisitor<CastToFloat32, AccLoad>,
                                   Fusion::TreeVisitor<CastToFloat322, AuxLoadX>>>>;

// Each position of the arguments belongs to its node
static_assert(std::is_same_v<
              EVT::Arguments, tla::tuple<
                                  tla::tuple<
                                      tla::tuple<
                                          tla::tuple<AccLoad::Arguments, CastToFloat32::Arguments>,
                                          tla::tuple<AuxLoadX::Arguments, CastToFloat322::Arguments>, Plus::Arguments>,
                                      CastToHalf::Arguments>,
                                  AuxStoreD::Arguments>>);

// Elements of one node's buffer: 187776 of 188160 bytes of UB with 2 buffers
constexpr uint32_t COMPUTE_LENGTH = 5216;
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
    GM_ADDR X{nullptr};  ///< in: half, M x N
    layout::RowMajor layoutX{};
    GM_ADDR D{nullptr};  ///< out: half, M x N
    layout::RowMajor layoutD{};

    /// The same as the nest that the graph takes.
    EVT::Arguments ToEvt() const
    {
        return {
            {{{AccLoad::Arguments{}, CastToFloat32::Arguments{}},
              {AuxLoadX::Arguments{X, layoutX}, CastToFloat322::Arguments{}},
              Plus::Arguments{}},
             CastToHalf::Arguments{}},
            AuxStoreD::Arguments{D, layoutD}};
    }
};

}  // namespace Catlass::Evt::traced_cast

#endif  // EVTGEN_traced_cast_HPP
