#ifndef CATLASS_GEMM_KERNEL_BATCHED_MATMUL_VISITOR_HPP
#define CATLASS_GEMM_KERNEL_BATCHED_MATMUL_VISITOR_HPP

#include <type_traits>

#include "catlass/catlass.hpp"
#include "catlass/gemm_coord.hpp"
#include "catlass/gemm/kernel/visitor_kernel.hpp"

namespace Catlass::Gemm::Kernel {

/// Matmuls of one shape whose epilogue is a graph of visitor nodes. Each has its own operands and tensors, a stride
/// behind those of the one before, or shares them with all others: with a stride of 0.
template <class BlockMmad_, class BlockEpilogue_, class BlockScheduler_, uint32_t WORKSPACE_STAGES_ = 3>
class BatchedMatmulVisitor : public VisitorKernel<BlockMmad_, BlockEpilogue_, BlockScheduler_, WORKSPACE_STAGES_> {
    using Base = VisitorKernel<BlockMmad_, BlockEpilogue_, BlockScheduler_, WORKSPACE_STAGES_>;
    using ProblemShape = Catlass::Epilogue::Fusion::BatchedProblemShape;
    using typename Base::Cursor;
    using typename Base::OperandA;
    using typename Base::OperandB;
    using typename Base::Verdict;

public:
    using typename Base::EVT;
    using typename Base::LayoutA;
    using typename Base::LayoutB;

    static constexpr int64_t PACKED = Catlass::Epilogue::Fusion::PACKED;

    /// Arguments from the user.
    struct Arguments {
        uint32_t batchCount;
        GemmCoord problemShape;
        GM_ADDR ptrA;
        GM_ADDR ptrB;
        typename EVT::Arguments evt_args;

        /// Cube cores that the workspace has blocks for. In a launch on more, the others have nothing to do; no device
        /// has more than the default.
        uint32_t aicCoreNum{32};

        /// For rows that are further apart; an empty layout is that of a packed matrix.
        LayoutA layoutA{};
        LayoutB layoutB{};

        /// Elements from the operand of one matmul to that of the next.
        int64_t strideA{PACKED};
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
        uint32_t batchCount;
        int64_t strideA;
        int64_t strideB;
        int64_t strideB2;
    };

    static_assert(std::is_trivially_copyable_v<Params>, "The arguments of a kernel are plain data");

    static Verdict CanImplement(Arguments const& args)
    {
        if (args.batchCount == 0) {
            return {"batchCount is 0"};
        }
        if (args.strideA < PACKED) {
            return {"strideA is negative"};
        }
        if (args.strideB < PACKED || args.strideB2 < PACKED) {
            return {args.strideB < PACKED ? "strideB is negative" : "strideB2 is negative"};
        }
        uint64_t count = args.batchCount;
        uint32_t rows = args.problemShape.m();
        return Base::CanServe(ShapeOf(args), args, count * rows, count * CeilDiv<Base::L1TileShape::M>(rows));
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
            args.batchCount,
            OperandA::StrideOf(args.strideA, common.layoutA),
            OperandB::StrideOf(args.strideB, common.layoutB),
            OperandB::StrideOf(strideB2, common.layoutB2)};
    }

    CATLASS_DEVICE
    BatchedMatmulVisitor()
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
            : blocks(Base::BlocksOf(params.problemShape.m(), params.problemShape.n())),
              batchCount(params.batchCount),
              strideA(params.strideA),
              strideB(params.strideB),
              strideB2(params.strideB2)
        {
            this->shape = params.problemShape;
            this->problem.index = batchCount; // none yet
            this->problem.rows = params.problemShape.m();
            this->problem.allRows = params.problemShape.m() * batchCount;
        }

        CATLASS_DEVICE
        MatrixCoord ShapeOfC() const
        {
            return MatrixCoord{this->problem.allRows, this->shape.n()};
        }

        CATLASS_DEVICE
        uint32_t Blocks() const
        {
            return blocks * batchCount;
        }

        CATLASS_DEVICE
        bool Seek(uint32_t block)
        {
            uint32_t index = block / blocks;
            if (index == this->problem.index) {
                return false;
            }
            this->problem.index = index;
            this->problem.firstBlock = index * blocks;
            this->firstRowOfC = index * this->problem.rows;
            this->offsetA = index * strideA;
            this->offsetB = index * strideB;
            this->offsetB2 = index * strideB2;
            return true;
        }

    private:
        uint32_t blocks; // of one matmul
        uint32_t batchCount;
        int64_t strideA;
        int64_t strideB;
        int64_t strideB2;
    };

    CATLASS_HOST_DEVICE static ProblemShape ShapeOf(Arguments const& args)
    {
        return ProblemShape{args.problemShape, args.batchCount};
    }

    CATLASS_HOST_DEVICE static size_t SizeOfC(Arguments const& args)
    {
        GemmCoord const& shape = args.problemShape;
        return Base::SizeOfC(MatrixCoord{shape.m() * args.batchCount, shape.n()}, args.aicCoreNum);
    }
};

} // namespace Catlass::Gemm::Kernel

#endif // CATLASS_GEMM_KERNEL_BATCHED_MATMUL_VISITOR_HPP
