#ifndef CATLASS_GEMM_KERNEL_MATMUL_VISITOR_HPP
#define CATLASS_GEMM_KERNEL_MATMUL_VISITOR_HPP

#include <type_traits>

#include "catlass/catlass.hpp"
#include "catlass/gemm_coord.hpp"
#include "catlass/gemm/kernel/visitor_kernel.hpp"

namespace Catlass::Gemm::Kernel {

/// A matmul whose epilogue is a graph of visitor nodes.
template <class BlockMmad_, class BlockEpilogue_, class BlockScheduler_, uint32_t WORKSPACE_STAGES_ = 3>
class MatmulVisitor : public VisitorKernel<BlockMmad_, BlockEpilogue_, BlockScheduler_, WORKSPACE_STAGES_> {
    using Base = VisitorKernel<BlockMmad_, BlockEpilogue_, BlockScheduler_, WORKSPACE_STAGES_>;
    using typename Base::Cursor;
    using typename Base::Verdict;

public:
    using typename Base::EVT;
    using typename Base::LayoutA;
    using typename Base::LayoutB;

    /// Arguments from the user.
    struct Arguments {
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

        /// The B of the second accumulator, if the graph reads one; ptrB for the second half of the columns of B.
        GM_ADDR ptrB2{nullptr};
        LayoutB layoutB2{};
    };

    /// Parameters of the kernel.
    struct Params : Base::CommonParams {
        GemmCoord problemShape;
    };

    static_assert(std::is_trivially_copyable_v<Params>, "The arguments of a kernel are plain data");

    static Verdict CanImplement(Arguments const& args)
    {
        GemmCoord const& shape = args.problemShape;
        return Base::CanServe(shape, args, shape.m(), CeilDiv<Base::L1TileShape::M>(shape.m()));
    }

    /// The workspace holds C or its blocks, then the shares of the nodes.
    static size_t GetWorkspaceSize(Arguments const& args)
    {
        return SizeOfC(args) + EVT::get_workspace_size(args.problemShape, args.evt_args);
    }

    CATLASS_HOST_DEVICE static Params ToUnderlyingArguments(Arguments const& args, GM_ADDR workspace)
    {
        GemmCoord const& shape = args.problemShape;
        GM_ADDR evtWorkspace = workspace == nullptr ? nullptr : workspace + SizeOfC(args);
        auto evtParams = EVT::to_underlying_arguments(shape, args.evt_args, evtWorkspace);
        return Params{
            Base::MakeParams(
                shape, args.ptrA, args.layoutA, args.ptrB, args.layoutB, workspace, evtParams, args.aicCoreNum,
                args.ptrB2, args.layoutB2),
            shape};
    }

    CATLASS_DEVICE
    MatmulVisitor()
    {}

    template <int32_t CORE_TYPE = g_coreType>
    CATLASS_DEVICE void operator()(Params const& params)
    {
        Base::template Run<CORE_TYPE, Problems>(params);
    }

private:
    struct Problems : Cursor {
        static constexpr bool SEVERAL = false;

        CATLASS_DEVICE
        Problems(Params const& params)
        {
            this->shape = params.problemShape;
        }

        CATLASS_DEVICE
        MatrixCoord ShapeOfC() const
        {
            return this->shape.GetCoordMN();
        }

        CATLASS_DEVICE
        uint32_t Blocks() const
        {
            return Base::BlocksOf(this->shape.m(), this->shape.n());
        }

        CATLASS_DEVICE
        bool Seek(uint32_t)
        {
            bool isFirst = !started;
            started = true;
            return isFirst;
        }

    private:
        bool started{false};
    };

    CATLASS_HOST_DEVICE static size_t SizeOfC(Arguments const& args)
    {
        return Base::SizeOfC(args.problemShape.GetCoordMN(), args.aicCoreNum);
    }
};

} // namespace Catlass::Gemm::Kernel

#endif // CATLASS_GEMM_KERNEL_MATMUL_VISITOR_HPP
