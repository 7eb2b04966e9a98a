#ifndef CATLASS_GEMM_KERNEL_VISITOR_KERNEL_HPP
#define CATLASS_GEMM_KERNEL_VISITOR_KERNEL_HPP

#include <type_traits>

#include "catlass/arch/resource.hpp"
#include "catlass/catlass.hpp"
#include "catlass/coord.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/gemm/kernel/accumulator_handoff.hpp"
#include "catlass/gemm_coord.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/matrix_coord.hpp"
#include "catlass/epilogue/fusion/phases.hpp"
#include "catlass/epilogue/fusion/problem.hpp"
#include "catlass/epilogue/fusion/visitor_in_order.hpp"

namespace Catlass::Gemm::Kernel {

/// An operand of a matmul in GM: how a packed one lies, and what one takes.
template <class Element, class Layout>
struct VisitorOperand {
    static constexpr bool IS_STRIDED =
        std::is_same_v<Layout, layout::RowMajor> || std::is_same_v<Layout, layout::ColumnMajor>;

    /// The user's layout; if that is empty, the one of a packed matrix.
    CATLASS_HOST_DEVICE static Layout LayoutOf(Layout const& given, uint32_t rows, uint32_t columns)
    {
        if (given.shape(0) != 0) {
            return given;
        }
        if constexpr (IS_STRIDED) {
            return Layout{rows, columns};
        } else {
            return Layout::template MakeLayout<Element>(rows, columns);
        }
    }

    /// Whether a layout is one of a matrix with so many rows and columns.
    CATLASS_HOST_DEVICE static bool Fits(Layout const& given, uint32_t rows, uint32_t columns)
    {
        Layout whole = LayoutOf(given, rows, columns);
        if constexpr (std::is_same_v<Layout, layout::RowMajor>) {
            return whole.shape(0) == rows && whole.shape(1) == columns && whole.stride(0) >= columns;
        } else if constexpr (std::is_same_v<Layout, layout::ColumnMajor>) {
            return whole.shape(0) == rows && whole.shape(1) == columns && whole.stride(1) >= rows;
        } else {
            Layout packed = Layout::template MakeLayout<Element>(rows, columns);
            bool fits = whole.orgShape(0) == rows && whole.orgShape(1) == columns;
            for (int i = 0; i < Layout::RANK; ++i) {
                fits = fits && whole.shape(i) == packed.shape(i) && whole.stride(i) >= packed.stride(i);
            }
            return fits;
        }
    }

    /// Elements from one matrix to the next where they lie one directly after the other.
    CATLASS_HOST_DEVICE static int64_t Size(Layout const& whole)
    {
        int64_t size = 0;
        for (int i = 0; i < Layout::RANK; ++i) {
            int64_t extent = static_cast<int64_t>(whole.shape(i)) * whole.stride(i);
            size = extent > size ? extent : size;
        }
        return size;
    }

    /// Elements from one matrix to the next: as many as the user says, or that size.
    CATLASS_HOST_DEVICE static int64_t StrideOf(int64_t given, Layout const& whole)
    {
        return given == Catlass::Epilogue::Fusion::PACKED ? Size(whole) : given;
    }

    /// Whether a part of a matrix can begin at a column: not within a fractal.
    CATLASS_HOST_DEVICE static bool CanBeginAt(uint32_t column)
    {
        if constexpr (IS_STRIDED) {
            return true;
        } else {
            return column % Layout::template MakeLayout<Element>(1, 1).shape(2) == 0;
        }
    }
};

/// What the kernels whose epilogue is a graph of visitor nodes have in common: the AIC computes C = A * B block by
/// block, the AIVs visit each block as soon as it is complete.
///
/// A launch has one matmul or several, whose blocks are numbered through. A kernel derives from this, and says in its
/// Problems which matmuls there are: a Cursor with
///
///   SEVERAL       there may be more than one
///   ShapeOfC()    the rows of all matmuls, one after the other, and the columns
///   Blocks()      the number of all blocks
///   Seek(block)   moves on to the matmul that has the block, which is none before the last; true if it is another one
///
/// Blocks get to the AIVs through WORKSPACE_STAGES places per cube core, which the core fills in turn: in a workspace
/// in GM, which then does not grow with the problem and stays in the L2 cache, or in UB, where the graph's
/// VisitorAccLoad says so. With 0 the workspace has the whole of C.
///
/// Where the graph reads a second accumulator, it is the product with ptrB2. If that is ptrB, B has 2 * N columns, and
/// each accumulator is the product with half of them.
template <class BlockMmad_, class BlockEpilogue_, class BlockScheduler_, uint32_t WORKSPACE_STAGES_>
class VisitorKernel {
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

