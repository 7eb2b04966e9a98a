#ifndef CATLASS_GEMM_KERNEL_ACCUMULATOR_HANDOFF_HPP
#define CATLASS_GEMM_KERNEL_ACCUMULATOR_HANDOFF_HPP

#include "catlass/arch/cross_core_sync.hpp"
#include "catlass/arch/resource.hpp"
#include "catlass/catlass.hpp"
#include "catlass/detail/callback.hpp"
#include "catlass/gemm_coord.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/matrix_coord.hpp"
#include "catlass/epilogue/fusion/visitor_impl_base.hpp"

namespace Catlass::Gemm::Kernel {

/// How a block of the accumulator C = A * B gets from the AIC to its AIVs: where it lies, and the flags that say that
/// it is there, and that it is no longer needed. The blocks of all matmuls of a launch are numbered through; core i
/// takes the blocks i, i + coreNum, i + 2 * coreNum, ... Where the graph reads two accumulators, their blocks with one
/// number are handed over together.
template <class BlockMmad, class BlockEpilogue, uint32_t ACCUMULATORS, uint32_t STAGES, bool IN_UB>
class AccumulatorHandoff {
    static_assert(
        !IN_UB,
        "VisitorAccLoad<Element, true> reads C in UB, where only Ascend950 stores it: leave out true, or compile with "
        "CATLASS_ARCH 3510");
};

/// How often a cross-core flag can be set before it is waited for: an AIC sets one for each block that the AIVs have
/// yet to visit.
constexpr uint32_t MAX_WORKSPACE_STAGES = 15;

/// Through the workspace: the AIC writes STAGES blocks of its own there in turn. With 0 the workspace has the whole of
/// C.
template <class BlockMmad, class BlockEpilogue, uint32_t ACCUMULATORS, uint32_t STAGES>
class AccumulatorHandoff<BlockMmad, BlockEpilogue, ACCUMULATORS, STAGES, false> {
public:
    using ElementC = typename BlockMmad::ElementC;
    using LayoutC = typename BlockMmad::LayoutC;
    using L1TileShape = typename BlockMmad::L1TileShape;
    using ArchTag = typename BlockMmad::ArchTag;

    static_assert(STAGES <= MAX_WORKSPACE_STAGES, "WORKSPACE_STAGES: a flag between cores does not count beyond 15");

    /// Bytes of the workspace. shapeOfC: with the rows of all matmuls, one after the other.
    CATLASS_HOST_DEVICE static size_t WorkspaceSize(MatrixCoord const& shapeOfC, uint32_t aicCoreNum)
    {
        size_t count = static_cast<size_t>(shapeOfC.row()) * shapeOfC.column();
        if constexpr (STAGES > 0) {
            count = static_cast<size_t>(aicCoreNum) * STAGES * L1TileShape::M * L1TileShape::N;
        }
        return sizeof(ElementC) * ACCUMULATORS * count;
    }

    /// The same on the AIC and on its AIVs. blocks: of all cores; aicCoreNum: cores that the workspace has blocks for.
    CATLASS_DEVICE
    AccumulatorHandoff(
        Arch::Resource<ArchTag>&, GM_ADDR ptrWorkspace, MatrixCoord const& shapeOfC, uint32_t aicCoreNum,
        uint32_t coreIdx, uint32_t blocks)
        : coreNum(static_cast<uint32_t>(AscendC::GetBlockNum()))
    {
        if constexpr (STAGES > 0) {
            coreNum = coreNum < aicCoreNum ? coreNum : aicCoreNum;
        }
        coreLoops = coreIdx < coreNum ? blocks : 0;
        inFlight = coreNum * (STAGES == 0 ? MAX_WORKSPACE_STAGES : STAGES);
        if constexpr (STAGES > 0) {
            layoutC = LayoutC{inFlight * ACCUMULATORS * L1TileShape::M, L1TileShape::N};
            accumulatorRows = L1TileShape::M;
        } else {
            layoutC = LayoutC{ACCUMULATORS * shapeOfC.row(), shapeOfC.column()};
            accumulatorRows = shapeOfC.row();
        }
        gmC.SetGlobalBuffer(reinterpret_cast<__gm__ ElementC*>(ptrWorkspace));
    }

