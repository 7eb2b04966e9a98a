#ifndef CATLASS_GEMM_KERNEL_SPLITK_MATMUL_VISITOR_HPP
#define CATLASS_GEMM_KERNEL_SPLITK_MATMUL_VISITOR_HPP

#include <type_traits>

#include "catlass/arch/resource.hpp"
#include "catlass/catlass.hpp"
#include "catlass/coord.hpp"
#include "catlass/epilogue/tile/copy_gm_to_ub.hpp"
#include "catlass/epilogue/tile/copy_ub_to_gm.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm_coord.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/matrix_coord.hpp"
#include "catlass/epilogue/fusion/visitor_impl_base.hpp"
#include "catlass/gemm/kernel/visitor_kernel.hpp"

namespace Catlass::Gemm::Kernel {

/// A matmul with a long K and few blocks, whose epilogue is a graph of visitor nodes. K is split into slices, whose
/// products the AICs compute at the same time, as if they were matmuls of their own. All AIVs then add them up, always
/// in the order of K, and the epilogue visits the sum.
///
/// The AIVs wait for each other, so a launch must not have more cores than the device.
template <class BlockMmad_, class BlockEpilogue_, class BlockScheduler_, uint32_t SPLITK_FACTOR_>
class SplitkMatmulVisitor : public VisitorKernel<BlockMmad_, BlockEpilogue_, BlockScheduler_, 0> {
    using Base = VisitorKernel<BlockMmad_, BlockEpilogue_, BlockScheduler_, 0>;
    using typename Base::ArchTag;
    using typename Base::BlockEpilogue;
    using typename Base::BlockScheduler;
    using typename Base::Cursor;
    using typename Base::L1TileShape;
    using typename Base::LayoutC;
    using typename Base::Phases;
    using typename Base::Verdict;

    /// Of the products, which are not rounded before they are added up, and of their sum.
    using ElementAccumulator = typename Base::ElementC;
    using ElementC = typename BlockEpilogue::ElementC;

public:
    using typename Base::EVT;
    using typename Base::LayoutA;
    using typename Base::LayoutB;

    static constexpr uint32_t SPLITK_FACTOR = SPLITK_FACTOR_;

    /// So many rows of one repeat each have room in UB, twice.
    static constexpr uint32_t MAX_SPLITK_FACTOR = 256;

    static_assert(SPLITK_FACTOR > 0 && SPLITK_FACTOR <= MAX_SPLITK_FACTOR, "UB has no room for so many slices");
    static_assert(
        std::is_same_v<ElementAccumulator, float> || std::is_same_v<ElementAccumulator, int32_t>,
        "The products must be as the cube core adds them up");
    static_assert(
        std::is_same_v<typename BlockEpilogue::LayoutC, LayoutC>, "The matmul and the epilogue must agree on C");
    static_assert(!EVT::HasResident() && EVT::ACCUMULATORS == 1, "The sum is in GM, and is one");

    /// Arguments from the user.
    struct Arguments {
        GemmCoord problemShape;
        GM_ADDR ptrA;
        GM_ADDR ptrB;
        typename EVT::Arguments evt_args;

        /// As of the other kernels. The workspace is the same for any number of cores.
        uint32_t aicCoreNum{32};

        /// For rows that are further apart; an empty layout is that of a packed matrix.
        LayoutA layoutA{};
        LayoutB layoutB{};

        /// Slices of K; no more than it has tiles.
        uint32_t splitkFactor{SPLITK_FACTOR};
    };

    /// Parameters of the kernel. Its workspace is that of the products.
    struct Params : Base::CommonParams {
        GemmCoord problemShape;
        GM_ADDR ptrC;
        uint32_t slices;
    };

    static_assert(std::is_trivially_copyable_v<Params>, "The arguments of a kernel are plain data");