    /// The block epilogue of each phase: of all epilogues but Phases, there is one.
    using Phases = Catlass::Epilogue::Fusion::detail::PhaseList<BlockEpilogue>;

    using Handoff = AccumulatorHandoff<
        BlockMmad, typename Phases::template At<0>, EVT::ACCUMULATORS, WORKSPACE_STAGES, EVT::HasResident()>;

    CATLASS_DEVICE
    VisitorKernel()
    {}

protected:
    using OperandA = VisitorOperand<ElementA, LayoutA>;
    using OperandB = VisitorOperand<ElementB, LayoutB>;
    using Problem = Catlass::Epilogue::Fusion::Problem;

    static constexpr bool HAS_SECOND = EVT::ACCUMULATORS > 1;

    /// Parameters of every kernel.
    struct CommonParams {
        GM_ADDR ptrA;
        LayoutA layoutA;
        GM_ADDR ptrB;
        LayoutB layoutB;
        GM_ADDR ptrWorkspace;
        EpilogueParams epilogueParams;
        uint32_t aicCoreNum;
        GM_ADDR ptrB2;
        LayoutB layoutB2;
    };

    /// The matmul that a core is at.
    struct Cursor {
        GemmCoord shape;
        Problem problem;
        uint32_t firstRowOfC{0}; // among the rows of all matmuls
        int64_t offsetA{0};
        int64_t offsetB{0};
        int64_t offsetB2{0};
    };

    Arch::Resource<ArchTag> resource;

    CATLASS_HOST_DEVICE static CommonParams MakeParams(
        GemmCoord const& shape, GM_ADDR ptrA, LayoutA const& layoutA, GM_ADDR ptrB, LayoutB const& layoutB,
        uint8_t* workspace, EpilogueParams const& epilogueParams, uint32_t aicCoreNum, GM_ADDR ptrB2 = nullptr,
        LayoutB const& layoutB2 = {})
    {
        bool halves = AreHalves(ptrB, ptrB2);
        LayoutA wholeA = OperandA::LayoutOf(layoutA, shape.m(), shape.k());
        LayoutB wholeB = OperandB::LayoutOf(layoutB, shape.k(), ColumnsOfB(shape, halves));
        LayoutB wholeB2 = halves ? wholeB : OperandB::LayoutOf(layoutB2, shape.k(), shape.n());
        if (halves) {
            ptrB2 = ptrB + wholeB.GetOffset(MatrixCoord{0u, shape.n()}) * sizeof(ElementB);
        }
        return CommonParams{ptrA, wholeA, ptrB, wholeB, workspace, epilogueParams, aicCoreNum, ptrB2, wholeB2};
    }

    /// Whether the accumulators are the products with the halves of one B.
    CATLASS_HOST_DEVICE static bool AreHalves(GM_ADDR ptrB, GM_ADDR ptrB2)
    {
        return HAS_SECOND && ptrB2 == ptrB;
    }

    /// Whether there is every B that the graph reads the product with, and lies as the layouts say.
    CATLASS_HOST_DEVICE static bool CanMultiply(
        GemmCoord const& shape, GM_ADDR ptrB, LayoutB const& layoutB, GM_ADDR ptrB2, LayoutB const& layoutB2)
    {
        bool halves = AreHalves(ptrB, ptrB2);
        if (ptrB == nullptr || !OperandB::Fits(layoutB, shape.k(), ColumnsOfB(shape, halves))) {
            return false;
        }
        if (halves) {
            return OperandB::CanBeginAt(shape.n());
        }
        return !HAS_SECOND || (ptrB2 != nullptr && OperandB::Fits(layoutB2, shape.k(), shape.n()));
    }

    /// Bytes of the workspace that C or its blocks take; behind them are the shares of the nodes.
    static size_t SizeOfC(MatrixCoord const& shapeOfC, uint32_t aicCoreNum)
    {
        return RoundUp<WORKSPACE_ALIGN>(Handoff::WorkspaceSize(shapeOfC, aicCoreNum));
    }

    /// The number of blocks of a matmul.
    CATLASS_HOST_DEVICE static uint32_t BlocksOf(uint32_t rows, uint32_t columns)
    {
        return CeilDiv<L1TileShape::M>(rows) * CeilDiv<L1TileShape::N>(columns);
    }

