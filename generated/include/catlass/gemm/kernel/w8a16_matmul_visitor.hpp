#ifndef CATLASS_GEMM_KERNEL_W8A16_MATMUL_VISITOR_HPP
#define CATLASS_GEMM_KERNEL_W8A16_MATMUL_VISITOR_HPP

#include <type_traits>

#include "catlass/arch/cross_core_sync.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue_visitor.hpp"
#include "catlass/epilogue/fusion/fusion.hpp"
#include "catlass/gemm/kernel/matmul_visitor.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm_coord.hpp"
#include "catlass/layout/layout.hpp"

namespace Catlass::Gemm::Kernel {

namespace detail {

using LoadInt8 = Catlass::Epilogue::Fusion::VisitorAuxLoad<int8_t, layout::RowMajor>;

/// What the AIVs do with B: the graph of an epilogue that reads no accumulator. Its first op loads, number STORE
/// stores.
template <class Element>
struct CastInt8;

template <>
struct CastInt8<half> {
    static constexpr size_t STORE = 2;
    using Type = Catlass::Epilogue::Fusion::TopologicalVisitor<
        tla::tuple<tla::seq<>, tla::seq<0>, tla::seq<1>>, LoadInt8,
        Catlass::Epilogue::Fusion::VisitorCast<half, int8_t>,
        Catlass::Epilogue::Fusion::VisitorAuxStore<half, layout::RowMajor>>;
};

/// No instruction casts int8_t to bfloat16_t; these three are exact.
template <>
struct CastInt8<bfloat16_t> {
    static constexpr size_t STORE = 4;
    using Type = Catlass::Epilogue::Fusion::TopologicalVisitor<
        tla::tuple<tla::seq<>, tla::seq<0>, tla::seq<1>, tla::seq<2>, tla::seq<3>>, LoadInt8,
        Catlass::Epilogue::Fusion::VisitorCast<half, int8_t>, Catlass::Epilogue::Fusion::VisitorCast<float, half>,
        Catlass::Epilogue::Fusion::VisitorCast<bfloat16_t, float, AscendC::RoundMode::CAST_RINT>,
        Catlass::Epilogue::Fusion::VisitorAuxStore<bfloat16_t, layout::RowMajor>>;
};

} // namespace detail

/// A MatmulVisitor whose B is of int8_t, such as the weights of a quantised layer. Before the matmul the AIVs cast B to
/// the type that the BlockMmad multiplies, each core some of it, into the workspace. That is exact: what B is to be
/// scaled by, the epilogue scales C by.
template <class BlockMmad_, class BlockEpilogue_, class BlockScheduler_, uint32_t WORKSPACE_STAGES_ = 3>
class W8A16MatmulVisitor : public MatmulVisitor<BlockMmad_, BlockEpilogue_, BlockScheduler_, WORKSPACE_STAGES_> {
public:
    using Matmul = MatmulVisitor<BlockMmad_, BlockEpilogue_, BlockScheduler_, WORKSPACE_STAGES_>;
    using typename Matmul::ArchTag;
    using typename Matmul::Arguments;
    using typename Matmul::ElementB;
    using typename Matmul::ElementC;
    using typename Matmul::LayoutB;
    using ElementPrologueB = int8_t;

    using Cast = typename detail::CastInt8<ElementB>::Type;

    // As many elements of a tile as UB has room for
    static constexpr uint32_t CAST_LENGTH = Catlass::Epilogue::Fusion::detail::FittingLength<Cast>(
        ArchTag::UB_SIZE, 2, ArchTag::UB_SIZE - Catlass::Epilogue::Fusion::detail::UB_RESERVED<ArchTag>);
    using BlockCast = Epilogue::Block::BlockEpilogue<
        Catlass::Epilogue::EpilogueVisitorMultiStage<ArchTag, 2>, Gemm::GemmType<ElementC, layout::RowMajor>,
        tla::Int<static_cast<int>(CAST_LENGTH)>, Cast>;

    static constexpr bool BY_ROWS = std::is_same_v<LayoutB, layout::RowMajor>;

    static_assert(BY_ROWS || std::is_same_v<LayoutB, layout::ColumnMajor>, "B must be row-major or column-major");
    static_assert(Matmul::EVT::ACCUMULATORS == 1, "One B is cast");

    /// Parameters of the kernel.
    struct Params {
        typename Matmul::Params matmul;
        typename BlockCast::Params castParams;
    };

    static_assert(std::is_trivially_copyable_v<Params>, "The arguments of a kernel are plain data");

    /// The workspace holds B as it is multiplied, then what the matmul needs.
    static size_t GetWorkspaceSize(Arguments const& args)
    {
        return SizeOfCast(args.problemShape) + Matmul::GetWorkspaceSize(args);
    }

