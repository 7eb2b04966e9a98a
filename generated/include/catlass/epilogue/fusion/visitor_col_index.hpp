#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_COL_INDEX_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_COL_INDEX_HPP

#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// The number of each element's column, from 0 on: COMPUTE counts along the first row of the tile, and repeats it.
struct VisitorColIndex : VisitorImpl<> {
    using VisitorImpl<>::VisitorImpl;
    using ElementOutput = int32_t;

    static constexpr bool PENDING = true;
    static constexpr bool HAS_BARRIER = true;
    static constexpr uint32_t STRIDE_ALIGN = BYTE_PER_BLK / sizeof(int32_t);

    struct Arguments {};

    CATLASS_HOST_DEVICE static constexpr UbParts UbNeed(uint32_t computeLength)
    {
        UbParts need;
        need.tile = computeLength * sizeof(int32_t);
        return need;
    }

    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<int32_t> ubTile;

        CATLASS_DEVICE
        Callbacks(AscendC::LocalTensor<int32_t> const& ubTile_) : ubTile(ubTile_)
        {}

        template <VisitStage STAGE>
        CATLASS_DEVICE AscendC::LocalTensor<int32_t> const& visit(
            MatrixCoord const& globalTileOffset, MatrixCoord const& /*localTileOffset*/, MatrixCoord const& tileShape,
            uint32_t calCount)
        {
            if constexpr (HasStage(STAGE, VisitStage::COMPUTE)) {
                uint32_t stride = TileStride(tileShape, calCount);
                CountFirstBlock(static_cast<int32_t>(globalTileOffset.column()));
                // A row of data blocks counts on as rows do
                ContinueRows(ubTile, stride / STRIDE_ALIGN, STRIDE_ALIGN, static_cast<int32_t>(STRIDE_ALIGN));
                ContinueRows(ubTile, tileShape.row(), stride, 0);
                SynchronizeIfAll<STAGE>();
            }
            return ubTile;
        }

    private:
        /// Numbers the elements of the first data block, bit by bit of their places in it.
        CATLASS_DEVICE
        void CountFirstBlock(int32_t first)
        {
            AscendC::Duplicate(ubTile, first, STRIDE_ALIGN);
            AddToLanes(1, 0b10101010);
            AddToLanes(2, 0b11001100);
            AddToLanes(4, 0b11110000);
        }

        CATLASS_DEVICE
        void AddToLanes(int32_t value, uint64_t lanes)
        {
            uint64_t mask[] = {lanes, 0};
            BarrierV();
            AscendC::Adds(
                ubTile, ubTile, value, mask, 1,
                AscendC::UnaryRepeatParams{1, 1, BLK_NUM_PER_REPEAT, BLK_NUM_PER_REPEAT});
        }
    };

    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, UbParts const& ub, ComputeLength)
    {
        return Callbacks{resource.ubBuf.template GetBufferByByte<int32_t>(ub.tile)};
    }
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_COL_INDEX_HPP
