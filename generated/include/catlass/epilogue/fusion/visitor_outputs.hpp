#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_OUTPUTS_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_OUTPUTS_HPP

#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// The root of a graph in which no store or reduction comes after all others. It does nothing, and nothing reads it.
struct VisitorOutputs : VisitorImpl<> {
    using VisitorImpl<>::VisitorImpl;
    using ElementOutput = float;

    struct Arguments {};

    struct Callbacks : EmptyCallbacks {
        template <VisitStage STAGE, class... ElementInputs>
        CATLASS_DEVICE AscendC::LocalTensor<float> visit(
            MatrixCoord const& /*globalTileOffset*/, MatrixCoord const& /*localTileOffset*/,
            MatrixCoord const& /*tileShape*/, uint32_t /*calCount*/,
            AscendC::LocalTensor<ElementInputs> const&... /*inputs*/)
        {
            return {};
        }
    };

    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>&, UbParts const&, ComputeLength)
    {
        return Callbacks{};
    }
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_OUTPUTS_HPP