    CATLASS_HOST_DEVICE static Params ToUnderlyingArguments(Arguments const& args, GM_ADDR workspace)
    {
        GemmCoord const& shape = args.problemShape;
        GM_ADDR matmulWorkspace = workspace == nullptr ? nullptr : workspace + SizeOfCast(shape);
        typename Matmul::Params matmul = Matmul::ToUnderlyingArguments(args, matmulWorkspace);

        typename Cast::Arguments cast;
        tla::get<0>(cast) = {args.ptrB, AsRows(matmul.layoutB)};
        tla::get<detail::CastInt8<ElementB>::STORE>(cast) = {workspace, AsRows(LayoutOfCast(shape))};
        typename BlockCast::Params castParams{Cast::to_underlying_arguments(ShapeOfCast(shape), cast, nullptr)};

        matmul.ptrB = workspace;
        matmul.layoutB = LayoutOfCast(shape);
        return Params{matmul, castParams};
    }

    CATLASS_DEVICE
    W8A16MatmulVisitor()
    {}

    template <int32_t CORE_TYPE = g_coreType>
    CATLASS_DEVICE void operator()(Params const& params)
    {
        if constexpr (CORE_TYPE == AscendC::AIC) {
            Arch::CrossCoreWaitFlag(flagAivFinishCast);
        } else {
            CastB(params);
            // A cube core multiplies what the vector cores of all groups have cast
            Arch::CrossCoreBarrier<SYNC_MODE_ALL, PIPE_MTE3>();
            Arch::CrossCoreSetFlag<SYNC_MODE_GROUP, PIPE_MTE3>(flagAivFinishCast);
        }
        Matmul::template operator()<CORE_TYPE>(params.matmul);
    }

private:
    // 0 and 1 are those of the handoff
    static constexpr Arch::FlagID FLAG_AIV_FINISH_CAST = 2;

    // The modes of a cross-core flag: between all vector cores, and between a cube core and those of its group
    static constexpr uint8_t SYNC_MODE_ALL = 0x0;
    static constexpr uint8_t SYNC_MODE_GROUP = 0x2;

    Arch::CrossCoreFlag flagAivFinishCast{FLAG_AIV_FINISH_CAST};

    /// Rows and columns of what is cast: B, or its transpose, whichever is row-major.
    CATLASS_HOST_DEVICE static GemmCoord ShapeOfCast(GemmCoord const& problemShape)
    {
        uint32_t rows = BY_ROWS ? problemShape.k() : problemShape.n();
        uint32_t columns = BY_ROWS ? problemShape.n() : problemShape.k();
        return GemmCoord{rows, columns, 1};
    }

    CATLASS_HOST_DEVICE static layout::RowMajor AsRows(LayoutB const& layoutB)
    {
        constexpr uint32_t ROW = BY_ROWS ? 0 : 1;
        return layout::RowMajor{layoutB.shape(ROW), layoutB.shape(1 - ROW), layoutB.stride(ROW)};
    }

    CATLASS_HOST_DEVICE static LayoutB LayoutOfCast(GemmCoord const& problemShape)
    {
        int64_t stride = RoundUp<Catlass::Epilogue::Fusion::GM_ALIGN / sizeof(ElementB)>(ShapeOfCast(problemShape).n());
        return LayoutB{problemShape.k(), problemShape.n(), stride};
    }

    CATLASS_HOST_DEVICE static size_t SizeOfCast(GemmCoord const& problemShape)
    {
        layout::RowMajor rows = AsRows(LayoutOfCast(problemShape));
        return static_cast<size_t>(rows.shape(0) * rows.stride(0)) * sizeof(ElementB);
    }

    /// Casts the rows of this core's share.
    CATLASS_DEVICE
    void CastB(Params const& params)
    {
        BlockCast blockCast(this->resource, params.castParams);
        GemmCoord shape = ShapeOfCast(params.matmul.problemShape);
        GemmCoord share{CeilDiv(shape.m(), static_cast<uint32_t>(AscendC::GetBlockNum())), shape.n(), 1};
        GemmCoord coord{static_cast<uint32_t>(AscendC::GetBlockIdx() / AscendC::GetSubBlockNum()), 0, 0};
        uint32_t firstRow = coord.m() * share.m();
        if (firstRow < shape.m()) {
            uint32_t rows = shape.m() - firstRow < share.m() ? shape.m() - firstRow : share.m();
            blockCast(share, coord, GemmCoord{rows, shape.n(), 1});
        }
    }
};

} // namespace Catlass::Gemm::Kernel

#endif // CATLASS_GEMM_KERNEL_W8A16_MATMUL_VISITOR_HPP
