#ifndef CATLASS_GEMM_KERNEL_MATMUL_VISITOR_HPP
#define CATLASS_GEMM_KERNEL_MATMUL_VISITOR_HPP

#include <type_traits>

#include "catlass/arch/resource.hpp"
#include "catlass/catlass.hpp"
#include "catlass/coord.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/gemm/kernel/accumulator_handoff.hpp"
#include "catlass/gemm_coord.hpp"
#include "catlass/layout/layout.hpp"

namespace Catlass::Gemm::Kernel {

/// A matmul whose epilogue is a graph of visitor nodes: the AIC computes C = A * B block by block, the AIVs visit each
/// block as soon as it is complete.
///
/// Blocks get to the AIVs through WORKSPACE_STAGES places per cube core, which the core fills in turn: in a workspace
/// in GM, which then does not grow with the problem and stays in the L2 cache, or in UB, where the graph's
/// VisitorAccLoad says so. With 0 the workspace has the whole of C.
template <class BlockMmad_, class BlockEpilogue_, class BlockScheduler_, uint32_t WORKSPACE_STAGES_ = 3>
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

    using Handoff = AccumulatorHandoff<BlockMmad, BlockEpilogue, WORKSPACE_STAGES, EVT::HasResident()>;

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
    static constexpr size_t WORKSPACE_ALIGN = 16;

    Arch::Resource<ArchTag> resource;

    static size_t SizeOfC(Arguments const& args)
    {
        return RoundUp<WORKSPACE_ALIGN>(Handoff::WorkspaceSize(args.problemShape, args.aicCoreNum));
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

        uint32_t aicoreIdx = AscendC::GetBlockIdx();
        Handoff handoff(
            resource, params.ptrWorkspace, params.problemShape, params.aicCoreNum, aicoreIdx, scheduler.GetCoreLoops());
        for (uint32_t loop = aicoreIdx; loop < handoff.CoreLoops(); loop += handoff.CoreNum()) {
            GemmCoord blockCoord = scheduler.GetBlockCoord(loop);
            GemmCoord actualBlockShape = scheduler.GetActualBlockShape(blockCoord);
            GemmCoord offset = blockCoord * L1TileShape::ToCoord();
            handoff.Produce(
                blockMmad, gmA[params.layoutA.GetOffset(offset.GetCoordMK())], params.layoutA,
                gmB[params.layoutB.GetOffset(offset.GetCoordKN())], params.layoutB, loop, blockCoord, actualBlockShape);
        }
    }

    CATLASS_DEVICE
    void RunEpilogue(Params const& params)
    {
        BlockScheduler scheduler(params.problemShape, MakeCoord(L1TileShape::M, L1TileShape::N));
        BlockEpilogue blockEpilogue(resource, params.epilogueParams);

        uint32_t aicoreIdx = AscendC::GetBlockIdx() / AscendC::GetSubBlockNum();
        Handoff handoff(
            resource, params.ptrWorkspace, params.problemShape, params.aicCoreNum, aicoreIdx, scheduler.GetCoreLoops());
        GemmCoord blockShape = L1TileShape::ToCoord();
        for (uint32_t loop = aicoreIdx; loop < handoff.CoreLoops(); loop += handoff.CoreNum()) {
            GemmCoord blockCoord = scheduler.GetBlockCoord(loop);
            GemmCoord actualBlockShape = scheduler.GetActualBlockShape(blockCoord);
            handoff.Consume(blockEpilogue, blockShape, loop, blockCoord, actualBlockShape);
        }
    }
};

} // namespace Catlass::Gemm::Kernel

#endif // CATLASS_GEMM_KERNEL_MATMUL_VISITOR_HPP
