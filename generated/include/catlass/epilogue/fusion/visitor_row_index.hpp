#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_ROW_INDEX_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_ROW_INDEX_HPP

#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// The number of each element's row, from 0 on in each matmul: COMPUTE fills the first row of the tile with its own,
/// and counts on in the others.
struct VisitorRowIndex : VisitorImpl<> {
    using VisitorImpl<>::VisitorImpl;
    using ElementOutput = int32_t;

    static constexpr bool PENDING = true;
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
        uint32_t firstRow{0}; // of the matmul, where tiles count the rows of all

        CATLASS_DEVICE
        Callbacks(AscendC::LocalTensor<int32_t> const& ubTile_) : ubTile(ubTile_)
        {}

        CATLASS_DEVICE
        void begin_problem(Problem const& problem)
        {
            firstRow = problem.firstRow;
        }

        template <VisitStage STAGE>
        CATLASS_DEVICE AscendC::LocalTensor<int32_t> const& visit(
            MatrixCoord const& globalTileOffset, MatrixCoord const& /*localTileOffset*/, MatrixCoord const& tileShape,
            uint32_t calCount)
        {
            if constexpr (HasStage(STAGE, VisitStage::COMPUTE)) {
                uint32_t stride = TileStride(tileShape, calCount);
                auto row = static_cast<int32_t>(globalTileOffset.row() - firstRow);
                AscendC::Duplicate(ubTile, row, static_cast<int32_t>(stride));
                ContinueRows(ubTile, tileShape.row(), stride, 1);
                SynchronizeIfAll<STAGE>();
            }
            return ubTile;
        }
    };

    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, UbParts const& ub, ComputeLength)
    {
        return Callbacks{resource.ubBuf.template GetBufferByByte<int32_t>(ub.tile)};
    }
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_ROW_INDEX_HPP
