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
///
/// The workspace has WORKSPACE_STAGES blocks of C per cube core, which the core writes in turn; that does not depend on
/// the problem, and stays in the L2 cache. With 0 it has the whole of C.
template <class BlockMmad_, class BlockEpilogue_, class BlockScheduler_, uint32_t WORKSPACE_STAGES_ = 4>
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

    static constexpr uint32_t WORKSPACE_STAGES = WORKSPACE_STAGES_;

    /// How often a cross-core flag can be set before it is waited for.
    static constexpr uint32_t MAX_STAGES = 15;

    static_assert(WORKSPACE_STAGES <= MAX_STAGES, "An AIC sets a flag for each block that the AIVs have yet to visit");
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

        /// Cube cores that the workspace has blocks for. In a launch on more, the others have nothing to do; no device
        /// has more than the default.
        uint32_t aicCoreNum{32};
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
        uint32_t aicCoreNum;

        CATLASS_HOST_DEVICE
        Params()
        {}

        CATLASS_HOST_DEVICE
        Params(
            GemmCoord const& problemShape_, GM_ADDR ptrA_, LayoutA const& layoutA_, GM_ADDR ptrB_,
            LayoutB const& layoutB_, GM_ADDR ptrWorkspace_, EpilogueParams const& epilogueParams_, uint32_t aicCoreNum_)
            : problemShape(problemShape_),
              ptrA(ptrA_),
              layoutA(layoutA_),
              ptrB(ptrB_),
              layoutB(layoutB_),
              ptrWorkspace(ptrWorkspace_),
              epilogueParams(epilogueParams_),
              aicCoreNum(aicCoreNum_)
        {}
    };

    static_assert(std::is_trivially_copyable_v<Params>, "The arguments of a kernel are plain data");

    static bool CanImplement(Arguments const& args)
    {
        GemmCoord const& shape = args.problemShape;
        return shape.m() > 0 && shape.n() > 0 && shape.k() > 0 && args.ptrA != nullptr && args.ptrB != nullptr &&
               args.aicCoreNum > 0 && EVT::can_implement(shape, args.evt_args);
    }

    /// The workspace holds C or its blocks, then the shares of the nodes.
    static size_t GetWorkspaceSize(Arguments const& args)
    {
        return SizeOfC(args) + EVT::get_workspace_size(args.problemShape, args.evt_args);
    }

    static Params ToUnderlyingArguments(Arguments const& args, uint8_t* workspace)
    {
        GemmCoord problemShape = args.problemShape;
        LayoutA layoutA{problemShape.m(), problemShape.k()};
        LayoutB layoutB{problemShape.k(), problemShape.n()};
        uint8_t* evtWorkspace = workspace == nullptr ? nullptr : workspace + SizeOfC(args);
        EpilogueParams epilogueParams{EVT::to_underlying_arguments(problemShape, args.evt_args, evtWorkspace)};
        return Params{problemShape, args.ptrA, layoutA, args.ptrB, layoutB, workspace, epilogueParams, args.aicCoreNum};
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
    static constexpr Arch::FlagID FLAG_AIV_FINISH_LOAD = 1;
    static constexpr size_t WORKSPACE_ALIGN = 16;

    // The mode of a cross-core flag between a cube core and the vector cores of its group
    static constexpr uint8_t SYNC_MODE_GROUP = 0x2;

    // How many blocks an AIC may be ahead of its AIVs
    static constexpr uint32_t STAGES = WORKSPACE_STAGES == 0 ? MAX_STAGES : WORKSPACE_STAGES;

    Arch::CrossCoreFlag flagAicFinishStore{FLAG_AIC_FINISH_STORE};
    Arch::CrossCoreFlag flagAivFinishLoad{FLAG_AIV_FINISH_LOAD};
    Arch::Resource<ArchTag> resource;

    static size_t SizeOfC(Arguments const& args)
    {
        size_t count = static_cast<size_t>(args.problemShape.m()) * args.problemShape.n();
        if constexpr (WORKSPACE_STAGES > 0) {
            count = static_cast<size_t>(args.aicCoreNum) * WORKSPACE_STAGES * L1TileShape::M * L1TileShape::N;
        }
        return RoundUp<WORKSPACE_ALIGN>(sizeof(ElementC) * count);
    }

    /// The blocks of one core, and where they are in the workspace: the same on the AIC and on its AIVs.
    struct Blocks {
        uint32_t coreNum;   // of the cores that take blocks: each every coreNum-th
        uint32_t coreLoops; // blocks of all cores
        uint32_t
            inFlight; // blocks that all AICs together may be ahead of the AIVs: a block waits for the one so far back
        LayoutC layoutC;

        CATLASS_DEVICE
        Blocks(Params const& params, uint32_t allLoops, uint32_t coreIdx) : coreNum(AscendC::GetBlockNum())
        {
            if constexpr (WORKSPACE_STAGES > 0) {
                coreNum = coreNum < params.aicCoreNum ? coreNum : params.aicCoreNum;
            }
            coreLoops = coreIdx < coreNum ? allLoops : 0;
            inFlight = coreNum * STAGES;
            if constexpr (WORKSPACE_STAGES > 0) {
                layoutC = LayoutC{inFlight * L1TileShape::M, L1TileShape::N};
            } else {
                layoutC = LayoutC{params.problemShape.m(), params.problemShape.n()};
            }
        }

        /// Its first element in the workspace.
        CATLASS_DEVICE
        MatrixCoord GetOffset(uint32_t loop, GemmCoord const& blockCoord) const
        {
            if constexpr (WORKSPACE_STAGES > 0) {
                return MatrixCoord{loop % inFlight * L1TileShape::M, 0u};
            } else {
                return MatrixCoord{blockCoord.m() * L1TileShape::M, blockCoord.n() * L1TileShape::N};
            }
        }

        CATLASS_DEVICE
        bool WaitsForAnother(uint32_t loop) const
        {
            return loop >= inFlight;
        }

        CATLASS_DEVICE
        bool IsWaitedFor(uint32_t loop) const
        {
            return coreLoops - loop > inFlight;
        }
    };

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

        uint32_t aicoreIdx = AscendC::GetBlockIdx();
        Blocks blocks(params, scheduler.GetCoreLoops(), aicoreIdx);
        for (uint32_t loop = aicoreIdx; loop < blocks.coreLoops; loop += blocks.coreNum) {
            GemmCoord blockCoord = scheduler.GetBlockCoord(loop);
            GemmCoord actualBlockShape = scheduler.GetActualBlockShape(blockCoord);
            GemmCoord offset = blockCoord * L1TileShape::ToCoord();

            if (blocks.WaitsForAnother(loop)) {
                Arch::CrossCoreWaitFlag(flagAivFinishLoad);
            }
            blockMmad(
                gmA[params.layoutA.GetOffset(offset.GetCoordMK())], params.layoutA,
                gmB[params.layoutB.GetOffset(offset.GetCoordKN())], params.layoutB,
                gmC[blocks.layoutC.GetOffset(blocks.GetOffset(loop, blockCoord))], blocks.layoutC, actualBlockShape);
            Arch::CrossCoreSetFlag<SYNC_MODE_GROUP, PIPE_FIX>(flagAicFinishStore);
        }
    }

    CATLASS_DEVICE
    void RunEpilogue(Params const& params)
    {
        BlockScheduler scheduler(params.problemShape, MakeCoord(L1TileShape::M, L1TileShape::N));
        BlockEpilogue blockEpilogue(resource, params.epilogueParams);

        AscendC::GlobalTensor<ElementC> gmC;
        gmC.SetGlobalBuffer(reinterpret_cast<__gm__ ElementC*>(params.ptrWorkspace));

        uint32_t aicoreIdx = AscendC::GetBlockIdx() / AscendC::GetSubBlockNum();
        Blocks blocks(params, scheduler.GetCoreLoops(), aicoreIdx);
        GemmCoord blockShape = L1TileShape::ToCoord();
        for (uint32_t loop = aicoreIdx; loop < blocks.coreLoops; loop += blocks.coreNum) {
            GemmCoord blockCoord = scheduler.GetBlockCoord(loop);
            GemmCoord actualBlockShape = scheduler.GetActualBlockShape(blockCoord);

            Arch::CrossCoreWaitFlag(flagAicFinishStore);
            blockEpilogue(
                blockShape, blockCoord, actualBlockShape,
                gmC[blocks.layoutC.GetOffset(blocks.GetOffset(loop, blockCoord))],
                blocks.layoutC.GetTileLayout(actualBlockShape.GetCoordMN()));
            // Also where this AIV has no rows of the block: the AIC waits for both. Only MTE2 reads C
            if (blocks.IsWaitedFor(loop)) {
                Arch::CrossCoreSetFlag<SYNC_MODE_GROUP, PIPE_MTE2>(flagAivFinishLoad);
            }
        }
    }
};

} // namespace Catlass::Gemm::Kernel

#endif // CATLASS_GEMM_KERNEL_MATMUL_VISITOR_HPP