    CATLASS_DEVICE uint32_t CoreNum() const
    {
        return coreNum;
    }

    /// The number of the first block that this core has no part in, nor any later one.
    CATLASS_DEVICE uint32_t CoreLoops() const
    {
        return coreLoops;
    }

    /// On the AIC: computes a block of accumulator INDEX, of each in turn. offsetInC: of the block, in the rows of all
    /// matmuls. An asynchronous BlockMmad stores it later, while it loads another.
    template <uint32_t INDEX, class GmA, class LayoutA, class GmB, class LayoutB>
    CATLASS_DEVICE void Produce(
        BlockMmad& blockMmad, GmA const& gmA, LayoutA const& layoutA, GmB const& gmB, LayoutB const& layoutB,
        uint32_t loop, MatrixCoord const& offsetInC, GemmCoord const& actualBlockShape)
    {
        constexpr bool IS_LAST = INDEX + 1 == ACCUMULATORS;
        bool waits = INDEX == 0 && WaitsForAnother(loop);
        auto gmBlockC =
            gmC[static_cast<uint64_t>(layoutC.GetOffset(OffsetOf(loop, offsetInC)) + INDEX * AccumulatorStride())];
        if constexpr (BlockMmad::DispatchPolicy::ASYNC) {
            Callback beforeFixpipe{};
            if (waits) {
                beforeFixpipe = MakeCallback(&waitForAivs);
            }
            Callback afterFixpipe{};
            if constexpr (IS_LAST) {
                afterFixpipe = MakeCallback(&tellAivs);
            }
            blockMmad(gmA, layoutA, gmB, layoutB, gmBlockC, layoutC, actualBlockShape, beforeFixpipe, afterFixpipe);
        } else {
            if (waits) {
                Arch::CrossCoreWaitFlag(flagAivFinishLoad);
            }
            blockMmad(gmA, layoutA, gmB, layoutB, gmBlockC, layoutC, actualBlockShape);
            if constexpr (IS_LAST) {
                Arch::CrossCoreSetFlag<SYNC_MODE_GROUP, PIPE_FIX>(flagAicFinishStore);
            }
        }
    }

    /// On the AIC, after its last block: stores those that it has not stored, while the callbacks live.
    CATLASS_DEVICE
    void Finish(BlockMmad& blockMmad)
    {
        if constexpr (BlockMmad::DispatchPolicy::ASYNC) {
            blockMmad.SynchronizeBlock();
        }
    }

    /// On an AIV: waits for a block, also one of which it has no rows: the AIC waits for both AIVs.
    CATLASS_DEVICE
    void Await(uint32_t /*loop*/)
    {
        Arch::CrossCoreWaitFlag(flagAicFinishStore);
    }

    /// On an AIV: visits a block that it has waited for; where the workspace has the whole of C, as often as it likes.
    template <class Visiting>
    CATLASS_DEVICE void Visit(
        Visiting& blockEpilogue, GemmCoord const& blockShape, uint32_t loop, MatrixCoord const& offsetInC,
        GemmCoord const& blockCoord, GemmCoord const& actualBlockShape)
    {
        blockEpilogue(
            blockShape, blockCoord, actualBlockShape,
            gmC[Catlass::Epilogue::Fusion::OffsetOf(layoutC, OffsetOf(loop, offsetInC))],
            layoutC.GetTileLayout(actualBlockShape.GetCoordMN()), AccumulatorStride());
    }

    /// On an AIV: tells the AIC that it has read a block.
    CATLASS_DEVICE
    void Release(uint32_t loop)
    {
        // Only MTE2 reads C
        if (IsWaitedFor(loop)) {
            Arch::CrossCoreSetFlag<SYNC_MODE_GROUP, PIPE_MTE2>(flagAivFinishLoad);
        }
    }

private:
    static constexpr Arch::FlagID FLAG_AIC_FINISH_STORE = 0;
    static constexpr Arch::FlagID FLAG_AIV_FINISH_LOAD = 1;

    // The mode of a cross-core flag between a cube core and the vector cores of its group
    static constexpr uint8_t SYNC_MODE_GROUP = 0x2;

