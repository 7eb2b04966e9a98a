#ifndef EVTGEN_TANH_STEPS_HPP
#define EVTGEN_TANH_STEPS_HPP

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

// The epilogue tanh_steps, of C = A * B:
//
//     exp = exp((fmax(fmin(C, 8.8), -8.8) * 2))
//     D = (exp + -1) / (exp + 1)

namespace Catlass::Evt::tanh_steps {

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

// Elements of a tile. With two buffers the nodes take 251904 of the 253696 bytes of UB that there are.
constexpr uint32_t COMPUTE_LENGTH = 3936;

// The nodes
using AccLoad = Fusion::VisitorAccLoad<float>;
using Mins = Fusion::VisitorCompute<Fusion::Mins, float, float>;
using Maxs = Fusion::VisitorCompute<Fusion::Maxs, float, float>;
using Muls = Fusion::VisitorCompute<Fusion::Muls, float, float>;
using Exp = Fusion::VisitorCompute<Fusion::Exp, float>;
using Adds = Fusion::VisitorCompute<Fusion::Adds, float, float>;
using Adds2 = Fusion::VisitorCompute<Fusion::Adds, float, float>;
using Divides = Fusion::VisitorCompute<Fusion::Div, float>;
using AuxStoreD = Fusion::VisitorAuxStore<float, Layout>;

// The graph
using Edges = tla::tuple<
    tla::seq<>,     // 0: AccLoad
    tla::seq<0>,    // 1: Mins(AccLoad)
    tla::seq<1>,    // 2: Maxs(Mins)
    tla::seq<2>,    // 3: Muls(Maxs)
    tla::seq<3>,    // 4: Exp(Muls)
    tla::seq<4>,    // 5: Adds(Exp)
    tla::seq<4>,    // 6: Adds2(Exp)
    tla::seq<5, 6>, // 7: Divides(Adds, Adds2)
    tla::seq<7>     // 8: AuxStoreD(Divides)
    >;
using EVG = Fusion::TopologicalVisitor<Edges, AccLoad, Mins, Maxs, Muls, Exp, Adds, Adds2, Divides, AuxStoreD>;

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
        return {AccLoad::Arguments{},
                Mins::Arguments{{8.8f}},
                Maxs::Arguments{{-8.8f}},
                Muls::Arguments{{2.0f}},
                Exp::Arguments{},
                Adds::Arguments{{-1.0f}},
                Adds2::Arguments{{1.0f}},
                Divides::Arguments{},
                AuxStoreD::Arguments{D, tla::MakeLayoutFromTag(layoutD)}};
    }
};

} // namespace Catlass::Evt::tanh_steps

#endif // EVTGEN_TANH_STEPS_HPP