    /// Whether the numbers of rows, columns and blocks fit their types; blockRows: the most rows of blocks.
    CATLASS_HOST_DEVICE static bool CanCount(uint64_t rows, uint64_t blockRows, uint32_t columns)
    {
        return rows <= MAX_COUNT && columns <= MAX_COUNT && blockRows <= MAX_COUNT / CeilDiv<L1TileShape::N>(columns);
    }

    /// The same for so many matmuls of one shape.
    CATLASS_HOST_DEVICE static bool CanCount(GemmCoord const& shape, uint32_t count)
    {
        uint64_t rows = uint64_t{shape.m()} * count;
        return CanCount(rows, uint64_t{CeilDiv<L1TileShape::M>(shape.m())} * count, shape.n());
    }

    /// The same for one matmul.
    CATLASS_HOST_DEVICE static bool CanCount(GemmCoord const& shape)
    {
        return CanCount(shape, 1);
    }

    /// Runs the kernel on a core of this kind.
    template <int32_t CORE_TYPE, class Problems, class Params>
    CATLASS_DEVICE void Run(Params const& params)
    {
        if constexpr (CORE_TYPE == AscendC::AIC) {
            RunMmad<Problems>(params);
        } else {
            RunEpilogue<Problems>(params);
        }
        AscendC::PipeBarrier<PIPE_ALL>();
    }

    /// What the AIC does: computes every block.
    template <class Problems, class Params>
    CATLASS_DEVICE void RunMmad(Params const& params)
    {
        Problems problems(params);
        BlockScheduler scheduler;
        BlockMmad blockMmad(resource);

        AscendC::GlobalTensor<ElementA> gmA;
        gmA.SetGlobalBuffer(reinterpret_cast<__gm__ ElementA*>(params.ptrA));
        AscendC::GlobalTensor<ElementB> gmB;
        gmB.SetGlobalBuffer(reinterpret_cast<__gm__ ElementB*>(params.ptrB));
        AscendC::GlobalTensor<ElementB> gmB2;
        if constexpr (HAS_SECOND) {
            gmB2.SetGlobalBuffer(reinterpret_cast<__gm__ ElementB*>(params.ptrB2));
        }

        uint32_t aicoreIdx = AscendC::GetBlockIdx();
        Handoff handoff(
            resource, params.ptrWorkspace, problems.ShapeOfC(), params.aicCoreNum, aicoreIdx, problems.Blocks());
        for (uint32_t loop = aicoreIdx; loop < handoff.CoreLoops(); loop += handoff.CoreNum()) {
            if (problems.Seek(loop)) {
                scheduler.Update(problems.shape, MakeCoord(L1TileShape::M, L1TileShape::N));
            }
            GemmCoord blockCoord = scheduler.GetBlockCoord(loop - problems.problem.firstBlock);
            GemmCoord actualBlockShape = scheduler.GetActualBlockShape(blockCoord);
            GemmCoord offset = blockCoord * L1TileShape::ToCoord();
            MatrixCoord offsetA{problems.problem.firstRow + offset.m(), offset.k()};
            auto gmBlockA = gmA[problems.offsetA + params.layoutA.GetOffset(offsetA)];
            MatrixCoord offsetB = offset.GetCoordKN();
            MatrixCoord offsetInC = OffsetInC(problems, blockCoord);
            handoff.template Produce<0>(
                blockMmad, gmBlockA, params.layoutA, gmB[problems.offsetB + params.layoutB.GetOffset(offsetB)],
                params.layoutB, loop, offsetInC, actualBlockShape);
            if constexpr (HAS_SECOND) {
                handoff.template Produce<1>(
                    blockMmad, gmBlockA, params.layoutA, gmB2[problems.offsetB2 + params.layoutB2.GetOffset(offsetB)],
                    params.layoutB2, loop, offsetInC, actualBlockShape);
            }
        }
        handoff.Finish(blockMmad);
    }

    /// On an AIV: what any of them has waited for before, all of them may load after; the last that any does is wait on
    /// MTE2 for its stores.
    CATLASS_DEVICE static void MeetAivs()
    {
        AscendC::CrossCoreSetFlag<SYNC_MODE_ALL, PIPE_MTE2>(FLAG_AIVS_MEET);
        AscendC::CrossCoreWaitFlag(FLAG_AIVS_MEET);
    }

    using AllPhases = tla::make_index_sequence<Phases::COUNT>;

    /// The reductions in order of a phase.
    template <size_t PHASE>
    using PartsOf = Catlass::Epilogue::Fusion::detail::InOrder<typename Phases::template At<PHASE>::EVT::Nodes>;

