#ifndef CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_ROW_INDEX_HPP
#define CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_ROW_INDEX_HPP

#include "catlass/epilogue/fusion/extended/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion::Extended {

/// The number of each element's row: COMPUTE fills the first row of the tile with its own, and counts on in the others.
struct VisitorRowIndex : VisitorImpl<> {
    using VisitorImpl<>::VisitorImpl;

    using ElementOutput = int32_t;

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
    VisitorRowIndex()
    {}

    CATLASS_HOST_DEVICE
    VisitorRowIndex(Params const&)
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
                AscendC::Duplicate(ubTile, static_cast<int32_t>(globalOffset.row()), stride);
                ContinueRows(ubTile, rows, stride, 1);
            }
            return ubTile;
        }
    };

    template <class ArchTag>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, uint32_t& ub_offset, uint32_t compute_length)
    {
        return Callbacks(detail::TakeUb<int32_t>(resource, ub_offset, compute_length * sizeof(int32_t)));
    }
};

} // namespace Catlass::Epilogue::Fusion::Extended

#endif // CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_ROW_INDEX_HPP
