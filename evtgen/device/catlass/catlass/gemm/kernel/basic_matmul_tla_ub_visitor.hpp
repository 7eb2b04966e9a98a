// C = A * B and a graph of visitors on it (Catlass v1.6, EVG), for Ascend950: each block of C goes to the UB of both vector
// cores, half of its rows to each. The cube core writes the next one when they have computed with it.
#ifndef CATLASS_GEMM_KERNEL_BASIC_MATMUL_TLA_UB_VISITOR_HPP
#define CATLASS_GEMM_KERNEL_BASIC_MATMUL_TLA_UB_VISITOR_HPP

#if defined(CATLASS_ARCH) && CATLASS_ARCH == 3510

#include "catlass/gemm/kernel/basic_matmul_tla_of_visitors.hpp"

namespace Catlass::Gemm::Kernel {

template <class BlockMmad, class BlockEpilogue, class BlockScheduler>
class BasicMatmulTlaUbVisitor
    : public standin::VisitorKernel<BasicMatmulTlaUbVisitor<BlockMmad, BlockEpilogue, BlockScheduler>, BlockMmad,
                                    BlockEpilogue, BlockScheduler> {
    using Base = standin::VisitorKernel<BasicMatmulTlaUbVisitor, BlockMmad, BlockEpilogue, BlockScheduler>;
    friend Base;
    static_assert(std::is_same_v<typename Base::ArchTag, Arch::Ascend950>, "only Ascend950 copies from L0C to UB");
    static_assert(BlockEpilogue::USE_UB_WORKSPACE, "the epilogue finds its accumulator in GM");

public:
    CATLASS_DEVICE BasicMatmulTlaUbVisitor() {}

private:
    // The cube core names the flags of its second vector core by higher ids.
    static constexpr Arch::FlagID THERE = 0;
    static constexpr Arch::FlagID FREE = 1;
    static constexpr Arch::FlagID SECOND = 16;

    static size_t SizeOfC(GemmCoord const &) { return 0; }

    CATLASS_DEVICE auto TileOfC(typename Base::Params const &, BlockEpilogue &blockEpilogue, GemmCoord const &,
                                GemmCoord const &actual) const
    {
        return blockEpilogue.GetMmadUbTensor(actual);
    }

    CATLASS_DEVICE void Take()
    {
        AscendC::CrossCoreWaitFlag<0x4, PIPE_FIX>(FREE);
        AscendC::CrossCoreWaitFlag<0x4, PIPE_FIX>(FREE + SECOND);
    }
    CATLASS_DEVICE void Announce()
    {
        AscendC::CrossCoreSetFlag<0x4, PIPE_FIX>(THERE);
        AscendC::CrossCoreSetFlag<0x4, PIPE_FIX>(THERE + SECOND);
    }
    CATLASS_DEVICE void Await() { AscendC::CrossCoreWaitFlag<0x4, PIPE_V>(THERE); }
    /// Behind V, which is not behind a store.
    CATLASS_DEVICE void Give() { AscendC::CrossCoreSetFlag<0x4, PIPE_V>(FREE); }
};

}  // namespace Catlass::Gemm::Kernel

#endif  // CATLASS_ARCH == 3510

#endif  // CATLASS_GEMM_KERNEL_BASIC_MATMUL_TLA_UB_VISITOR_HPP