    /// On an AIV, before it has an epilogue: fills its share of the parts of all phases. Whether there are any.
    template <size_t... Is>
    CATLASS_DEVICE bool FillParts(EpilogueParams const& params, tla::index_sequence<Is...>)
    {
        static_assert(
            (true && ... && PartsOf<Is>::template AreCutBy<L1TileShape>()), "Parts are counted by the kernel's blocks");
        return (0 + ... + (FillPartsOf<Is>(params) ? 1 : 0)) > 0;
    }

    template <size_t PHASE>
    CATLASS_DEVICE bool FillPartsOf([[maybe_unused]] EpilogueParams const& params)
    {
        if constexpr (PartsOf<PHASE>::ANY) {
            auto const& fusionParams = Phases::template ParamsOf<PHASE>(params).fusionParams;
            using First = typename Phases::template At<0>;
            PartsOf<PHASE>::Fill(resource, {First::UB_WORKSPACE, First::UB_USABLE}, fusionParams);
            return PartsOf<PHASE>::HaveParts(fusionParams);
        } else {
            return false;
        }
    }

    /// Joins what a phase has reduced in parts when all AIVs have visited all blocks.
    template <size_t PHASE, class Problems, class Params>
    CATLASS_DEVICE void JoinParts(Params const& params)
    {
        using Parts = PartsOf<PHASE>;
        if constexpr (Parts::ANY) {
            auto const& fusionParams = Phases::template ParamsOf<PHASE>(params.epilogueParams).fusionParams;
            if (!Parts::HaveParts(fusionParams)) {
                return;
            }
            MeetAivs();
            Parts::Join(resource, fusionParams, Problem{}, true);
            if constexpr (Problems::SEVERAL) {
                Problems problems(params);
                for (uint32_t block = 0; block < problems.Blocks();) {
                    problems.Seek(block);
                    Parts::Join(resource, fusionParams, problems.problem, false);
                    block += BlocksOf(problems.problem.rows, problems.shape.n());
                }
            }
        }
    }

private:
    // 0 and 1 are those of the handoff, 2 is that of weights that are cast
    static constexpr uint16_t FLAG_AIVS_MEET = 3;

    // The mode of a cross-core flag between all vector cores
    static constexpr uint8_t SYNC_MODE_ALL = 0x0;

    static constexpr size_t WORKSPACE_ALIGN = 16;
    static constexpr uint64_t MAX_COUNT = (uint64_t{1} << 31) - 1;

    CATLASS_HOST_DEVICE static uint32_t ColumnsOfB(GemmCoord const& shape, bool halves)
    {
        return halves ? 2 * shape.n() : shape.n();
    }

    /// What the AIVs do: visit every block, in each phase.
    template <class Problems, class Params>
    CATLASS_DEVICE void RunEpilogue(Params const& params)
    {
        static_assert(
            std::is_same_v<typename BlockEpilogue::ElementC, ElementC> &&
                std::is_same_v<typename BlockEpilogue::LayoutC, LayoutC>,
            "The matmul and the epilogue must agree on C");

        constexpr AllPhases ALL{};
        bool hasParts = FillParts(params.epilogueParams, ALL);
        if constexpr (Phases::COUNT == 1) {
            MeetAivsIf(hasParts);
            RunPhase<0, Problems>(params);
        } else if (BlockEpilogue::IS_BY_ROWS && Problems(params).ShapeOfC().column() <= L1TileShape::N) {
            MeetAivsIf(hasParts);
            VisitWholeRows<Problems>(params, ALL);
            JoinAllParts<Problems>(params, ALL);
        } else {
            BlockEpilogue::Fill(resource, params.epilogueParams);
            RunPhases<Problems>(params, ALL);
        }
    }

    CATLASS_DEVICE static void MeetAivsIf(bool condition)
    {
        if (condition) {
            MeetAivs();
        }
    }

    /// Each phase begins when all AIVs have finished the one before.
    template <class Problems, class Params, size_t... Is>
    CATLASS_DEVICE void RunPhases(Params const& params, tla::index_sequence<Is...>)
    {
        ((MeetAivs(), RunPhase<Is, Problems>(params)), ...);
    }

    /// One phase, and what it reduces in order.
    template <size_t PHASE, class Problems, class Params>
    CATLASS_DEVICE void RunPhase(Params const& params)
    {
        VisitBlocks<PHASE, Problems>(params);
        JoinParts<PHASE, Problems>(params);
    }

    template <class Problems, class Params, size_t... Is>
    CATLASS_DEVICE void JoinAllParts(Params const& params, tla::index_sequence<Is...>)
    {
        (JoinParts<Is, Problems>(params), ...);
    }

