#ifndef CATLASS_EPILOGUE_BLOCK_BLOCK_EPILOGUE_VISITOR_HPP
#define CATLASS_EPILOGUE_BLOCK_BLOCK_EPILOGUE_VISITOR_HPP

#include <type_traits>
#include <utility>

#include "catlass/arch/arch.hpp"
#include "catlass/arch/resource.hpp"
#include "catlass/catlass.hpp"
#include "catlass/epilogue/block/block_epilogue.hpp"
#include "catlass/epilogue/dispatch_policy.hpp"
#include "catlass/gemm_coord.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/matrix_coord.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue {

/// An epilogue that visits a graph of nodes, with UB_STAGES tiles in flight. The first UB_WORKSPACE bytes of UB are not
/// its own: the cube core stores its product there.
template <class ArchTag_, uint32_t UB_STAGES_, uint32_t UB_WORKSPACE_ = 0>
struct EpilogueVisitorMultiStage {
    using ArchTag = ArchTag_;
    static constexpr uint32_t UB_STAGES = UB_STAGES_;
    static constexpr uint32_t UB_WORKSPACE = UB_WORKSPACE_;
};

/// Two buffers on AtlasA2.
struct EpilogueAtlasA2Visitor {
    using ArchTag = Arch::AtlasA2;
};

} // namespace Catlass::Epilogue

namespace Catlass::Epilogue::Fusion::detail {

/// Bytes of UB that AscendC keeps in a kernel with both kinds of core, and on AtlasA2 8 KB more for itself.
template <class ArchTag>
inline constexpr uint32_t UB_RESERVED = 256 + (std::is_same_v<ArchTag, Arch::AtlasA2> ? 8 * 1024 : 0);

/// Elements of the longest tile of a graph, up to a length, of which all buffers fit the bytes of UB. A shorter one
/// than that is a multiple of BYTE_PER_REPEAT.
template <class EVT>
CATLASS_HOST_DEVICE constexpr uint32_t FittingLength(uint32_t length, uint32_t buffers, uint32_t bytesOfUb)
{
    if (EVT::UbBytes(length) * buffers <= bytesOfUb) {
        return length;
    }
    uint32_t fits = 0;
    uint32_t tooLong = CeilDiv<BYTE_PER_REPEAT>(length);
    while (fits + 1 < tooLong) {
        uint32_t steps = (fits + tooLong) / 2;
        bool isShort = EVT::UbBytes(steps * BYTE_PER_REPEAT) * buffers <= bytesOfUb;
        fits = isShort ? steps : fits;
        tooLong = isShort ? tooLong : steps;
    }
    return fits * BYTE_PER_REPEAT;
}

/// Whether the buffers of an epilogue fit UB. A type of its own, so that compilers name the numbers where they do not.
template <
    uint32_t COMPUTE_LENGTH, uint32_t BYTES_OF_A_BUFFER, uint32_t BUFFERS, uint32_t BYTES_OF_UB,
    uint32_t FITTING_LENGTH>
struct BuffersFitUb : std::true_type {
    static_assert(
        FITTING_LENGTH >= COMPUTE_LENGTH - COMPUTE_LENGTH / 8,
        "BuffersFitUb<COMPUTE_LENGTH, BYTES_OF_A_BUFFER, BUFFERS, BYTES_OF_UB, FITTING_LENGTH>: the buffers take more "
        "bytes than UB has for them; take FITTING_LENGTH as COMPUTE_LENGTH, or fewer buffers");
};

} // namespace Catlass::Epilogue::Fusion::detail

