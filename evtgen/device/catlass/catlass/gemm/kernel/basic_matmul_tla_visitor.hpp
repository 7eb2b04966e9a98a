// C = A * B and a graph of visitors on it (Catlass v1.6, EVG), for Ascend950: C goes through a workspace in GM that has
// the whole of it.
#ifndef CATLASS_GEMM_KERNEL_BASIC_MATMUL_TLA_VISITOR_HPP
#define CATLASS_GEMM_KERNEL_BASIC_MATMUL_TLA_VISITOR_HPP

#if defined(CATLASS_ARCH) && CATLASS_ARCH == 3510

#include "catlass/gemm/kernel/basic_matmul_tla_of_visitors.hpp"

namespace Catlass::Gemm::Kernel {

template <class BlockMmad, class BlockEpilogue, class BlockScheduler>
class BasicMatmulTlaVisitor
    : public standin::VisitorKernel<BasicMatmulTlaVisitor<BlockMmad, BlockEpilogue, BlockScheduler>, BlockMmad,
                                    BlockEpilogue, BlockScheduler> {
    using Base = standin::VisitorKernel<BasicMatmulTlaVisitor, BlockMmad, BlockEpilogue, BlockScheduler>;
    friend Base;
    static_assert(!BlockEpilogue::USE_UB_WORKSPACE, "the epilogue finds its accumulator in UB");

public:
    CATLASS_DEVICE BasicMatmulTlaVisitor() {}

private:
    using ElementC = typename BlockMmad::ElementC;

    static size_t SizeOfC(GemmCoord const &shape) { return sizeof(ElementC) * shape.m() * shape.n(); }

    CATLASS_DEVICE auto TileOfC(typename Base::Params const &params, BlockEpilogue &, GemmCoord const &block,
                                GemmCoord const &actual) const
    {
        AscendC::GlobalTensor<ElementC> gm;
        gm.SetGlobalBuffer(reinterpret_cast<__gm__ ElementC *>(params.ptrWorkspace));
        auto const layout =
            tla::MakeLayout<ElementC, layout::RowMajor>(params.problemShape.m(), params.problemShape.n());
        return tla::GetTile(tla::MakeTensor(gm, layout, Arch::PositionGM{}),
                            tla::MakeCoord(block.m() * Base::L1_TILE_M, block.n() * Base::L1_TILE_N),
                            tla::MakeShape(actual.m(), actual.n()));
    }

    // The workspace has room for every block, so the cube core waits for nothing.
    CATLASS_DEVICE void Take() {}
    CATLASS_DEVICE void Give() {}
    CATLASS_DEVICE void Announce() { Arch::CrossCoreSetFlagWithReverse<0x2, PIPE_FIX>(stored_); }
    CATLASS_DEVICE void Await() { Arch::CrossCoreWaitFlagWithReverse<0x2, PIPE_MTE2>(stored_); }

    Arch::CrossCoreFlagWithReverse<> stored_{0, 1};
};

}  // namespace Catlass::Gemm::Kernel

#endif  // CATLASS_ARCH == 3510

#endif  // CATLASS_GEMM_KERNEL_BASIC_MATMUL_TLA_VISITOR_HPP
