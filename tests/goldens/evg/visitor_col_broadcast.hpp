#ifndef CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_COL_BROADCAST_HPP
#define CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_COL_BROADCAST_HPP

#include "catlass/epilogue/fusion/extended/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion::Extended {

/// An M x 1 column: LOAD copies the values of the tile's rows, COMPUTE spreads each over its row.
///
/// The values lie packed in GM, one after the other. The layout is that of an M x 1 tensor.
template <class Element, class Layout>
struct VisitorColBroadcast : VisitorImpl<> {
    using VisitorImpl<>::VisitorImpl;

    using ElementOutput = Element;

    static constexpr uint32_t ELE_NUM_PER_BLK = BYTE_PER_BLK / sizeof(Element);
    static constexpr uint32_t ELE_NUM_PER_REPEAT = BYTE_PER_REPEAT / sizeof(Element);

    /// One repeat of Brcb spreads eight values, each over a data block. A group has as many rows as a data block has
    /// values, so the values of a group's rows start on a data block, as Brcb requires.
    static constexpr uint32_t ROWS_PER_REPEAT = 8;
    static constexpr uint32_t ROWS_PER_GROUP = ELE_NUM_PER_BLK;

    struct Arguments {
        GM_ADDR ptr_col = nullptr;
        Layout layout = {};
    };

    struct Params {
        GM_ADDR ptrCol{nullptr};
    };

    template <class ProblemShape>
    static constexpr Params to_underlying_arguments(ProblemShape const&, Arguments const& args, void*)
    {
        return Params{args.ptr_col};
    }

    template <class ProblemShape>
    static size_t get_workspace_size(ProblemShape const&, Arguments const&)
    {
        return 0;
    }

    template <class ProblemShape>
    static bool can_implement(ProblemShape const&, Arguments const& args)
    {
        return args.ptr_col != nullptr && tla::get<0>(args.layout.stride()) == 1;
    }

    CATLASS_HOST_DEVICE
    VisitorColBroadcast()
    {}

    CATLASS_HOST_DEVICE
    VisitorColBroadcast(Params const& params_) : params(params_)
    {}

    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<Element> ubTile;
        AscendC::LocalTensor<Element> ubColumn;
        AscendC::LocalTensor<Element> ubLastBlocks;
        Params params;

        CATLASS_DEVICE
        Callbacks(
            AscendC::LocalTensor<Element> const& ubTile_, AscendC::LocalTensor<Element> const& ubColumn_,
            AscendC::LocalTensor<Element> const& ubLastBlocks_, Params const& params_)
            : ubTile(ubTile_), ubColumn(ubColumn_), ubLastBlocks(ubLastBlocks_), params(params_)
        {}

        template <VisitStage Stage, class ArchTag, class TensorC>
        CATLASS_DEVICE AscendC::LocalTensor<Element> const& visit(
            TensorC const& tensorTile, MatrixCoord const& alignedTileShape, MatrixCoord const& globalOffset)
        {
            uint32_t rows = tla::get<0>(tensorTile.shape());
            uint32_t columns = tla::get<1>(tensorTile.shape());
            if constexpr (Stage == VisitStage::LOAD) {
                AscendC::GlobalTensor<Element> gmColumn;
                gmColumn.SetGlobalBuffer((__gm__ Element*)(params.ptrCol));
                AscendC::DataCopyExtParams copyParams(1, rows * sizeof(Element), 0, 0, 0);
                AscendC::DataCopyPadExtParams<Element> padParams(false, 0, 0, 0);
                AscendC::DataCopyPad(ubColumn, gmColumn[globalOffset.row()], copyParams, padParams);
            }
            if constexpr (Stage == VisitStage::COMPUTE) {
                FillFirstBlocks(rows, alignedTileShape.column());
                RepeatFirstBlocks(rows, columns, alignedTileShape.column());
            }
            return ubTile;
        }

    private:
        /// Fills the first block of each row with the row's value: whole groups in place, the rest through scratch.
        CATLASS_DEVICE
        void FillFirstBlocks(uint32_t rows, uint32_t stride)
        {
            auto blocksPerRow = static_cast<uint16_t>(stride / ELE_NUM_PER_BLK);
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
                AscendC::Copy(
                    ubTile[first * stride], ubLastBlocks, ELE_NUM_PER_BLK, static_cast<uint8_t>(last),
                    AscendC::CopyRepeatParams{1, 1, blocksPerRow, 1});
            }
        }

        /// Copies column by column: one repeat writes in one row and reads the row's first block again and again. No
        /// copy begins beyond the last column.
        CATLASS_DEVICE
        void RepeatFirstBlocks(uint32_t rows, uint32_t columns, uint32_t stride)
        {
            auto blocksPerRow = static_cast<uint16_t>(stride / ELE_NUM_PER_BLK);
            AscendC::CopyRepeatParams repeatParams{1, 0, blocksPerRow, blocksPerRow};
            for (uint32_t column = ELE_NUM_PER_BLK; column < columns; column += ELE_NUM_PER_REPEAT) {
                uint64_t mask = stride - column < ELE_NUM_PER_REPEAT ? stride - column : ELE_NUM_PER_REPEAT;
                AscendC::Copy(ubTile[column], ubTile, mask, static_cast<uint8_t>(rows), repeatParams);
            }
        }
    };

    template <class ArchTag>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, uint32_t& ub_offset, uint32_t compute_length)
    {
        auto ubTile = detail::TakeUb<Element>(resource, ub_offset, compute_length * sizeof(Element));
        auto ubColumn = detail::TakeUb<Element>(resource, ub_offset, MAX_TILE_ROWS * sizeof(Element));
        auto ubLastBlocks = detail::TakeUb<Element>(resource, ub_offset, ROWS_PER_GROUP * BYTE_PER_BLK);
        return Callbacks(ubTile, ubColumn, ubLastBlocks, params);
    }

    Params params;
};

} // namespace Catlass::Epilogue::Fusion::Extended

#endif // CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_COL_BROADCAST_HPP
