#ifndef EVTGEN_TRANSPOSED_KEYS_HPP
#define EVTGEN_TRANSPOSED_KEYS_HPP

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

// The epilogue transposed_keys, of C = A * B:
//
//     keys = transpose(half(C + bias))

namespace Catlass::Evt::transposed_keys {

namespace Fusion = Catlass::Epilogue::Fusion;

using ElementA = half;
using ElementB = half;
using ElementC = float;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using RowBroadcastBias = Fusion::VisitorRowBroadcast<float, layout::RowMajor>;
using Plus = Fusion::VisitorCompute<Fusion::Plus, float>;
using CastPlusToHalf = Fusion::VisitorCast<half, float>;
using AuxStoreKeys = Fusion::VisitorAuxStore<half, layout::ColumnMajor>;

// The graph
using CPlusBias = Fusion::TreeVisitor<Plus, AccLoad, RowBroadcastBias>;
using CPlusBiasAsHalf = Fusion::TreeVisitor<CastPlusToHalf, CPlusBias>;
using EVT = Fusion::TreeVisitor<AuxStoreKeys, CPlusBiasAsHalf>;

// Elements of a tile. With 2 buffers the nodes take 185344 of the 188160 bytes of UB that AscendC leaves free.
constexpr uint32_t COMPUTE_LENGTH = 9216;

using BlockEpilogue = Catlass::Epilogue::Block::BlockEpilogue<
    Catlass::Epilogue::EpilogueAtlasA2Visitor, Gemm::GemmType<ElementC, LayoutC>, tla::Int<COMPUTE_LENGTH>, EVT>;

using BlockMmad = Gemm::Block::BlockMmad<
    Gemm::MmadAtlasA2Pingpong<true>, Catlass::GemmShape<128, 256, 256>, Catlass::GemmShape<128, 256, 64>,
    Gemm::GemmType<ElementA, LayoutA>, Gemm::GemmType<ElementB, LayoutB>, Gemm::GemmType<ElementC, LayoutC>>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::MatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR bias{nullptr}; ///< in: float, 1 x N
    layout::RowMajor layoutBias{};
    GM_ADDR keys{nullptr}; ///< out: half, M x N
    layout::ColumnMajor layoutKeys{};

    /// The same as the nested arguments of the graph.
    EVT::Arguments ToEvt() const
    {
        return {
            {{AccLoad::Arguments{}, RowBroadcastBias::Arguments{bias, layoutBias}, Plus::Arguments{}},
             CastPlusToHalf::Arguments{}},
            AuxStoreKeys::Arguments{keys, layoutKeys}};
    }
};

} // namespace Catlass::Evt::transposed_keys

#endif // EVTGEN_TRANSPOSED_KEYS_HPP
