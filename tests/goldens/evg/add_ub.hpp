#ifndef EVTGEN_ADD_UB_HPP
#define EVTGEN_ADD_UB_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/dispatch_policy.hpp"
#include "catlass/epilogue/fusion/extended/visitor_acc_load.hpp"
#include "catlass/epilogue/fusion/fusion.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/basic_matmul_tla_ub_visitor.hpp"
#include "catlass/layout/layout.hpp"
#include "tla/layout.hpp"

// The epilogue add_ub, of C = A * B:
//
//     D = C + X
//
// The accumulator stays in UB. Operators work on COMPUTE_LENGTH elements from the beginning of a tile on, which is
// beyond what is kept for it in the last tile of a block: AccLoad copies that one.

namespace Catlass::Evt::add_ub {

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

// Elements of a tile. With two buffers the nodes take 122112 of the 122624 bytes of UB behind the accumulator.
constexpr uint32_t COMPUTE_LENGTH = 5088;

// The nodes
using AccLoad = Fusion::Extended::VisitorAccLoad<float>;
using AuxLoadX = Fusion::VisitorAuxLoad<float, Layout>;
using Plus = Fusion::VisitorCompute<Fusion::Add, float>;
using AuxStoreD = Fusion::VisitorAuxStore<float, Layout>;

// The graph
using EVG = Fusion::TreeVisitor<AuxStoreD, Fusion::TreeVisitor<Plus, AccLoad, AuxLoadX>>;

using DispatchPolicy = Catlass::Epilogue::EpilogueVisitor<true>;

using BlockEpilogue =
    Catlass::Epilogue::Block::BlockEpilogue<DispatchPolicy, ArchTag, tla::Int<COMPUTE_LENGTH>, EVG, ElementC>;

using TileCopy = Gemm::Tile::PackedTileCopyTlaToUB<
    ArchTag, ElementA, LayoutTagA, ElementB, LayoutTagB, ElementC, LayoutTagC, void,
    Gemm::Tile::CopyL0CToUBMode::SPLIT_M>;

using BlockMmad = Gemm::Block::BlockMmadTla<
    Gemm::MmadPingpong<ArchTag, true>, tla::Shape<tla::Int<256>, tla::Int<256>, tla::Int<128>>,
    tla::Shape<tla::Int<256>, tla::Int<256>, tla::Int<32>>, ElementA, ElementB, ElementC, void, TileCopy>;

using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;

using Kernel = Gemm::Kernel::BasicMatmulTlaUbVisitor<BlockMmad, BlockEpilogue, BlockScheduler>;

/// The arguments of the epilogue, by name.
struct Arguments {
    GM_ADDR X{nullptr}; ///< in: float, M x N
    layout::RowMajor layoutX{};
    GM_ADDR D{nullptr}; ///< out: float, M x N
    layout::RowMajor layoutD{};

    /// The same as the nested arguments of the graph.
    EVG::Arguments ToEvg() const
    {
        return {
            {AccLoad::Arguments{}, AuxLoadX::Arguments{X, tla::MakeLayoutFromTag(layoutX)}, Plus::Arguments{}},
            AuxStoreD::Arguments{D, tla::MakeLayoutFromTag(layoutD)}};
    }
};

} // namespace Catlass::Evt::add_ub

#endif // EVTGEN_ADD_UB_HPP
