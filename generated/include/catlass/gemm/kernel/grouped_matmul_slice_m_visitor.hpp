#ifndef CATLASS_GEMM_KERNEL_GROUPED_MATMUL_SLICE_M_VISITOR_HPP
#define CATLASS_GEMM_KERNEL_GROUPED_MATMUL_SLICE_M_VISITOR_HPP

#include <type_traits>

#include "catlass/catlass.hpp"
#include "catlass/gemm_coord.hpp"
#include "catlass/gemm/kernel/visitor_kernel.hpp"

namespace Catlass::Gemm::Kernel {

/// Matmuls whose rows lie in groups, one after the other, and whose epilogue is a graph of visitor nodes. Each group
/// has a B of its own; where its rows end is in a list on the device. Groups may be empty, and rows behind the last are
/// left alone.
///
/// Tensors with M rows have those of all groups; any other is there for each group, a stride behind that of the one
/// before, or once for all: with a stride of 0.
template <class BlockMmad_, class BlockEpilogue_, class BlockScheduler_, uint32_t WORKSPACE_STAGES_ = 3>
class GroupedMatmulSliceMVisitor
    : public VisitorKernel<BlockMmad_, BlockEpilogue_, BlockScheduler_, WORKSPACE_STAGES_> {
    using Base = VisitorKernel<BlockMmad_, BlockEpilogue_, BlockScheduler_, WORKSPACE_STAGES_>;
    using ProblemShape = Catlass::Epilogue::Fusion::GroupedProblemShape;
    using typename Base::Cursor;
    using typename Base::OperandA;
    using typename Base::OperandB;
    using typename Base::Verdict;

public:
    using typename Base::EVT;
    using typename Base::LayoutA;
    using typename Base::LayoutB;

    static_assert(OperandA::IS_STRIDED, "The rows of a group can begin anywhere in A only if it has rows or columns");

    static constexpr int64_t PACKED = Catlass::Epilogue::Fusion::PACKED;

    /// Arguments from the user.
    struct Arguments {
        GemmCoord problemShape; // M: the rows that there is room for
        uint32_t problemCount;  // groups

        /// An int64_t for each group: where its rows end, which is where those of the next begin.
        GM_ADDR ptrGroupList;

        GM_ADDR ptrA;
        GM_ADDR ptrB;
        typename EVT::Arguments evt_args;

        /// Cube cores that the workspace has blocks for. In a launch on more, the others have nothing to do; no device
        /// has more than the default.
        uint32_t aicCoreNum{32};

        /// For rows that are further apart; an empty layout is that of a packed matrix.
        LayoutA layoutA{};
        LayoutB layoutB{};

        /// Elements from the B of one group to that of the next.
        int64_t strideB{PACKED};

        /// The B of the second accumulator, if the graph reads one; ptrB for the second half of the columns of B, with
        /// the stride of that.
        GM_ADDR ptrB2{nullptr};
        LayoutB layoutB2{};
        int64_t strideB2{PACKED};
    };

    /// Parameters of the kernel.
    struct Params : Base::CommonParams {
        GemmCoord problemShape;
        uint32_t problemCount;
        GM_ADDR ptrGroupList;
        int64_t strideB;
        int64_t strideB2;
    };

    static_assert(std::is_trivially_copyable_v<Params>, "The arguments of a kernel are plain data");

    static Verdict CanImplement(Arguments const& args)
    {
        if (args.problemCount == 0 || args.ptrGroupList == nullptr) {
            return {args.problemCount == 0 ? "problemCount is 0" : "ptrGroupList is null"};
        }
        if (args.strideB < PACKED || args.strideB2 < PACKED) {
            return {args.strideB < PACKED ? "strideB is negative" : "strideB2 is negative"};
        }
        return Base::CanServe(ShapeOf(args), args, args.problemShape.m(), MaxBlockRows(args));
    }

    /// The workspace holds C or its blocks, then the shares of the nodes.
    static size_t GetWorkspaceSize(Arguments const& args)
    {
        return SizeOfC(args) + EVT::get_workspace_size(ShapeOf(args), args.evt_args);
    }

    CATLASS_HOST_DEVICE static Params ToUnderlyingArguments(Arguments const& args, GM_ADDR workspace)
    {
        GemmCoord const& shape = args.problemShape;
        GM_ADDR evtWorkspace = workspace == nullptr ? nullptr : workspace + SizeOfC(args);
        auto evtParams = EVT::to_underlying_arguments(ShapeOf(args), args.evt_args, evtWorkspace);
        auto common = Base::MakeParams(
            shape, args.ptrA, args.layoutA, args.ptrB, args.layoutB, workspace, evtParams, args.aicCoreNum, args.ptrB2,
            args.layoutB2);
        int64_t strideB2 = Base::AreHalves(args.ptrB, args.ptrB2) ? args.strideB : args.strideB2;
        return Params{
            common,
            shape,
            args.problemCount,
            args.ptrGroupList,
            OperandB::StrideOf(args.strideB, common.layoutB),
            OperandB::StrideOf(strideB2, common.layoutB2)};
    }

    CATLASS_DEVICE
    GroupedMatmulSliceMVisitor()
    {}

    template <int32_t CORE_TYPE = g_coreType>
    CATLASS_DEVICE void operator()(Params const& params)
    {
        Base::template Run<CORE_TYPE, Problems>(params);
    }

private:
    struct Problems : Cursor {
        static constexpr bool SEVERAL = true;

        CATLASS_DEVICE
        Problems(Params const& params)
            : room(params.problemShape.m()), strideB(params.strideB), strideB2(params.strideB2)
        {
            gmGroupList.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(params.ptrGroupList));
            this->shape = params.problemShape;
            uint32_t begin = 0;
            for (uint32_t i = 0; i < params.problemCount; ++i) {
                uint32_t end = EndOf(i, begin);
                allBlocks += Base::BlocksOf(end - begin, this->shape.n());
                begin = end;
            }
            this->problem.allRows = begin;
        }

        /// With all the rows that there is room for: the host does not know the list.
        CATLASS_DEVICE
        MatrixCoord ShapeOfC() const
        {
            return MatrixCoord{room, this->shape.n()};
        }

        CATLASS_DEVICE
        uint32_t Blocks() const
        {
            return allBlocks;
        }

        CATLASS_DEVICE
        bool Seek(uint32_t block)
        {
            if (block < endBlock) {
                return false;
            }
            do {
                this->problem.index = next++;
                this->problem.firstRow += this->problem.rows;
                this->problem.rows = EndOf(this->problem.index, this->problem.firstRow) - this->problem.firstRow;
                this->problem.firstBlock = endBlock;
                endBlock += Base::BlocksOf(this->problem.rows, this->shape.n());
            } while (block >= endBlock);
            this->shape.m() = this->problem.rows;
            this->firstRowOfC = this->problem.firstRow;
            this->offsetB = this->problem.index * strideB;
            this->offsetB2 = this->problem.index * strideB2;
            return true;
        }

    private:
        AscendC::GlobalTensor<int64_t> gmGroupList;
        uint32_t room;
        int64_t strideB;
        int64_t strideB2;
        uint32_t allBlocks{0};
        uint32_t next{0};
        uint32_t endBlock{0}; // of the group that the core is at; none yet

        /// Where the rows of a group end: not before they begin, nor beyond the room.
        CATLASS_DEVICE
        uint32_t EndOf(uint32_t index, uint32_t begin) const
        {
            int64_t end = gmGroupList.GetValue(index);
            if (end > room) {
                return room;
            }
            return end < begin ? begin : static_cast<uint32_t>(end);
        }
    };

    CATLASS_HOST_DEVICE static ProblemShape ShapeOf(Arguments const& args)
    {
        return ProblemShape{args.problemShape, args.problemCount};
    }

    /// The most rows of blocks, wherever the groups end: the last of a group may have one row only.
    static uint64_t MaxBlockRows(Arguments const& args)
    {
        uint64_t rows = args.problemShape.m();
        uint64_t most = rows / Base::L1TileShape::M + args.problemCount;
        return most < rows ? most : rows;
    }

    CATLASS_HOST_DEVICE static size_t SizeOfC(Arguments const& args)
    {
        return Base::SizeOfC(args.problemShape.GetCoordMN(), args.aicCoreNum);
    }
};

} // namespace Catlass::Gemm::Kernel

#endif // CATLASS_GEMM_KERNEL_GROUPED_MATMUL_SLICE_M_VISITOR_HPP