    /// One phase.
    template <size_t PHASE, class Problems, class Params>
    CATLASS_DEVICE void VisitBlocks(Params const& params)
    {
        Problems problems(params);
        BlockScheduler scheduler;
        typename Phases::template At<PHASE> blockEpilogue(
            resource, Phases::template ParamsOf<PHASE>(params.epilogueParams));

        uint32_t aicoreIdx = AscendC::GetBlockIdx() / AscendC::GetSubBlockNum();
        Handoff handoff(
            resource, params.ptrWorkspace, problems.ShapeOfC(), params.aicCoreNum, aicoreIdx, problems.Blocks());
        GemmCoord blockShape = L1TileShape::ToCoord();
        for (uint32_t loop = aicoreIdx; loop < handoff.CoreLoops(); loop += handoff.CoreNum()) {
            if (problems.Seek(loop)) {
                scheduler.Update(problems.shape, MakeCoord(L1TileShape::M, L1TileShape::N));
                if constexpr (Problems::SEVERAL) {
                    blockEpilogue.BeginProblem(problems.problem);
                }
            }
            GemmCoord blockCoord = scheduler.GetBlockCoord(loop - problems.problem.firstBlock);
            GemmCoord actualBlockShape = scheduler.GetActualBlockShape(blockCoord);
            if constexpr (PHASE == 0) {
                handoff.Await(loop);
            }
            handoff.Visit(
                blockEpilogue, blockShape, loop, OffsetInC(problems, blockCoord), blockCoord, actualBlockShape);
            if constexpr (PHASE == 0) {
                handoff.Release(loop);
            }
        }
    }

    /// All phases of one block after the other: a block has whole rows, so nobody waits for other AIVs.
    template <class Problems, class Params, size_t... Is>
    CATLASS_DEVICE void VisitWholeRows(Params const& params, tla::index_sequence<Is...>)
    {
        Problems problems(params);
        BlockScheduler scheduler;

        uint32_t aicoreIdx = AscendC::GetBlockIdx() / AscendC::GetSubBlockNum();
        Handoff handoff(
            resource, params.ptrWorkspace, problems.ShapeOfC(), params.aicCoreNum, aicoreIdx, problems.Blocks());
        GemmCoord blockShape = L1TileShape::ToCoord();
        for (uint32_t loop = aicoreIdx; loop < handoff.CoreLoops(); loop += handoff.CoreNum()) {
            if (problems.Seek(loop)) {
                scheduler.Update(problems.shape, MakeCoord(L1TileShape::M, L1TileShape::N));
            }
            GemmCoord blockCoord = scheduler.GetBlockCoord(loop - problems.problem.firstBlock);
            GemmCoord actualBlockShape = scheduler.GetActualBlockShape(blockCoord);
            MatrixCoord offsetInC = OffsetInC(problems, blockCoord);
            typename Phases::template At<0>::Subblock subblock(blockShape, blockCoord, actualBlockShape);
            BlockEpilogue::FillRows(
                resource, params.epilogueParams, offsetInC.row() + subblock.firstRow, subblock.rows);
            handoff.Await(loop);
            (VisitBlock<Is, Problems>(params, problems, handoff, loop, offsetInC, blockCoord, actualBlockShape), ...);
        }
    }

    /// One phase of one block.
    template <size_t PHASE, class Problems, class Params>
    CATLASS_DEVICE void VisitBlock(
        Params const& params, Problems const& problems, Handoff& handoff, uint32_t loop, MatrixCoord const& offsetInC,
        GemmCoord const& blockCoord, GemmCoord const& actualBlockShape)
    {
        typename Phases::template At<PHASE> blockEpilogue(
            resource, Phases::template ParamsOf<PHASE>(params.epilogueParams));
        if constexpr (Problems::SEVERAL) {
            blockEpilogue.BeginProblem(problems.problem);
        }
        handoff.Visit(blockEpilogue, L1TileShape::ToCoord(), loop, offsetInC, blockCoord, actualBlockShape);
        if constexpr (PHASE == 0) {
            // Where later ones read C too, the workspace has the whole of it
            handoff.Release(loop);
        }
    }

    CATLASS_DEVICE static MatrixCoord OffsetInC(Cursor const& cursor, GemmCoord const& blockCoord)
    {
        return MatrixCoord{cursor.firstRowOfC + blockCoord.m() * L1TileShape::M, blockCoord.n() * L1TileShape::N};
    }
};

} // namespace Catlass::Gemm::Kernel

#endif // CATLASS_GEMM_KERNEL_VISITOR_KERNEL_HPP
