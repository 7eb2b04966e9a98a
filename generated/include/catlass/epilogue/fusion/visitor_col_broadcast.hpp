#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_COL_BROADCAST_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_COL_BROADCAST_HPP

#include "catlass/epilogue/tile/copy_gm_to_ub.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// A user's M x 1 column: LOAD copies the values of the tile's rows, COMPUTE spreads each over its row.
///
/// The values lie packed in GM, one after the other. With NULL_DEFAULT a null pointer stands for a column full of
/// Arguments::null_default.
template <class Element_, class Layout_ = layout::RowMajor, bool NULL_DEFAULT = false>
struct VisitorColBroadcast : VisitorImpl<> {
    using Element = Element_;
    using Layout = Layout_;
    using ElementOutput = Element;

    static_assert(std::is_same_v<Layout, layout::RowMajor>, "VisitorColBroadcast reads a row-major M x 1 tensor");

    static constexpr bool PENDING = true;
    static constexpr bool HAS_BARRIER = !NULL_DEFAULT; // COMPUTE of a null pointer has none
    static constexpr uint32_t STRIDE_ALIGN = BYTE_PER_BLK / sizeof(Element);

    /// One repeat of Brcb spreads eight values, each over a data block. A group has as many rows as a data block has
    /// values, so the values of a group's rows start on a data block, as Brcb requires.
    static constexpr uint32_t ROWS_PER_REPEAT = 8;
    static constexpr uint32_t ROWS_PER_GROUP = STRIDE_ALIGN;

    /// The values of the tile's rows, and a data block for each row of the last, incomplete group.
    static constexpr uint32_t COLUMN_BYTES = MAX_TILE_ROWS * sizeof(Element);
    static constexpr uint32_t LAST_BLOCKS_BYTES = ROWS_PER_GROUP * BYTE_PER_BLK;

    static constexpr bool HAS_ROWS = true;
    static constexpr bool HAS_COLUMNS = false;

    struct Arguments {
        GM_ADDR ptr_col{nullptr};
        Layout layout{};
        Element null_default{};
        int64_t problem_stride{PACKED};
    };

    using Params = Arguments;

    template <class ProblemShape>
    CATLASS_HOST_DEVICE static Params to_underlying_arguments(
        ProblemShape const& problemShape, Arguments const& args, GM_ADDR)
    {
        return detail::Resolved(problemShape, args, HAS_ROWS);
    }

    template <class ProblemShape>
    static Verdict can_implement(ProblemShape const& problemShape, Arguments const& args)
    {
        if (args.ptr_col == nullptr) {
            return {NULL_DEFAULT ? nullptr : "ptr_col is null"};
        }
        return {detail::RefusalOf<VisitorColBroadcast>(problemShape, args, detail::Access::READS)};
    }

    CATLASS_HOST_DEVICE static constexpr UbParts UbNeed(uint32_t computeLength)
    {
        UbParts need;
        need.tile = computeLength * sizeof(Element);
        need.loaded = COLUMN_BYTES;
        need.scratch = LAST_BLOCKS_BYTES;
        return need;
    }

    CATLASS_HOST_DEVICE
    VisitorColBroadcast()
    {}

    CATLASS_HOST_DEVICE
    VisitorColBroadcast(Params const& params_) : params(params_)
    {}

    template <class ArchTag>
    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<Element> ubTile;
        AscendC::LocalTensor<Element> ubColumn;
        AscendC::LocalTensor<Element> ubLastBlocks;
        AscendC::GlobalTensor<Element> gmColumn;
        Params params;

