// C = A * B and a graph of visitors on it (Catlass v1.6, EVG), for Ascend950: C goes through a workspace in GM that has
// the whole of it.
#ifndef CATLASS_GEMM_KERNEL_BASIC_MATMUL_TLA_VISITOR_HPP
#define CATLASS_GEMM_KERNEL_BASIC_MATMUL_TLA_VISITOR_HPP

#if defined(CATLASS_ARCH) && CATLASS_ARCH == 3510

#include "catlass/arch/cross_core_sync.hpp"
#include "catlass/arch/resource.hpp"
#include "catlass/catlass.hpp"
#include "catlass/gemm_coord.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/matrix_coord.hpp"
#include "tla/layout.hpp"
#include "tla/tensor.hpp"

namespace Catlass::Gemm::Kernel {

template <class BlockMmad_, class BlockEpilogue_, class BlockScheduler_>
class BasicMatmulTlaVisitor {
public:
    using BlockMmad = BlockMmad_;
    using BlockEpilogue = BlockEpilogue_;
    using BlockScheduler = BlockScheduler_;
    using ArchTag = typename BlockMmad::ArchTag;
    using L1TileShape = typename BlockMmad::L1TileShape;
    using ElementA = typename BlockMmad::ElementA;
    using LayoutA = typename BlockMmad::LayoutA;
    using ElementB = typename BlockMmad::ElementB;
    using LayoutB = typename BlockMmad::LayoutB;
    using ElementC = typename BlockMmad::ElementC;
    using LayoutC = typename BlockMmad::LayoutC;
    using EVG = typename BlockEpilogue::EVG;
    static_assert(std::is_void_v<typename BlockMmad::ElementBias>, "the stand-in's visitor kernels have no bias");
    static_assert(!BlockEpilogue::USE_UB_WORKSPACE, "the epilogue finds its accumulator in UB");

    static constexpr uint32_t L1_TILE_M = tla::get<0>(L1TileShape{});
    static constexpr uint32_t L1_TILE_N = tla::get<1>(L1TileShape{});
    static constexpr uint32_t L1_TILE_K = tla::get<2>(L1TileShape{});

    struct Arguments {
        GemmCoord problemShape;
        GM_ADDR ptrA;
        LayoutA layoutA;
        GM_ADDR ptrB;
        LayoutB layoutB;
        GM_ADDR ptrC;
        LayoutC layoutC;
        GM_ADDR ptrBias{nullptr};
        typename EVG::Arguments evg_args;
    };

    struct Params {
        GemmCoord problemShape;
        GM_ADDR ptrA;
        LayoutA layoutA;
        GM_ADDR ptrB;
        LayoutB layoutB;
        GM_ADDR ptrWorkspace;
        typename BlockEpilogue::Params epilogueParams;
    };

    static bool CanImplement(Arguments const &args) { return EVG::can_implement(args.problemShape, args.evg_args); }

    static size_t GetWorkspaceSize(Arguments const &args)
    {
        return SizeOfC(args.problemShape) + EVG::get_workspace_size(args.problemShape, args.evg_args);
    }

    static Params ToUnderlyingArguments(Arguments const &args, uint8_t *workspace)
    {
        uint8_t *const behind = workspace + SizeOfC(args.problemShape);
        EVG::initialize_workspace(args.problemShape, args.evg_args, behind);
        return Params{args.problemShape,
                      args.ptrA,
                      args.layoutA,
                      args.ptrB,
                      args.layoutB,
                      workspace,
                      EVG::to_underlying_arguments(args.problemShape, args.evg_args, behind)};
    }

    CATLASS_DEVICE
    BasicMatmulTlaVisitor() {}

    CATLASS_DEVICE
    void operator()(Params const &params)
    {
        BlockScheduler scheduler(params.problemShape, MakeCoord(L1_TILE_M, L1_TILE_N));
        BlockMmad blockMmad(resource_);
        BlockEpilogue blockEpilogue(resource_, params.epilogueParams);

        AscendC::GlobalTensor<ElementA> gmA;
        gmA.SetGlobalBuffer(reinterpret_cast<__gm__ ElementA *>(params.ptrA));
        AscendC::GlobalTensor<ElementB> gmB;
        gmB.SetGlobalBuffer(reinterpret_cast<__gm__ ElementB *>(params.ptrB));
        AscendC::GlobalTensor<ElementC> gmC;
        gmC.SetGlobalBuffer(reinterpret_cast<__gm__ ElementC *>(params.ptrWorkspace));
        auto const tensorA = tla::MakeTensor(gmA, params.layoutA, Arch::PositionGM{});
        auto const tensorB = tla::MakeTensor(gmB, params.layoutB, Arch::PositionGM{});
        auto const layoutC =
            tla::MakeLayout<ElementC, layout::RowMajor>(params.problemShape.m(), params.problemShape.n());
        auto const tensorC = tla::MakeTensor(gmC, layoutC, Arch::PositionGM{});

        uint32_t core = AscendC::GetBlockIdx();
        if ASCEND_IS_AIV {
            core /= AscendC::GetSubBlockNum();
        }
        GemmCoord const blockShape{L1_TILE_M, L1_TILE_N, L1_TILE_K};
        for (uint32_t i = core; i < scheduler.GetCoreLoops(); i += AscendC::GetBlockNum()) {
            GemmCoord const block = scheduler.GetBlockCoord(i);
            GemmCoord const actual = scheduler.GetActualBlockShape(block);
            auto const tileC = tla::GetTile(tensorC, tla::MakeCoord(block.m() * L1_TILE_M, block.n() * L1_TILE_N),
                                            tla::MakeShape(actual.m(), actual.n()));
            if ASCEND_IS_AIC {
                auto const tileA = tla::GetTile(tensorA, tla::MakeCoord(block.m() * L1_TILE_M, block.k() * L1_TILE_K),
                                                tla::MakeShape(actual.m(), actual.k()));
                auto const tileB = tla::GetTile(tensorB, tla::MakeCoord(block.k() * L1_TILE_K, block.n() * L1_TILE_N),
                                                tla::MakeShape(actual.k(), actual.n()));
                blockMmad(tileA, tileB, tileC, actual);
                Arch::CrossCoreSetFlagWithReverse<0x2, PIPE_FIX>(stored_);
            } else {
                Arch::CrossCoreWaitFlagWithReverse<0x2, PIPE_MTE2>(stored_);
                blockEpilogue(blockShape, block, actual, tileC);
            }
        }
        AscendC::PipeBarrier<PIPE_ALL>();
    }

private:
    static size_t SizeOfC(GemmCoord const &problemShape)
    {
        return sizeof(ElementC) * problemShape.m() * problemShape.n();
    }

    Arch::CrossCoreFlagWithReverse<> stored_{0, 1};
    Arch::Resource<ArchTag> resource_;
};

}  // namespace Catlass::Gemm::Kernel

#endif  // CATLASS_ARCH == 3510

#endif  // CATLASS_GEMM_KERNEL_BASIC_MATMUL_TLA_VISITOR_HPP