    static Verdict CanImplement(Arguments const& args)
    {
        GemmCoord const& shape = args.problemShape;
        if (args.splitkFactor == 0 || args.splitkFactor > MAX_SPLITK_FACTOR) {
            return {"splitkFactor is 0, or more than 256"};
        }
        if (CountOf(shape) > Catlass::Epilogue::Fusion::detail::MAX_DISTANCE / sizeof(ElementAccumulator)) {
            return {"the product of a slice has 2^32 bytes or more"};
        }
        uint64_t slices = SlicesOf(args);
        return Base::CanServe(shape, args, slices * shape.m(), slices * CeilDiv<L1TileShape::M>(shape.m()));
    }

    /// The workspace holds C, then the products, then the shares of the nodes.
    static size_t GetWorkspaceSize(Arguments const& args)
    {
        return WorkspaceSize(args) + EVT::get_workspace_size(args.problemShape, args.evt_args);
    }

    CATLASS_HOST_DEVICE static Params ToUnderlyingArguments(Arguments const& args, GM_ADDR workspace)
    {
        GemmCoord const& shape = args.problemShape;
        GM_ADDR products = workspace == nullptr ? nullptr : workspace + SizeOfC(args);
        GM_ADDR evtWorkspace = workspace == nullptr ? nullptr : workspace + WorkspaceSize(args);
        auto evtParams = EVT::to_underlying_arguments(shape, args.evt_args, evtWorkspace);
        return Params{
            Base::MakeParams(
                shape, args.ptrA, args.layoutA, args.ptrB, args.layoutB, products, evtParams, args.aicCoreNum),
            shape, workspace, SlicesOf(args)};
    }

    CATLASS_DEVICE
    SplitkMatmulVisitor()
    {}

    template <int32_t CORE_TYPE = g_coreType>
    CATLASS_DEVICE void operator()(Params const& params)
    {
        if constexpr (CORE_TYPE == AscendC::AIC) {
            Base::template RunMmad<Slices>(params);
        } else {
            if constexpr (Phases::COUNT > 1) {
                BlockEpilogue::Fill(this->resource, params.epilogueParams);
            }
            Base::FillParts(params.epilogueParams, typename Base::AllPhases{});
            AwaitProducts(params);
            Base::MeetAivs();
            AddProducts(params);
            RunPhases(params, typename Base::AllPhases{});
        }
        AscendC::PipeBarrier<PIPE_ALL>();
    }

private:
    using CopyGmToUb = Epilogue::Tile::CopyGm2Ub<ArchTag, Gemm::GemmType<ElementAccumulator, layout::RowMajor>>;
    using CopyUbToGm = Epilogue::Tile::CopyUb2Gm<ArchTag, Gemm::GemmType<ElementC, layout::RowMajor>>;

    // Elements of a repeat of the products
    static constexpr uint32_t REPEAT = 256 / sizeof(ElementAccumulator);
    static constexpr uint32_t BLOCK = BYTE_PER_BLK / sizeof(ElementAccumulator);

    static constexpr bool ROUNDS = !std::is_same_v<ElementC, ElementAccumulator>;

    // Tiles of the sum in flight, before the epilogue takes UB
    static constexpr int32_t UB_STAGES = 2;
    static constexpr uint32_t STAGE_BYTES = RoundDown<Catlass::Epilogue::Fusion::BANK_PERIOD>(
        Phases::template At<0>::UB_USABLE / static_cast<uint32_t>(UB_STAGES));

    /// The slices of K, which are matmuls for the AIC, their products one below the other.
    struct Slices : Cursor {
        static constexpr bool SEVERAL = false; // for the epilogue

        CATLASS_DEVICE
        Slices(Params const& params_) : params(params_), index(params.slices)
        {
            this->shape = params.problemShape;
        }

        CATLASS_DEVICE
        MatrixCoord ShapeOfC() const
        {
            return MatrixCoord{this->shape.m() * params.slices, this->shape.n()};
        }

        CATLASS_DEVICE
        uint32_t Blocks() const
        {
            return BlocksOfSlice() * params.slices;
        }

