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
    static bool HasShape(Layout const& given, uint32_t rows, uint32_t columns)
    {
        Layout packed = LayoutOf(Layout{}, rows, columns);
        Layout whole = LayoutOf(given, rows, columns);
        bool has = true;
        for (int i = 0; i < Layout::RANK; ++i) {
            has = has && whole.shape(i) == packed.shape(i);
        }
        if constexpr (!IS_STRIDED) {
            has = has && whole.orgShape(0) == rows && whole.orgShape(1) == columns;
        }
        return has;
    }

    /// Whether its rows, columns or fractals lie at least as far apart as those of a packed one.
    static bool HasRoom(Layout const& given, uint32_t rows, uint32_t columns)
    {
        Layout packed = LayoutOf(Layout{}, rows, columns);
        Layout whole = LayoutOf(given, rows, columns);
        bool has = true;
        for (int i = 0; i < Layout::RANK; ++i) {
            has = has && whole.stride(i) >= packed.stride(i);
        }
        return has;
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
    static bool CanBeginAt(uint32_t column)
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

    static_assert(
        std::is_same_v<ArchTag, typename Phases::template At<0>::ArchTag>,
        "BlockMmad and BlockEpilogue are for different architectures: give both dispatch policies one ArchTag");

    using Handoff = AccumulatorHandoff<
        BlockMmad, typename Phases::template At<0>, EVT::ACCUMULATORS, WORKSPACE_STAGES, EVT::HasResident()>;

    CATLASS_DEVICE
    VisitorKernel()
    {}

protected:
    using OperandA = VisitorOperand<ElementA, LayoutA>;
    using OperandB = VisitorOperand<ElementB, LayoutB>;
    using Problem = Catlass::Epilogue::Fusion::Problem;
    using Verdict = Catlass::Epilogue::Fusion::Verdict;

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
        bool hasWholeRows; // every block of C
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
        GM_ADDR workspace, EpilogueParams const& epilogueParams, uint32_t aicCoreNum, GM_ADDR ptrB2 = nullptr,
        LayoutB const& layoutB2 = {})
    {
        bool halves = AreHalves(ptrB, ptrB2);
        LayoutA wholeA = OperandA::LayoutOf(layoutA, shape.m(), shape.k());
        LayoutB wholeB = OperandB::LayoutOf(layoutB, shape.k(), ColumnsOfB(shape, halves));
        LayoutB wholeB2 = halves ? wholeB : OperandB::LayoutOf(layoutB2, shape.k(), shape.n());
        if (halves) {
            ptrB2 = ptrB + Catlass::Epilogue::Fusion::OffsetOf(wholeB, MatrixCoord{0u, shape.n()}) * sizeof(ElementB);
        }
        bool hasWholeRows = shape.n() <= L1TileShape::N;
        return CommonParams{ptrA,           wholeA,     ptrB,  wholeB,  workspace,
                            epilogueParams, aicCoreNum, ptrB2, wholeB2, hasWholeRows};
    }

    /// Whether the accumulators are the products with the halves of one B.
    CATLASS_HOST_DEVICE static bool AreHalves(GM_ADDR ptrB, GM_ADDR ptrB2)
    {
        return HAS_SECOND && ptrB2 == ptrB;
    }

    /// Whether the kernel can serve the arguments that every kernel has. rows: of all matmuls; blockRows: the most rows
    /// of blocks.
    template <class ProblemShape, class Arguments>
    static Verdict CanServe(ProblemShape const& problemShape, Arguments const& args, uint64_t rows, uint64_t blockRows)
    {
        GemmCoord const& shape = args.problemShape;
        if (shape.m() == 0 || shape.n() == 0 || shape.k() == 0) {
            return {"M, N or K is 0"};
        }
        if (!CanCount(rows, blockRows, shape.n())) {
            return {"C has 2^31 or more rows, columns or blocks"};
        }
        if (args.aicCoreNum == 0) {
            return {"aicCoreNum is 0"};
        }
        if (args.ptrA == nullptr || args.ptrB == nullptr) {
            return {args.ptrA == nullptr ? "ptrA is null" : "ptrB is null"};
        }
        if (!OperandA::HasShape(args.layoutA, shape.m(), shape.k())) {
            return {"layoutA is not one of M x K"};
        }
        if (!OperandA::HasRoom(args.layoutA, shape.m(), shape.k())) {
            return {"a leading dimension of layoutA is too short"};
        }
        bool halves = false;
        if constexpr (HAS_SECOND) {
            halves = AreHalves(args.ptrB, args.ptrB2);
            if (args.ptrB2 == nullptr) {
                return {"ptrB2 is null"};
            }
            if (halves && !OperandB::CanBeginAt(shape.n())) {
                return {"the second half of B begins within a fractal"};
            }
            if (!halves && !OperandB::HasShape(args.layoutB2, shape.k(), shape.n())) {
                return {"layoutB2 is not one of K x N"};
            }
            if (!halves && !OperandB::HasRoom(args.layoutB2, shape.k(), shape.n())) {
                return {"a leading dimension of layoutB2 is too short"};
            }
        }
        if (!OperandB::HasShape(args.layoutB, shape.k(), ColumnsOfB(shape, halves))) {
            return {halves ? "layoutB is not one of K x 2N" : "layoutB is not one of K x N"};
        }
        if (!OperandB::HasRoom(args.layoutB, shape.k(), ColumnsOfB(shape, halves))) {
            return {"a leading dimension of layoutB is too short"};
        }
        return EVT::can_implement(problemShape, args.evt_args);
    }

    /// Bytes of the workspace that C or its blocks take; behind them are the shares of the nodes.
    CATLASS_HOST_DEVICE static size_t SizeOfC(MatrixCoord const& shapeOfC, uint32_t aicCoreNum)
    {
        return RoundUp<Catlass::Epilogue::Fusion::GM_ALIGN>(Handoff::WorkspaceSize(shapeOfC, aicCoreNum));
    }

    /// The number of blocks of a matmul.
    CATLASS_HOST_DEVICE static uint32_t BlocksOf(uint32_t rows, uint32_t columns)
    {
        return CeilDiv<L1TileShape::M>(rows) * CeilDiv<L1TileShape::N>(columns);
    }

    /// Whether the numbers of rows, columns and blocks fit their types; blockRows: the most rows of blocks.
    static bool CanCount(uint64_t rows, uint64_t blockRows, uint32_t columns)
    {
        return rows <= MAX_COUNT && columns <= MAX_COUNT && blockRows <= MAX_COUNT / CeilDiv<L1TileShape::N>(columns);
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

        auto aicoreIdx = static_cast<uint32_t>(AscendC::GetBlockIdx());
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
            auto gmBlockA = gmA[static_cast<uint64_t>(problems.offsetA + params.layoutA.GetOffset(offsetA))];
            MatrixCoord offsetB = offset.GetCoordKN();
            MatrixCoord offsetInC = OffsetInC(problems, blockCoord);
            auto gmBlockB = gmB[static_cast<uint64_t>(problems.offsetB + params.layoutB.GetOffset(offsetB))];
            handoff.template Produce<0>(
                blockMmad, gmBlockA, params.layoutA, gmBlockB, params.layoutB, loop, offsetInC, actualBlockShape);
            if constexpr (HAS_SECOND) {
                auto gmBlockB2 = gmB2[static_cast<uint64_t>(problems.offsetB2 + params.layoutB2.GetOffset(offsetB))];
                handoff.template Produce<1>(
                    blockMmad, gmBlockA, params.layoutA, gmBlockB2, params.layoutB2, loop, offsetInC, actualBlockShape);
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

    static constexpr uint64_t MAX_COUNT = (uint64_t{1} << 31) - 1;

    CATLASS_HOST_DEVICE static uint32_t ColumnsOfB(GemmCoord const& shape, bool halves)
    {
        return halves ? 2 * shape.n() : shape.n();
    }

    /// What the AIVs do: visit every block, in each phase. They go through the phases in passes: a single one of all
    /// blocks, in which they meet before each phase, or, where a phase needs no other block than the one before it, one
    /// of each block and a last one that joins. Either way the code of a phase is there once.
    template <class Problems, class Params>
    CATLASS_DEVICE void RunEpilogue(Params const& params)
    {
        static_assert(
            std::is_same_v<typename BlockEpilogue::ElementC, ElementC> &&
                std::is_same_v<typename BlockEpilogue::LayoutC, LayoutC>,
            "The matmul and the epilogue must agree on C");

        constexpr AllPhases ALL{};
        bool isByBlock = Phases::IS_BY_ROWS && params.hasWholeRows;
        if (FillParts(params.epilogueParams, ALL) && (Phases::COUNT == 1 || isByBlock)) {
            MeetAivs();
        }
        Problems problems(params);
        auto aicoreIdx = static_cast<uint32_t>(AscendC::GetBlockIdx() / AscendC::GetSubBlockNum());
        Handoff handoff(
            resource, params.ptrWorkspace, problems.ShapeOfC(), params.aicCoreNum, aicoreIdx, problems.Blocks());
        Pass pass{aicoreIdx, 0, isByBlock, false};
        while (!pass.isLast) {
            pass.isLast = !isByBlock || pass.first >= handoff.CoreLoops();
            pass.end = pass.isLast ? handoff.CoreLoops() : pass.first + 1;
            RunPhases(params, problems, handoff, pass, ALL);
            pass.first += handoff.CoreNum();
        }
    }

    /// Blocks that a core takes through all phases.
    struct Pass {
        uint32_t first;
        uint32_t end;
        bool isByBlock;
        bool isLast;
    };

    template <class Problems, class Params, size_t... Is>
    CATLASS_DEVICE void RunPhases(
        Params const& params, Problems& problems, Handoff& handoff, Pass const& pass, tla::index_sequence<Is...>)
    {
        if constexpr (Phases::COUNT > 1) {
            FillCrossing(params.epilogueParams, problems, pass);
        }
        (RunPhase<Is>(params, problems, handoff, pass), ...);
    }

    /// Fills what reductions are joined to: for the rows that this core has of a block, or its share of all of it.
    template <class Problems>
    CATLASS_DEVICE void FillCrossing(EpilogueParams const& params, Problems& problems, Pass const& pass)
    {
        Catlass::Epilogue::Fusion::detail::Share rows{0, 0};
        if (!pass.isLast) {
            problems.Seek(pass.first);
            BlockScheduler scheduler(problems.shape, MakeCoord(L1TileShape::M, L1TileShape::N));
            GemmCoord blockCoord = scheduler.GetBlockCoord(pass.first - problems.problem.firstBlock);
            typename Phases::template At<0>::Subblock subblock(
                L1TileShape::ToCoord(), blockCoord, scheduler.GetActualBlockShape(blockCoord));
            rows.first = OffsetInC(problems, blockCoord).row() + subblock.firstRow;
            rows.end = rows.first + subblock.rows;
        }
        BlockEpilogue::Fill(resource, params, pass.isByBlock, rows);
    }

    /// One phase, and what it reduces in order. A pass of all blocks begins when all AIVs have finished the phase
    /// before.
    template <size_t PHASE, class Problems, class Params>
    CATLASS_DEVICE void RunPhase(Params const& params, Problems const& problems, Handoff& handoff, Pass const& pass)
    {
        if (Phases::COUNT > 1 && !pass.isByBlock) {
            MeetAivs();
        }
        if (pass.first < pass.end) {
            VisitBlocks<PHASE>(params, problems, handoff, pass);
        }
        if (pass.isLast) {
            JoinParts<PHASE, Problems>(params);
        }
    }

    /// One phase of the blocks of a pass.
    template <size_t PHASE, class Problems, class Params>
    CATLASS_DEVICE void VisitBlocks(Params const& params, Problems problems, Handoff& handoff, Pass const& pass)
    {
        BlockScheduler scheduler;
        typename Phases::template At<PHASE> blockEpilogue(
            resource, Phases::template ParamsOf<PHASE>(params.epilogueParams));

        GemmCoord blockShape = L1TileShape::ToCoord();
        for (uint32_t loop = pass.first; loop < pass.end; loop += handoff.CoreNum()) {
            // The pass may have moved on already
            bool isAnother = problems.Seek(loop);
            if (isAnother || loop == pass.first) {
                scheduler.Update(problems.shape, MakeCoord(L1TileShape::M, L1TileShape::N));
                if constexpr (Problems::SEVERAL) {
                    blockEpilogue.BeginProblem(problems.problem);
                }
            }
            GemmCoord blockCoord = scheduler.GetBlockCoord(loop - problems.problem.firstBlock);
            GemmCoord actualBlockShape = scheduler.GetActualBlockShape(blockCoord);
            // Where later phases read C too, the workspace has the whole of it
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

    CATLASS_DEVICE static MatrixCoord OffsetInC(Cursor const& cursor, GemmCoord const& blockCoord)
    {
        return MatrixCoord{cursor.firstRowOfC + blockCoord.m() * L1TileShape::M, blockCoord.n() * L1TileShape::N};
    }
};

} // namespace Catlass::Gemm::Kernel

#endif // CATLASS_GEMM_KERNEL_VISITOR_KERNEL_HPP
