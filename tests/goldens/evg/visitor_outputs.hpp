#ifndef CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_OUTPUTS_HPP
#define CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_OUTPUTS_HPP

#include "catlass/epilogue/fusion/extended/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion::Extended {

/// The root of a graph in which no store or reduction comes after all others. It does nothing, and nothing reads it.
struct VisitorOutputs : VisitorImpl<> {
    using VisitorImpl<>::VisitorImpl;

    using ElementOutput = float;

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
    VisitorOutputs()
    {}

    VisitorOutputs(Params const&)
    {}

    struct Callbacks : EmptyCallbacks {
        template <VisitStage Stage, class ArchTag, class TensorC, class... ElementInputs>
        CATLASS_DEVICE AscendC::LocalTensor<float> visit(
            TensorC const& /*tensorTile*/, MatrixCoord const& /*alignedTileShape*/, MatrixCoord const& /*globalOffset*/,
            AscendC::LocalTensor<ElementInputs> const&... /*inputs*/)
        {
            return {};
        }
    };

    template <class ArchTag>
    CATLASS_DEVICE auto get_callbacks(
        Arch::Resource<ArchTag>& /*resource*/, uint32_t& /*ub_offset*/, uint32_t /*compute_length*/)
    {
        return Callbacks{};
    }
};

} // namespace Catlass::Epilogue::Fusion::Extended

#endif // CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_OUTPUTS_HPP