        CATLASS_DEVICE
        bool Seek(uint32_t block)
        {
            uint32_t next = block / BlocksOfSlice();
            if (next == index) {
                return false;
            }
            index = next;
            this->problem.firstBlock = index * BlocksOfSlice();
            this->firstRowOfC = index * this->shape.m();
            uint32_t begin = Begin(index);
            uint32_t end = index + 1 < params.slices ? Begin(index + 1) : params.problemShape.k();
            this->shape = GemmCoord{this->shape.m(), this->shape.n(), end - begin};
            this->offsetA = params.layoutA.GetOffset(MatrixCoord{0u, begin});
            this->offsetB = params.layoutB.GetOffset(MatrixCoord{begin, 0u});
            return true;
        }

    private:
        Params const& params;
        uint32_t index; // none yet

        CATLASS_DEVICE
        uint32_t BlocksOfSlice() const
        {
            return Base::BlocksOf(this->shape.m(), this->shape.n());
        }

        /// Where in K a slice begins: each has as many tiles as the last, or one more.
        CATLASS_DEVICE
        uint32_t Begin(uint32_t slice) const
        {
            uint32_t tiles = CeilDiv<L1TileShape::K>(params.problemShape.k());
            uint32_t more = tiles % params.slices;
            return (tiles / params.slices * slice + (slice < more ? slice : more)) * L1TileShape::K;
        }
    };

    CATLASS_HOST_DEVICE static uint32_t SlicesOf(Arguments const& args)
    {
        uint32_t tiles = CeilDiv<L1TileShape::K>(args.problemShape.k());
        return args.splitkFactor < tiles ? args.splitkFactor : tiles;
    }

    CATLASS_HOST_DEVICE static uint64_t CountOf(GemmCoord const& shape)
    {
        return uint64_t{shape.m()} * shape.n();
    }

    CATLASS_HOST_DEVICE static size_t SizeOfC(Arguments const& args)
    {
        return RoundUp<Catlass::Epilogue::Fusion::GM_ALIGN>(
            static_cast<size_t>(CountOf(args.problemShape) * sizeof(ElementC)));
    }

    /// Of C and the products.
    CATLASS_HOST_DEVICE static size_t WorkspaceSize(Arguments const& args)
    {
        GemmCoord const& shape = args.problemShape;
        return SizeOfC(args) + Base::SizeOfC(MatrixCoord{shape.m() * SlicesOf(args), shape.n()}, args.aicCoreNum);
    }

    /// On an AIV: waits for the blocks of its AIC.
    CATLASS_DEVICE
    void AwaitProducts(Params const& params)
    {
        Slices slices(params);
        auto aicoreIdx = static_cast<uint32_t>(AscendC::GetBlockIdx() / AscendC::GetSubBlockNum());
        typename Base::Handoff handoff(
            this->resource, params.ptrWorkspace, slices.ShapeOfC(), params.aicCoreNum, aicoreIdx, slices.Blocks());
        for (uint32_t loop = aicoreIdx; loop < handoff.CoreLoops(); loop += handoff.CoreNum()) {
            handoff.Await(loop);
            handoff.Release(loop);
        }
    }