namespace Catlass::Epilogue::Block {

/// Visits the graph EVT for every tile of a sub-block, LOAD, COMPUTE and STORE of successive tiles overlapping.
///
/// Each of the UB_STAGES buffers has its own callbacks and its own event id, which serves four flags:
///
///   MTE2_V              LOAD is done, COMPUTE may read
///   V_MTE3              COMPUTE is done, STORE may read
///   MTE3_V              STORE is done, the next COMPUTE may overwrite
///   V_MTE2 or MTE3_MTE2 what LOAD fills is no longer needed, the next LOAD may refill
///
/// The last one is V_MTE2, unless a STORE reads UB that LOAD fills, as in D = C.
template <class ArchTag_, uint32_t UB_STAGES_, uint32_t UB_WORKSPACE_, class CType_, class ComputeLength_, class EVT_>
class BlockEpilogue<EpilogueVisitorMultiStage<ArchTag_, UB_STAGES_, UB_WORKSPACE_>, CType_, ComputeLength_, EVT_> {
public:
    using DispatchPolicy = EpilogueVisitorMultiStage<ArchTag_, UB_STAGES_, UB_WORKSPACE_>;
    using ArchTag = ArchTag_;
    using ElementC = typename CType_::Element;
    using LayoutC = typename CType_::Layout;
    using EVT = EVT_;

    static constexpr uint32_t UB_STAGES = UB_STAGES_;
    static constexpr uint32_t UB_WORKSPACE = UB_WORKSPACE_;

    /// Event ids that AscendC leaves to the user: 6 and 7 are the system's.
    static constexpr uint32_t MAX_STAGES = 6;

    static_assert(
        !Fusion::detail::NodesOf<EVT>::IS_NODE,
        "BlockEpilogue: EVT is a graph, a TreeVisitor or a TopologicalVisitor, not a node alone");
    static_assert(UB_STAGES >= 1 && UB_STAGES <= MAX_STAGES, "UB_STAGES: one event id per buffer, 0 to 5");
    static_assert(
        ComputeLength_::value > 0 && ComputeLength_::value % BYTE_PER_BLK == 0,
        "Tiles of every type end on a data block");

    /// A buffer each, signed as AscendC takes them.
    static constexpr auto EVENT_IDS = static_cast<int32_t>(UB_STAGES);

    static constexpr uint32_t UB_RESERVED = Fusion::detail::UB_RESERVED<ArchTag>;

    /// Bytes of UB for the buffers.
    static constexpr uint32_t UB_USABLE = ArchTag::UB_SIZE - UB_RESERVED - UB_WORKSPACE;

    static_assert(
        UB_RESERVED + UB_WORKSPACE <= ArchTag::UB_SIZE && UB_WORKSPACE % Fusion::BANK_PERIOD == 0,
        "Buffers start where the banks do");

    /// Elements of a tile: as many as asked for, or a few less. A program may share out the whole of UB among its
    /// tiles, though AscendC keeps a part, and some bytes lie between tiles.
    static constexpr uint32_t COMPUTE_LENGTH =
        Fusion::detail::FittingLength<EVT>(ComputeLength_::value, UB_STAGES, UB_USABLE);

    static_assert(
        Fusion::detail::BuffersFitUb<
            ComputeLength_::value, EVT::UbBytes(ComputeLength_::value), UB_STAGES, UB_USABLE, COMPUTE_LENGTH>::value);
    static_assert(std::is_same_v<LayoutC, layout::RowMajor>, "C must be row-major");

    struct Params {
        typename EVT::Params fusionParams;

        CATLASS_HOST_DEVICE
        Params()
        {}

        CATLASS_HOST_DEVICE
        Params(typename EVT::Params const& fusionParams_) : fusionParams(fusionParams_)
        {}
    };

    CATLASS_DEVICE
    BlockEpilogue(Arch::Resource<ArchTag>& resource, Params const& params)
        : BlockEpilogue(resource, params, UB_WORKSPACE, tla::make_index_sequence<UB_STAGES>{})
    {
        for (int32_t i = 0; i < EVENT_IDS; ++i) {
            AscendC::SetFlag<REFILL>(i);
            AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(i);
            callbacks[i].begin_epilogue();
        }
    }

