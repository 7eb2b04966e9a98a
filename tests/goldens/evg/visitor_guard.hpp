#ifndef CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_GUARD_HPP
#define CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_GUARD_HPP

#include "catlass/epilogue/fusion/extended/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion::Extended {

/// Keeps UB that no other node uses, behind an accumulator in UB: Fusion's nodes work on compute_length elements from
/// the beginning of a tile on, so they read beyond the end of the last one.
template <class Element>
struct VisitorGuard : VisitorImpl<> {
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
    VisitorGuard()
    {}

    VisitorGuard(Params const&)
    {}

    struct Callbacks : EmptyCallbacks {
        template <VisitStage Stage, class ArchTag, class TensorC>
        CATLASS_DEVICE AscendC::LocalTensor<Element> visit(
            TensorC const& /*tensorTile*/, MatrixCoord const& /*alignedTileShape*/, MatrixCoord const& /*globalOffset*/)
        {
            return {};
        }
    };

    template <class ArchTag>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, uint32_t& ub_offset, uint32_t compute_length)
    {
        detail::TakeUb<Element>(resource, ub_offset, compute_length * sizeof(Element));
        return Callbacks{};
    }
};

} // namespace Catlass::Epilogue::Fusion::Extended

#endif // CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_GUARD_HPP
