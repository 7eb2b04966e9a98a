#ifndef CATLASS_GEMM_KERNEL_MATMUL_VISITOR_HPP
#define CATLASS_GEMM_KERNEL_MATMUL_VISITOR_HPP

#include <type_traits>

#include "catlass/arch/cross_core_sync.hpp"
#include "catlass/arch/resource.hpp"
#include "catlass/catlass.hpp"
#include "catlass/coord.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/gemm_coord.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/matrix_coord.hpp"

namespace Catlass::Gemm::Kernel {

/// A matmul whose epilogue is a graph of visitor nodes: the AIC writes C = A * B to the workspace block by block, the
/// AIVs visit each block as soon as it is complete.
template <class BlockMmad_, class BlockEpilogue_, class BlockScheduler_>
class MatmulVisitor {
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
    using EVT = typename BlockEpilogue::EVT;
    using EpilogueParams = typename BlockEpilogue::Params;

    static_assert(
        std::is_same_v<typename BlockEpilogue::ElementC, ElementC> &&
            std::is_same_v<typename BlockEpilogue::LayoutC, LayoutC>,
        "The matmul and the epilogue must agree on C");

    /// Arguments from the user.
    struct Arguments {
        GemmCoord problemShape;
        GM_ADDR ptrA;
        GM_ADDR ptrB;
        typename EVT::Arguments evt_args;
    };

    /// Parameters of the kernel.
    struct Params {
        GemmCoord problemShape;
        GM_ADDR ptrA;
        LayoutA layoutA;
        GM_ADDR ptrB;
        LayoutB layoutB;
        GM_ADDR ptrWorkspace;
        EpilogueParams epilogueParams;

        CATLASS_HOST_DEVICE
        Params()
        {}

        CATLASS_HOST_DEVICE
        Params(
            GemmCoord const& problemShape_, GM_ADDR ptrA_, LayoutA const& layoutA_, GM_ADDR ptrB_,
            LayoutB const& layoutB_, GM_ADDR ptrWorkspace_, EpilogueParams const& epilogueParams_)
            : problemShape(problemShape_),
              ptrA(ptrA_),
              layoutA(layoutA_),
              ptrB(ptrB_),
              layoutB(layoutB_),
              ptrWorkspace(ptrWorkspace_),
              epilogueParams(epilogueParams_)
        {}
    };

    static_assert(std::is_trivially_copyable_v<Params>, "The arguments of a kernel are plain data");

    static bool CanImplement(Arguments const& args)
    {
        GemmCoord const& shape = args.problemShape;
        return shape.m() > 0 && shape.n() > 0 && shape.k() > 0 && args.ptrA != nullptr && args.ptrB != nullptr &&
               EVT::can_implement(shape, args.evt_args);
    }

    /// The workspace holds C, then the shares of the nodes.
    static size_t GetWorkspaceSize(Arguments const& args)
    {
        return SizeOfC(args.problemShape) + EVT::get_workspace_size(args.problemShape, args.evt_args);
    }

    static Params ToUnderlyingArguments(Arguments const& args, uint8_t* workspace)
    {
        GemmCoord problemShape = args.problemShape;
        LayoutA layoutA{problemShape.m(), problemShape.k()};
        LayoutB layoutB{problemShape.k(), problemShape.n()};
        uint8_t* evtWorkspace = workspace == nullptr ? nullptr : workspace + SizeOfC(problemShape);
        EpilogueParams epilogueParams{EVT::to_underlying_arguments(problemShape, args.evt_args, evtWorkspace)};
        return Params{problemShape, args.ptrA, layoutA, args.ptrB, layoutB, workspace, epilogueParams};
    }

    CATLASS_DEVICE
    MatmulVisitor()
    {}

    template <int32_t CORE_TYPE = g_coreType>
    CATLASS_DEVICE void operator()(Params const& params)
    {
        if constexpr (CORE_TYPE == AscendC::AIC) {
            RunMmad(params);
        } else {
            RunEpilogue(params);
        }
        AscendC::PipeBarrier<PIPE_ALL>();
    }

private:
    static constexpr Arch::FlagID FLAG_AIC_FINISH_STORE = 0;
    static constexpr Arch::FlagID RV_FLAG_AIC_FINISH_STORE = 1;
    static constexpr size_t WORKSPACE_ALIGN = 16;