    // What an asynchronous BlockMmad calls before and after it stores a block: the same for all, since flags count
    struct WaitForAivs {
        CATLASS_DEVICE
        void operator()() const
        {
            Arch::CrossCoreFlag flag{FLAG_AIV_FINISH_LOAD};
            Arch::CrossCoreWaitFlag(flag);
        }
    };
    struct TellAivs {
        CATLASS_DEVICE
        void operator()() const
        {
            Arch::CrossCoreFlag flag{FLAG_AIC_FINISH_STORE};
            Arch::CrossCoreSetFlag<SYNC_MODE_GROUP, PIPE_FIX>(flag);
        }
    };

    Arch::CrossCoreFlag flagAicFinishStore{FLAG_AIC_FINISH_STORE};
    Arch::CrossCoreFlag flagAivFinishLoad{FLAG_AIV_FINISH_LOAD};
    WaitForAivs waitForAivs;
    TellAivs tellAivs;
    AscendC::GlobalTensor<ElementC> gmC;
    LayoutC layoutC;
    uint32_t accumulatorRows; // from a block of one accumulator to that of the next
    uint32_t coreNum;
    uint32_t coreLoops;
    uint32_t inFlight; // blocks that all AICs together may be ahead of the AIVs: a block waits for the one so far back

    /// A block's first element in the workspace.
    CATLASS_DEVICE
    MatrixCoord OffsetOf(uint32_t loop, MatrixCoord const& offsetInC) const
    {
        if constexpr (STAGES > 0) {
            return MatrixCoord{loop % inFlight * ACCUMULATORS * L1TileShape::M, 0u};
        } else {
            return offsetInC;
        }
    }

