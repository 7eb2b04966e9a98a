#ifndef EVTGEN_ADD_HPP
#define EVTGEN_ADD_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/dispatch_policy.hpp"
#include "catlass/epilogue/fusion/fusion.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/basic_matmul_tla_visitor.hpp"
#include "catlass/layout/layout.hpp"
#include "tla/layout.hpp"

// The epilogue add, of C = A * B:
//
//     D = C + X

namespace Catlass::Evt::add {

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
constexpr uint32_t COMPUTE_LENGTH = 10560;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using AuxLoadX = Fusion::VisitorAuxLoad<float, Layout>;
using Plus = Fusion::VisitorCompute<Fusion::Add, float>;
using AuxStoreD = Fusion::VisitorAuxStore<float, Layout>;

// The graph
using EVG = Fusion::TreeVisitor<AuxStoreD, Fusion::TreeVisitor<Plus, AccLoad, AuxLoadX>>;

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

} // namespace Catlass::Evt::add

#endif // EVTGEN_ADD_HPP