        CATLASS_DEVICE
        Callbacks(
            AscendC::LocalTensor<Element> const& ubTile_, AscendC::LocalTensor<Element> const& ubColumn_,
            AscendC::LocalTensor<Element> const& ubLastBlocks_, Params const& params_)
            : ubTile(ubTile_), ubColumn(ubColumn_), ubLastBlocks(ubLastBlocks_), params(params_)
        {
            gmColumn.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(params.ptr_col));
        }

        CATLASS_DEVICE
        void begin_problem(Problem const& problem)
        {
            detail::MoveTo(gmColumn, params.ptr_col, params.problem_stride, problem);
        }

        template <VisitStage STAGE>
        CATLASS_DEVICE AscendC::LocalTensor<Element> const& visit(
            MatrixCoord const& globalTileOffset, MatrixCoord const& /*localTileOffset*/, MatrixCoord const& tileShape,
            uint32_t calCount)
        {
            if constexpr (NULL_DEFAULT) {
                if (params.ptr_col == nullptr) {
                    FillDefault<STAGE>(ubTile, params.null_default, calCount);
                    return ubTile;
                }
            }
            if constexpr (HasStage(STAGE, VisitStage::LOAD)) {
                // The copy takes the packed values as one row
                layout::RowMajor layoutValues{1u, tileShape.row()};
                CopyGmToUb{}(
                    ubColumn, gmColumn[OffsetOf(params.layout, MatrixCoord{globalTileOffset.row(), 0u})], layoutValues,
                    layoutValues);
                SynchronizeIfAll<STAGE>();
            }
            if constexpr (HasStage(STAGE, VisitStage::COMPUTE)) {
                uint32_t stride = TileStride(tileShape, calCount);
                FillFirstBlocks(tileShape.row(), stride);
                BarrierV();
                RepeatFirstBlocks(tileShape, stride);
                SynchronizeIfAll<STAGE>();
            }
            return ubTile;
        }

    private:
        using CopyGmToUb = Epilogue::Tile::CopyGm2Ub<ArchTag, Gemm::GemmType<Element, Layout>>;

        static constexpr uint32_t ELE_NUM_PER_REPEAT = BYTE_PER_REPEAT / sizeof(Element);

        /// Fills the first block of each row with the row's value: whole groups in place, the rest through scratch.
        CATLASS_DEVICE
        void FillFirstBlocks(uint32_t rows, uint32_t stride)
        {
            auto blocksPerRow = static_cast<uint16_t>(stride / STRIDE_ALIGN);
            uint32_t last = rows % ROWS_PER_GROUP;
            uint32_t first = rows - last;
            if (first > 0) {
                AscendC::BrcbRepeatParams spread(blocksPerRow, static_cast<uint16_t>(blocksPerRow * ROWS_PER_REPEAT));
                AscendC::Brcb(ubTile, ubColumn, static_cast<uint8_t>(first / ROWS_PER_REPEAT), spread);
            }
            if (last > 0) {
                AscendC::Brcb(
                    ubLastBlocks, ubColumn[first], static_cast<uint8_t>(CeilDiv<ROWS_PER_REPEAT>(last)),
                    AscendC::BrcbRepeatParams(1, ROWS_PER_REPEAT));
                BarrierV();
                AscendC::Copy(
                    ubTile[first * stride], ubLastBlocks, STRIDE_ALIGN, static_cast<uint8_t>(last),
                    AscendC::CopyRepeatParams{1, 1, blocksPerRow, 1});
            }
        }

        /// Copies column by column: one repeat writes in one row and reads the row's first block again and again. No
        /// copy begins beyond the last column.
        CATLASS_DEVICE
        void RepeatFirstBlocks(MatrixCoord const& tileShape, uint32_t stride)
        {
            auto blocksPerRow = static_cast<uint16_t>(stride / STRIDE_ALIGN);
            AscendC::CopyRepeatParams repeatParams{1, 0, blocksPerRow, blocksPerRow};
            for (uint32_t column = STRIDE_ALIGN; column < tileShape.column(); column += ELE_NUM_PER_REPEAT) {
                uint64_t mask = stride - column < ELE_NUM_PER_REPEAT ? stride - column : ELE_NUM_PER_REPEAT;
                AscendC::Copy(ubTile[column], ubTile, mask, static_cast<uint8_t>(tileShape.row()), repeatParams);
            }
        }
    };

    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, UbParts const& ub, ComputeLength)
    {
        auto ubTile = resource.ubBuf.template GetBufferByByte<Element>(ub.tile);
        auto ubColumn = resource.ubBuf.template GetBufferByByte<Element>(ub.loaded);
        auto ubLastBlocks = resource.ubBuf.template GetBufferByByte<Element>(ub.scratch);
        return Callbacks<ArchTag>{ubTile, ubColumn, ubLastBlocks, params};
    }

private:
    Params params;
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_COL_BROADCAST_HPP