    /// On an AIV: adds up its share of the products, a tile of all slices at a time.
    CATLASS_DEVICE
    void AddProducts(Params const& params)
    {
        using Catlass::Epilogue::Fusion::BarrierV;

        uint64_t all = CountOf(params.problemShape);
        auto share = Catlass::Epilogue::Fusion::detail::ShareOfAiv(all, REPEAT);
        auto fitting = static_cast<uint32_t>(
            STAGE_BYTES / (params.slices * sizeof(ElementAccumulator) + ROUNDS * sizeof(ElementC)));
        uint32_t length = RoundDown<REPEAT>(fitting);

        AscendC::GlobalTensor<ElementAccumulator> gmProducts;
        gmProducts.SetGlobalBuffer(reinterpret_cast<__gm__ ElementAccumulator*>(params.ptrWorkspace));
        AscendC::GlobalTensor<ElementC> gmC;
        gmC.SetGlobalBuffer(reinterpret_cast<__gm__ ElementC*>(params.ptrC));

        for (int32_t i = 0; i < UB_STAGES; ++i) {
            AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(i);
        }
        int32_t stageId = 0;
        for (uint64_t first = share.first; first < share.end; first += length) {
            auto count = static_cast<uint32_t>(share.end - first < length ? share.end - first : length);
            uint32_t stride = RoundUp<BLOCK>(count);
            uint32_t ubOffset = static_cast<uint32_t>(stageId) * STAGE_BYTES;
            auto ubProducts = this->resource.ubBuf.template GetBufferByByte<ElementAccumulator>(ubOffset);

            AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(stageId);
            CopyGmToUb{}(
                ubProducts, gmProducts[first], layout::RowMajor{params.slices, count, stride},
                layout::RowMajor{params.slices, count, static_cast<int64_t>(all)});
            AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(stageId);

            AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(stageId);
            for (uint32_t slice = 1; slice < params.slices; ++slice) {
                AscendC::Add(ubProducts, ubProducts, ubProducts[slice * stride], static_cast<int32_t>(count));
                BarrierV();
            }
            auto ubC = this->resource.ubBuf.template GetBufferByByte<ElementC>(
                ubOffset + ROUNDS * params.slices * stride * sizeof(ElementAccumulator));
            if constexpr (ROUNDS) {
                AscendC::Cast(ubC, ubProducts, AscendC::RoundMode::CAST_RINT, count);
            }
            AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(stageId);

            AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(stageId);
            CopyUbToGm{}(gmC[first], ubC, layout::RowMajor{1u, count}, layout::RowMajor{1u, count});
            AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(stageId);

            stageId = stageId + 1 < UB_STAGES ? stageId + 1 : 0;
        }
        for (int32_t i = 0; i < UB_STAGES; ++i) {
            AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(i);
        }
    }

    /// On an AIV: each phase of the epilogue begins when all AIVs have finished what is before it.
    template <size_t... Is>
    CATLASS_DEVICE void RunPhases(Params const& params, tla::index_sequence<Is...>)
    {
        ((Base::MeetAivs(), VisitBlocks<Is>(params), Base::template JoinParts<Is, Slices>(params)), ...);
    }

    /// One phase: visits the blocks of the sum.
    template <size_t PHASE>
    CATLASS_DEVICE void VisitBlocks(Params const& params)
    {
        BlockScheduler scheduler(params.problemShape, MakeCoord(L1TileShape::M, L1TileShape::N));
        typename Phases::template At<PHASE> blockEpilogue(
            this->resource, Phases::template ParamsOf<PHASE>(params.epilogueParams));
        AscendC::GlobalTensor<ElementC> gmC;
        gmC.SetGlobalBuffer(reinterpret_cast<__gm__ ElementC*>(params.ptrC));
        LayoutC layoutC{params.problemShape.m(), params.problemShape.n()};

        auto aicoreIdx = static_cast<uint32_t>(AscendC::GetBlockIdx() / AscendC::GetSubBlockNum());
        GemmCoord blockShape = L1TileShape::ToCoord();
        auto coreNum = static_cast<uint32_t>(AscendC::GetBlockNum());
        for (uint32_t loop = aicoreIdx; loop < scheduler.GetCoreLoops(); loop += coreNum) {
            GemmCoord blockCoord = scheduler.GetBlockCoord(loop);
            GemmCoord actualBlockShape = scheduler.GetActualBlockShape(blockCoord);
            MatrixCoord offset{blockCoord.m() * L1TileShape::M, blockCoord.n() * L1TileShape::N};
            blockEpilogue(
                blockShape, blockCoord, actualBlockShape, gmC[Catlass::Epilogue::Fusion::OffsetOf(layoutC, offset)],
                layoutC.GetTileLayout(actualBlockShape.GetCoordMN()));
        }
    }
};

} // namespace Catlass::Gemm::Kernel

#endif // CATLASS_GEMM_KERNEL_SPLITK_MATMUL_VISITOR_HPP