    CATLASS_DEVICE
    ~BlockEpilogue()
    {
        for (int32_t i = 0; i < EVENT_IDS; ++i) {
            callbacks[i].end_epilogue();
            AscendC::WaitFlag<REFILL>(i);
            AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(i);
        }
        // The next block epilogue of the kernel sets these flags again
        AscendC::PipeBarrier<PIPE_ALL>();
    }

    BlockEpilogue(BlockEpilogue const&) = delete;
    BlockEpilogue& operator=(BlockEpilogue const&) = delete;

    // The widest tile whose padded row fits a buffer, as often as rows come together
    static constexpr uint32_t MAX_COLUMNS = RoundDown<EVT::STRIDE_ALIGN>(
        COMPUTE_LENGTH / EVT::ROW_ALIGN < Fusion::MAX_TILE_COLUMNS ? COMPUTE_LENGTH / EVT::ROW_ALIGN :
                                                                     Fusion::MAX_TILE_COLUMNS);

    static_assert(MAX_COLUMNS > 0, "Tiles are too short for the rows and columns that come together");

    /// This vector core's rows of a block. The vector cores of a group share them; the last may get fewer, or none.
    struct Subblock {
        MatrixCoord offset; // in the matmul
        uint32_t firstRow;  // in the block
        uint32_t rows;
        uint32_t columns;

        CATLASS_DEVICE
        Subblock(GemmCoord const& blockShape, GemmCoord const& blockCoord, GemmCoord const& actualBlockShape)
        {
            uint32_t share = CeilDiv(actualBlockShape.m(), static_cast<uint32_t>(AscendC::GetSubBlockNum()));
            firstRow = static_cast<uint32_t>(AscendC::GetSubBlockIdx()) * share;
            rows = firstRow < actualBlockShape.m() ? Smaller(share, actualBlockShape.m() - firstRow) : 0;
            columns = actualBlockShape.n();
            offset = blockCoord.GetCoordMN() * blockShape.GetCoordMN() + MatrixCoord{firstRow, 0u};
        }
    };

    /// Moves on to another matmul: the blocks that follow are of it.
    CATLASS_DEVICE
    void BeginProblem(Fusion::Problem const& problem_)
    {
        problem = problem_;
        for (int32_t i = 0; i < EVENT_IDS; ++i) {
            isBehind[i] = true;
        }
    }

    /// Visits a block of C in GM. accumulatorStride: elements from there to the block of the second accumulator.
    CATLASS_DEVICE
    void operator()(
        GemmCoord const& blockShape, GemmCoord const& blockCoord, GemmCoord const& actualBlockShape,
        AscendC::GlobalTensor<ElementC> const& gmBlockC, LayoutC const& layoutBlockC, int64_t accumulatorStride = 0)
    {
        static_assert(!EVT::HasResident(), "The graph reads C in UB");
        Subblock subblock(blockShape, blockCoord, actualBlockShape);
        if (subblock.rows > 0) {
            auto gmSubblockC = gmBlockC[Fusion::OffsetOf(layoutBlockC, MatrixCoord{subblock.firstRow, 0u})];
            auto layoutSubblockC = layoutBlockC.GetTileLayout(MatrixCoord{subblock.rows, subblock.columns});
            for (int32_t i = 0; i < EVENT_IDS; ++i) {
                callbacks[i].begin_block(gmSubblockC, layoutSubblockC, accumulatorStride);
            }
            VisitTiles(subblock);
        }
    }

    /// Visits a block of which this vector core's rows are in UB, as far apart as those of a tile with all columns.
    CATLASS_DEVICE
    void operator()(
        GemmCoord const& blockShape, GemmCoord const& blockCoord, GemmCoord const& actualBlockShape,
        AscendC::LocalTensor<ElementC> const& ubSubblockC)
    {
        static_assert(EVT::HasResident(), "The graph does not read C in UB");
        Subblock subblock(blockShape, blockCoord, actualBlockShape);
        if (subblock.rows > 0) {
            VisitTiles(subblock, ubSubblockC);
        } else if constexpr (EVT::StoresResident()) {
            // MTE3 tells the AIC that C is read, and has no tile here that keeps it behind V, which waits for C
            AscendC::PipeBarrier<PIPE_ALL>();
        }
    }

