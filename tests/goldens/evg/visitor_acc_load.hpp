#ifndef CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_ACC_LOAD_HPP
#define CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_ACC_LOAD_HPP

#include "catlass/epilogue/fusion/extended/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion::Extended {

/// The accumulator in UB, as Fusion::VisitorAccLoad<Element, true> has it, for blocks that fill what is kept for it.
///
/// Fusion's nodes work on compute_length elements from the beginning of a tile on. From that of the last tile of a
/// block they would read beyond the accumulator, where other nodes have their buffers, which MTE2 may be writing.
/// COMPUTE copies such a tile.
template <class Element>
struct VisitorAccLoad : VisitorImpl<> {
    using VisitorImpl<>::VisitorImpl;

    using ElementOutput = Element;

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
    VisitorAccLoad()
    {}

    VisitorAccLoad(Params const&)
    {}

    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<Element> ubCopy;
        AscendC::LocalTensor<Element> ubTile;
        uint32_t computeLength;

        CATLASS_DEVICE
        Callbacks(AscendC::LocalTensor<Element> const& ubCopy_, uint32_t computeLength_)
            : ubCopy(ubCopy_), computeLength(computeLength_)
        {}

        template <VisitStage Stage, class ArchTag, class TensorC>
        CATLASS_DEVICE AscendC::LocalTensor<Element> const& visit(
            TensorC const& tensorTile, MatrixCoord const& alignedTileShape, MatrixCoord const& /*globalOffset*/)
        {
            // Elements that Catlass's block epilogue keeps for the accumulator
            constexpr uint32_t KEPT = ArchTag::L0C_SIZE / 2 / sizeof(Element);
            auto offset = static_cast<uint32_t>(tensorTile.layout()(tensorTile.coord()));
            if (offset + computeLength <= KEPT) {
                ubTile = tensorTile.data()[offset];
                return ubTile;
            }
            if constexpr (Stage == VisitStage::COMPUTE) {
                AscendC::DataCopy(
                    ubCopy, tensorTile.data()[offset], alignedTileShape.row() * alignedTileShape.column());
            }
            return ubCopy;
        }
    };

    template <class ArchTag>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, uint32_t& ub_offset, uint32_t compute_length)
    {
        auto ubCopy = detail::TakeUb<Element>(resource, ub_offset, compute_length * sizeof(Element));
        return Callbacks(ubCopy, compute_length);
    }
};

} // namespace Catlass::Epilogue::Fusion::Extended

#endif // CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_ACC_LOAD_HPP
