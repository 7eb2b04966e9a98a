// What the kernels with a graph of visitors share: their types, their arguments, and the loop over blocks. `Kernel`, which
// derives from this, says where a block of C is and how the cores wait for each other.
#ifndef CATLASS_GEMM_KERNEL_BASIC_MATMUL_TLA_OF_VISITORS_HPP
#define CATLASS_GEMM_KERNEL_BASIC_MATMUL_TLA_OF_VISITORS_HPP

#include "catlass/arch/cross_core_sync.hpp"
#include "catlass/arch/resource.hpp"
#include "catlass/catlass.hpp"
#include "catlass/gemm_coord.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/matrix_coord.hpp"
#include "tla/layout.hpp"
#include "tla/tensor.hpp"

namespace Catlass::Gemm::Kernel::standin {

template <class Kernel, class BlockMmad_, class BlockEpilogue_, class BlockScheduler_> class VisitorKernel {
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
        return Kernel::SizeOfC(args.problemShape) + EVG::get_workspace_size(args.problemShape, args.evg_args);
    }

    static Params ToUnderlyingArguments(Arguments const &args, uint8_t *workspace)
    {
        uint8_t *const behind = workspace + Kernel::SizeOfC(args.problemShape);
        EVG::initialize_workspace(args.problemShape, args.evg_args, behind);
        return Params{args.problemShape,
                      args.ptrA,
                      args.layoutA,
                      args.ptrB,
                      args.layoutB,
                      workspace,
                      EVG::to_underlying_arguments(args.problemShape, args.evg_args, behind)};
    }

    CATLASS_DEVICE void operator()(Params const &params)
    {
        BlockScheduler scheduler(params.problemShape, MakeCoord(L1_TILE_M, L1_TILE_N));
        BlockMmad blockMmad(resource_);
        BlockEpilogue blockEpilogue(resource_, params.epilogueParams);
        Kernel &kernel = static_cast<Kernel &>(*this);

        AscendC::GlobalTensor<ElementA> gmA;
        gmA.SetGlobalBuffer(reinterpret_cast<__gm__ ElementA *>(params.ptrA));
        AscendC::GlobalTensor<ElementB> gmB;
        gmB.SetGlobalBuffer(reinterpret_cast<__gm__ ElementB *>(params.ptrB));
        auto const tensorA = tla::MakeTensor(gmA, params.layoutA, Arch::PositionGM{});
        auto const tensorB = tla::MakeTensor(gmB, params.layoutB, Arch::PositionGM{});

        uint32_t core = AscendC::GetBlockIdx();
        if ASCEND_IS_AIV {
            core /= AscendC::GetSubBlockNum();
            kernel.Give();
        }
        GemmCoord const blockShape{L1_TILE_M, L1_TILE_N, L1_TILE_K};
        for (uint32_t i = core; i < scheduler.GetCoreLoops(); i += AscendC::GetBlockNum()) {
            GemmCoord const block = scheduler.GetBlockCoord(i);
            GemmCoord const actual = scheduler.GetActualBlockShape(block);
            auto const tileC = kernel.TileOfC(params, blockEpilogue, block, actual);
            if ASCEND_IS_AIC {
                auto const tileA = tla::GetTile(tensorA, tla::MakeCoord(block.m() * L1_TILE_M, block.k() * L1_TILE_K),
                                                tla::MakeShape(actual.m(), actual.k()));
                auto const tileB = tla::GetTile(tensorB, tla::MakeCoord(block.k() * L1_TILE_K, block.n() * L1_TILE_N),
                                                tla::MakeShape(actual.k(), actual.n()));
                kernel.Take();
                blockMmad(tileA, tileB, tileC, actual);
                kernel.Announce();
            } else {
                kernel.Await();
                blockEpilogue(blockShape, block, actual, tileC);
                kernel.Give();
            }
        }
        if ASCEND_IS_AIC { kernel.Take(); }
        AscendC::PipeBarrier<PIPE_ALL>();
    }

private:
    Arch::Resource<ArchTag> resource_;
};

}  // namespace Catlass::Gemm::Kernel::standin

#endif  // CATLASS_GEMM_KERNEL_BASIC_MATMUL_TLA_OF_VISITORS_HPP