    /// Visits a block of a graph that does not read C.
    CATLASS_DEVICE
    void operator()(GemmCoord const& blockShape, GemmCoord const& blockCoord, GemmCoord const& actualBlockShape)
    {
        static_assert(!EVT::HasResident(), "The graph reads C in UB");
        Subblock subblock(blockShape, blockCoord, actualBlockShape);
        if (subblock.rows > 0) {
            VisitTiles(subblock);
        }
    }

private:
    using Callbacks = decltype(std::declval<EVT&>().get_callbacks(
        std::declval<Arch::Resource<ArchTag>&>(), std::declval<uint32_t&>(),
        tla::Int<static_cast<int>(COMPUTE_LENGTH)>{}));

    /// Tiles have all rows and some of the columns. What lies in UB has rows as long as those of all columns.
    static constexpr bool IS_TALL = EVT::ROW_ALIGN > 1 && !EVT::HasResident();

    // The highest tile of which some columns fit a buffer
    static constexpr uint32_t MAX_ROWS = RoundDown<EVT::ROW_ALIGN>(
        COMPUTE_LENGTH / EVT::STRIDE_ALIGN < Fusion::MAX_TILE_ROWS ? COMPUTE_LENGTH / EVT::STRIDE_ALIGN :
                                                                     Fusion::MAX_TILE_ROWS);

    static constexpr AscendC::HardEvent REFILL =
        EVT::StoresLoaded() ? AscendC::HardEvent::MTE3_MTE2 : AscendC::HardEvent::V_MTE2;

    EVT evt;
    Callbacks callbacks[UB_STAGES];
    Fusion::Problem problem;
    bool isBehind[UB_STAGES]{}; // a buffer moves on to the problem with its first tile there, for it may have none
    int32_t stageId{0};

    /// Takes UB for the buffers one after the other, from ubOffset on.
    template <size_t... Is>
    CATLASS_DEVICE BlockEpilogue(
        Arch::Resource<ArchTag>& resource, Params const& params, uint32_t ubOffset, tla::index_sequence<Is...>)
        : evt(params.fusionParams),
          callbacks{
              (static_cast<void>(Is),
               evt.get_callbacks(resource, ubOffset, tla::Int<static_cast<int>(COMPUTE_LENGTH)>{}))...}
    {}

    CATLASS_DEVICE static uint32_t Smaller(uint32_t a, uint32_t b)
    {
        return a < b ? a : b;
    }

    /// Rows and columns of a tile. As many whole rows as fit, in tiles of about equal height; a row that is too long is
    /// split by columns. A few rows make shorter tiles, so that one is loaded while another is computed.
    CATLASS_DEVICE static MatrixCoord TileShape(uint32_t rows, uint32_t columns)
    {
        uint32_t tileColumns = Smaller(columns, MAX_COLUMNS);
        uint32_t stride = RoundUp<EVT::STRIDE_ALIGN>(tileColumns);
        uint32_t most = RoundDown<EVT::ROW_ALIGN>(Smaller(COMPUTE_LENGTH / stride, Fusion::MAX_TILE_ROWS));
        uint32_t fewest = CeilDiv(rows, most);
        uint32_t wanted = Smaller(UB_STAGES, rows * stride / Fusion::SPLIT_LENGTH);
        return MatrixCoord{RoundUp<EVT::ROW_ALIGN>(CeilDiv(rows, fewest < wanted ? wanted : fewest)), tileColumns};
    }