    // The mode of a cross-core flag between a cube core and the vector cores of its group
    static constexpr uint8_t SYNC_MODE_GROUP = 0x2;

    // How often a flag can be set before it is waited for; the default of Catlass up to v1.2 is one more
    static constexpr uint32_t REVERSE_DEPTH = 15;

    Arch::CrossCoreFlagWithReverse<REVERSE_DEPTH> flagAicFinishStore{FLAG_AIC_FINISH_STORE, RV_FLAG_AIC_FINISH_STORE};
    Arch::Resource<ArchTag> resource;

    static size_t SizeOfC(GemmCoord const& problemShape)
    {
        return RoundUp<WORKSPACE_ALIGN>(sizeof(ElementC) * problemShape.m() * problemShape.n());
    }

    CATLASS_DEVICE
    void RunMmad(Params const& params)
    {
        BlockScheduler scheduler(params.problemShape, MakeCoord(L1TileShape::M, L1TileShape::N));
        BlockMmad blockMmad(resource);

        AscendC::GlobalTensor<ElementA> gmA;
        gmA.SetGlobalBuffer(reinterpret_cast<__gm__ ElementA*>(params.ptrA));
        AscendC::GlobalTensor<ElementB> gmB;
        gmB.SetGlobalBuffer(reinterpret_cast<__gm__ ElementB*>(params.ptrB));
        AscendC::GlobalTensor<ElementC> gmC;
        gmC.SetGlobalBuffer(reinterpret_cast<__gm__ ElementC*>(params.ptrWorkspace));
        LayoutC layoutC{params.problemShape.m(), params.problemShape.n()};

        uint32_t coreLoops = scheduler.GetCoreLoops();
        for (uint32_t loop = AscendC::GetBlockIdx(); loop < coreLoops; loop += AscendC::GetBlockNum()) {
            GemmCoord blockCoord = scheduler.GetBlockCoord(loop);
            GemmCoord actualBlockShape = scheduler.GetActualBlockShape(blockCoord);
            GemmCoord offset = blockCoord * L1TileShape::ToCoord();

            blockMmad(
                gmA[params.layoutA.GetOffset(offset.GetCoordMK())], params.layoutA,
                gmB[params.layoutB.GetOffset(offset.GetCoordKN())], params.layoutB,
                gmC[layoutC.GetOffset(offset.GetCoordMN())], layoutC, actualBlockShape);
            Arch::CrossCoreSetFlagWithReverse<SYNC_MODE_GROUP, PIPE_FIX>(flagAicFinishStore);
        }
    }

    CATLASS_DEVICE
    void RunEpilogue(Params const& params)
    {
        BlockScheduler scheduler(params.problemShape, MakeCoord(L1TileShape::M, L1TileShape::N));
        BlockEpilogue blockEpilogue(resource, params.epilogueParams);

        AscendC::GlobalTensor<ElementC> gmC;
        gmC.SetGlobalBuffer(reinterpret_cast<__gm__ ElementC*>(params.ptrWorkspace));
        LayoutC layoutC{params.problemShape.m(), params.problemShape.n()};

        uint32_t coreLoops = scheduler.GetCoreLoops();
        uint32_t aicoreIdx = AscendC::GetBlockIdx() / AscendC::GetSubBlockNum();
        GemmCoord blockShape = L1TileShape::ToCoord();
        for (uint32_t loop = aicoreIdx; loop < coreLoops; loop += AscendC::GetBlockNum()) {
            GemmCoord blockCoord = scheduler.GetBlockCoord(loop);
            GemmCoord actualBlockShape = scheduler.GetActualBlockShape(blockCoord);
            MatrixCoord offset = blockCoord.GetCoordMN() * blockShape.GetCoordMN();

            Arch::CrossCoreWaitFlagWithReverse<SYNC_MODE_GROUP, PIPE_MTE3>(flagAicFinishStore);
            blockEpilogue(
                blockShape, blockCoord, actualBlockShape, gmC[layoutC.GetOffset(offset)],
                layoutC.GetTileLayout(actualBlockShape.GetCoordMN()));
        }
    }
};

} // namespace Catlass::Gemm::Kernel

#endif // CATLASS_GEMM_KERNEL_MATMUL_VISITOR_HPP
