#ifndef CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_COL_INDEX_HPP
#define CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_COL_INDEX_HPP

#include "catlass/epilogue/fusion/extended/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion::Extended {

/// The number of each element's column: COMPUTE counts along the first row of the tile, and repeats it.
struct VisitorColIndex : VisitorImpl<> {
    using VisitorImpl<>::VisitorImpl;

    using ElementOutput = int32_t;

    static constexpr uint32_t ELE_NUM_PER_BLK = BYTE_PER_BLK / sizeof(int32_t);

    struct Arguments {};
    struct Params {};

    template <class ProblemShape>
    static constexpr Params to_underlying_arguments(ProblemShape const&, Arguments const&, void*)
    {
        return Params();
    }

    template <class ProblemShape>
    static size_t get_workspace_size(ProblemShape const&, Arguments const&)
    {
        return 0;
    }

    template <class ProblemShape>
    static bool can_implement(ProblemShape const&, Arguments const&)
    {
        return true;
    }

    CATLASS_HOST_DEVICE
    VisitorColIndex()
    {}

    CATLASS_HOST_DEVICE
    VisitorColIndex(Params const&)
    {}

    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<int32_t> ubTile;

        CATLASS_DEVICE
        Callbacks(AscendC::LocalTensor<int32_t> const& ubTile_) : ubTile(ubTile_)
        {}

        template <VisitStage Stage, class ArchTag, class TensorC>
        CATLASS_DEVICE AscendC::LocalTensor<int32_t> const& visit(
            TensorC const& tensorTile, MatrixCoord const& alignedTileShape, MatrixCoord const& globalOffset)
        {
            if constexpr (Stage == VisitStage::COMPUTE) {
                uint32_t rows = tla::get<0>(tensorTile.shape());
                uint32_t stride = alignedTileShape.column();
                CountFirstBlock(static_cast<int32_t>(globalOffset.column()));
                // A row of data blocks counts on as rows do
                ContinueRows(ubTile, stride / ELE_NUM_PER_BLK, ELE_NUM_PER_BLK, static_cast<int32_t>(ELE_NUM_PER_BLK));
                ContinueRows(ubTile, rows, stride, 0);
            }
            return ubTile;
        }

    private:
        /// Numbers the elements of the first data block, bit by bit of their places in it.
        CATLASS_DEVICE
        void CountFirstBlock(int32_t first)
        {
            AscendC::Duplicate(ubTile, first, ELE_NUM_PER_BLK);
            AddToLanes(1, 0b10101010);
            AddToLanes(2, 0b11001100);
            AddToLanes(4, 0b11110000);
        }

        CATLASS_DEVICE
        void AddToLanes(int32_t value, uint64_t lanes)
        {
            uint64_t mask[] = {lanes, 0};
            AscendC::Adds(
                ubTile, ubTile, value, mask, 1,
                AscendC::UnaryRepeatParams(1, 1, BLK_NUM_PER_REPEAT, BLK_NUM_PER_REPEAT));
        }
    };

    template <class ArchTag>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, uint32_t& ub_offset, uint32_t compute_length)
    {
        return Callbacks(detail::TakeUb<int32_t>(resource, ub_offset, compute_length * sizeof(int32_t)));
    }
};

} // namespace Catlass::Epilogue::Fusion::Extended

#endif // CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_COL_INDEX_HPP
