#ifndef EVTGEN_WITHOUT_EVG_HPP
#define EVTGEN_WITHOUT_EVG_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/dispatch_policy.hpp"
#include "catlass/epilogue/fusion/extended/copy.hpp"
#include "catlass/epilogue/fusion/fusion.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/basic_matmul_tla_visitor.hpp"
#include "catlass/layout/layout.hpp"
#include "tla/layout.hpp"

// The epilogue without_evg, of C = A * B:
//
//     D = C
//
// CopyC stands between a load and a store: the next LOAD into the buffer waits for V, not for the store of the
// tile that lies there.

namespace Catlass::Evt::without_evg {

namespace Fusion = Catlass::Epilogue::Fusion;

using ArchTag = Arch::Ascend950;

using ElementA = float;
using ElementB = float;
using ElementC = float;
using LayoutTagA = layout::RowMajor;
using LayoutTagB = layout::RowMajor;
using LayoutTagC = layout::RowMajor;

// The layout of every tensor of the epilogue
using Layout = decltype(tla::MakeLayoutFromTag(layout::RowMajor{}));

// Elements of a tile. With two buffers the nodes take 253440 of the 253696 bytes of UB that there are.
constexpr uint32_t COMPUTE_LENGTH = 15840;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using CopyC = Fusion::VisitorCompute<Fusion::Extended::Copy, float>;
using AuxStoreD = Fusion::VisitorAuxStore<float, Layout>;

// The graph
using EVG = Fusion::TreeVisitor<AuxStoreD, Fusion::TreeVisitor<CopyC, AccLoad>>;

using DispatchPolicy = Catlass::Epilogue::EpilogueVisitor<false>;

using BlockEpilogue =
    Catlass::Epilogue::Block::BlockEpilogue<DispatchPolicy, ArchTag, tla::Int<COMPUTE_LENGTH>, EVG, ElementC>;

using TileCopy =
    Gemm::Tile::PackedTileCopyTla<ArchTag, ElementA, LayoutTagA, ElementB, LayoutTagB, ElementC, LayoutTagC>;

using BlockMmad = Gemm::Block::BlockMmadTla<
    Gemm::MmadPingpong<ArchTag, true>, tla::Shape<tla::Int<256>, tla::Int<256>, tla::Int<128>>,
    tla::Shape<tla::Int<256>, tla::Int<256>, tla::Int<32>>, ElementA, ElementB, ElementC, void, TileCopy>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::BasicMatmulTlaVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR D{nullptr}; ///< out: float, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVG::Arguments ToEvg() const
    {
        return {{AccLoad::Arguments{}, {}}, AuxStoreD::Arguments{D, tla::MakeLayoutFromTag(layoutD)}};
    }
};

} // namespace Catlass::Evt::without_evg

#endif // EVTGEN_WITHOUT_EVG_HPP