    /// Elements from a block of one accumulator to that of the next.
    CATLASS_DEVICE
    int64_t AccumulatorStride() const
    {
        return accumulatorRows * layoutC.stride(0);
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

#if defined(CATLASS_ARCH) && CATLASS_ARCH == 3510

/// Through UB: the AIC stores STAGES blocks of its own in turn at the start of the UB of its two AIVs, half of the rows
/// in each. The AIVs compute with them in place.
template <class BlockMmad, class BlockEpilogue, uint32_t ACCUMULATORS, uint32_t STAGES>
class AccumulatorHandoff<BlockMmad, BlockEpilogue, ACCUMULATORS, STAGES, true> {
public:
    using ElementC = typename BlockMmad::ElementC;
    using L1TileShape = typename BlockMmad::L1TileShape;
    using ArchTag = typename BlockMmad::ArchTag;
    using EVT = typename BlockEpilogue::EVT;

    /// Bytes of UB of a block: the rows of one AIV, as far apart as those of a tile.
    static constexpr uint32_t BLOCK_BYTES = RoundUp<Catlass::Epilogue::Fusion::BANK_PERIOD>(
        CeilDiv<2>(L1TileShape::M) * RoundUp<EVT::STRIDE_ALIGN>(L1TileShape::N) * sizeof(ElementC));

    static_assert(ACCUMULATORS == 1, "UB has blocks of one accumulator");
    static_assert(!BlockMmad::DispatchPolicy::ASYNC, "FIX waits alone here: no need to load ahead");
    static_assert(
        STAGES > 0 && STAGES <= MAX_WORKSPACE_STAGES, "UB has no room for the whole of C, and a flag counts to 15");
    static_assert(
        STAGES * BLOCK_BYTES <= BlockEpilogue::UB_WORKSPACE, "The dispatch policy must leave UB to the blocks of C");
    static_assert(
        L1TileShape::N <= BlockEpilogue::MAX_COLUMNS ||
            (EVT::ROW_ALIGN == 1 && BlockEpilogue::COMPUTE_LENGTH < 2 * BlockEpilogue::MAX_COLUMNS),
        "Tiles of several rows must have all columns of a block");

    CATLASS_HOST_DEVICE static size_t WorkspaceSize(MatrixCoord const&, uint32_t)
    {
        return 0;
    }

    /// As above.
    CATLASS_DEVICE
    AccumulatorHandoff(
        Arch::Resource<ArchTag>& resource_, GM_ADDR, MatrixCoord const&, uint32_t, uint32_t, uint32_t blocks)
        : resource(resource_), coreNum(static_cast<uint32_t>(AscendC::GetBlockNum())), coreLoops(blocks)
    {}

    CATLASS_DEVICE uint32_t CoreNum() const
    {
        return coreNum;
    }

    CATLASS_DEVICE uint32_t CoreLoops() const
    {
        return coreLoops;
    }

    /// On the AIC: computes a block.
    template <uint32_t INDEX, class GmA, class LayoutA, class GmB, class LayoutB>
    CATLASS_DEVICE void Produce(
        BlockMmad& blockMmad, GmA const& gmA, LayoutA const& layoutA, GmB const& gmB, LayoutB const& layoutB,
        uint32_t loop, MatrixCoord const& /*offsetInC*/, GemmCoord const& actualBlockShape)
    {
        if (loop >= STAGES * coreNum) {
            AscendC::CrossCoreWaitFlag<SYNC_MODE_CORE, PIPE_FIX>(FLAG_AIV_FINISH_READ);
            AscendC::CrossCoreWaitFlag<SYNC_MODE_CORE, PIPE_FIX>(FLAG_AIV_FINISH_READ + OF_AIV1);
        }
        blockMmad(gmA, layoutA, gmB, layoutB, BlockAt(loop), StrideOf(actualBlockShape), actualBlockShape);
        AscendC::CrossCoreSetFlag<SYNC_MODE_CORE, PIPE_FIX>(FLAG_AIC_FINISH_STORE);
        AscendC::CrossCoreSetFlag<SYNC_MODE_CORE, PIPE_FIX>(FLAG_AIC_FINISH_STORE + OF_AIV1);
    }

    CATLASS_DEVICE
    void Finish(BlockMmad&)
    {}

    /// On an AIV: waits for a block, also one of which it has no rows.
    CATLASS_DEVICE
    void Await(uint32_t /*loop*/)
    {
        // In every tile MTE3 comes after V, and MTE2 does not read C
        AscendC::CrossCoreWaitFlag<SYNC_MODE_CORE, PIPE_V>(FLAG_AIC_FINISH_STORE);
    }

    /// On an AIV: visits a block that it has waited for. Only the first of several phases reads C.
    template <class Visiting>
    CATLASS_DEVICE void Visit(
        Visiting& blockEpilogue, GemmCoord const& blockShape, uint32_t loop, MatrixCoord const& /*offsetInC*/,
        GemmCoord const& blockCoord, GemmCoord const& actualBlockShape)
    {
        if constexpr (Visiting::EVT::HasResident()) {
            blockEpilogue(blockShape, blockCoord, actualBlockShape, BlockAt(loop));
        } else {
            blockEpilogue(blockShape, blockCoord, actualBlockShape);
        }
    }

    /// On an AIV: tells the AIC that it has read a block.
    CATLASS_DEVICE
    void Release(uint32_t loop)
    {
        if (coreLoops - loop > STAGES * coreNum) {
            AscendC::CrossCoreSetFlag<SYNC_MODE_CORE, LAST_READER>(FLAG_AIV_FINISH_READ);
        }
    }

private:
    static constexpr uint16_t FLAG_AIC_FINISH_STORE = 0;
    static constexpr uint16_t FLAG_AIV_FINISH_READ = 1;

    // What the AIC adds to the number of a flag between it and AIV1
    static constexpr uint16_t OF_AIV1 = 16;

    // The mode of a cross-core flag between a cube core and one vector core of its group
    static constexpr uint8_t SYNC_MODE_CORE = 0x4;

    static constexpr pipe_t LAST_READER = EVT::StoresResident() ? PIPE_MTE3 : PIPE_V;

    Arch::Resource<ArchTag>& resource;
    uint32_t coreNum;
    uint32_t coreLoops;

    CATLASS_DEVICE
    auto BlockAt(uint32_t loop) const
    {
        return resource.ubBuf.template GetBufferByByte<ElementC>(loop / coreNum % STAGES * BLOCK_BYTES);
    }

    CATLASS_DEVICE static uint32_t StrideOf(GemmCoord const& actualBlockShape)
    {
        return RoundUp<EVT::STRIDE_ALIGN>(actualBlockShape.n());
    }
};

#endif // CATLASS_ARCH == 3510

} // namespace Catlass::Gemm::Kernel

#endif // CATLASS_GEMM_KERNEL_ACCUMULATOR_HANDOFF_HPP