    /// The same of a graph that writes columns: as many whole columns as fit, in tiles of about equal width.
    CATLASS_DEVICE static MatrixCoord TallTileShape(uint32_t rows, uint32_t columns)
    {
        uint32_t tileRows = Smaller(rows, MAX_ROWS);
        uint32_t height = RoundUp<EVT::ROW_ALIGN>(tileRows);
        uint32_t most = RoundDown<EVT::STRIDE_ALIGN>(Smaller(COMPUTE_LENGTH / height, Fusion::MAX_TILE_COLUMNS));
        uint32_t fewest = CeilDiv(columns, most);
        uint32_t wanted = Smaller(UB_STAGES, columns * height / Fusion::SPLIT_LENGTH);
        return MatrixCoord{tileRows, RoundUp<EVT::STRIDE_ALIGN>(CeilDiv(columns, fewest < wanted ? wanted : fewest))};
    }

    /// Visits the tiles of a sub-block. ubSubblockC: the rows in UB, if C is there.
    template <class... ResidentC>
    CATLASS_DEVICE void VisitTiles(Subblock const& subblock, ResidentC const&... ubSubblockC)
    {
        uint32_t rows = subblock.rows;
        uint32_t columns = subblock.columns;
        MatrixCoord tile = IS_TALL ? TallTileShape(rows, columns) : TileShape(rows, columns);
        uint32_t tileRows = tile.row();
        uint32_t tileColumns = tile.column();
        MatrixCoord problemOffset{problem.firstRow, 0u};

        for (uint32_t row = 0; row < rows; row += tileRows) {
            for (uint32_t column = 0; column < columns; column += tileColumns) {
                MatrixCoord tileShape{Smaller(rows - row, tileRows), Smaller(columns - column, tileColumns)};
                MatrixCoord localTileOffset{row, column};
                if (isBehind[stageId]) {
                    callbacks[stageId].begin_problem(problem);
                    isBehind[stageId] = false;
                }
                (callbacks[stageId].begin_tile(ubSubblockC[row * RoundUp<EVT::STRIDE_ALIGN>(columns) + column]), ...);
                VisitTile(problemOffset + subblock.offset + localTileOffset, localTileOffset, tileShape);
            }
        }
    }

    CATLASS_DEVICE
    void VisitTile(
        MatrixCoord const& globalTileOffset, MatrixCoord const& localTileOffset, MatrixCoord const& tileShape)
    {
        Callbacks& cbs = callbacks[stageId];
        // Signed, as in TileStride: its division then cancels
        auto stride = static_cast<int32_t>(RoundUp<EVT::STRIDE_ALIGN>(tileShape.column()));
        auto calCount = static_cast<uint32_t>(static_cast<int32_t>(tileShape.row()) * stride);

        AscendC::WaitFlag<REFILL>(stageId);
        cbs.template visit<Fusion::VisitStage::LOAD>(globalTileOffset, localTileOffset, tileShape, calCount);
        AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(stageId);

        AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(stageId);
        AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(stageId);
        cbs.template visit<Fusion::VisitStage::COMPUTE>(globalTileOffset, localTileOffset, tileShape, calCount);
        if constexpr (!EVT::StoresLoaded()) {
            AscendC::SetFlag<REFILL>(stageId);
        }
        AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(stageId);

        AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(stageId);
        cbs.template visit<Fusion::VisitStage::STORE>(globalTileOffset, localTileOffset, tileShape, calCount);
        if constexpr (EVT::StoresLoaded()) {
            AscendC::SetFlag<REFILL>(stageId);
        }
        AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(stageId);

        stageId = stageId + 1 < EVENT_IDS ? stageId + 1 : 0;
    }
};

template <class CType_, class ComputeLength_, class EVT_>
class BlockEpilogue<Epilogue::EpilogueAtlasA2Visitor, CType_, ComputeLength_, EVT_>
    : public BlockEpilogue<EpilogueVisitorMultiStage<Arch::AtlasA2, 2>, CType_, ComputeLength_, EVT_> {
public:
    using BlockEpilogue<EpilogueVisitorMultiStage<Arch::AtlasA2, 2>, CType_, ComputeLength_, EVT_>::BlockEpilogue;
};

} // namespace Catlass::Epilogue::Block

#endif // CATLASS_EPILOGUE_BLOCK_BLOCK_EPILOGUE_VISITOR_HPP
