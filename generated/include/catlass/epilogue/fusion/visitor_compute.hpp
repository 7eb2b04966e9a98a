#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_COMPUTE_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_COMPUTE_HPP

#include "catlass/epilogue/fusion/operations.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// An elementwise operator: COMPUTE applies ComputeFn to the inputs, all of type ElementCompute.
///
/// The whole tile is computed on, the padding at the end of its rows included; nobody reads that.
template <template <class> class ComputeFn, class ElementCompute>
struct VisitorCompute : VisitorImpl<> {
    using VisitorImpl<>::VisitorImpl;
    using ElementOutput = ElementCompute;

    static constexpr bool PENDING = true;
    static constexpr bool READS_IN_COMPUTE = true;
    static constexpr uint32_t STRIDE_ALIGN = BYTE_PER_BLK / sizeof(ElementCompute);

    struct Arguments {};

    CATLASS_HOST_DEVICE static constexpr uint32_t UbBytes(uint32_t computeLength)
    {
        return computeLength * sizeof(ElementCompute);
    }

    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<ElementCompute> ubOut;

        CATLASS_DEVICE
        Callbacks(AscendC::LocalTensor<ElementCompute> const& ubOut_) : ubOut(ubOut_) {}

        template <class... ElementInputs>
        CATLASS_DEVICE AscendC::LocalTensor<ElementCompute> const& visit(
            MatrixCoord const& /*globalTileOffset*/, MatrixCoord const& /*localTileOffset*/,
            MatrixCoord const& /*tileShape*/, uint32_t calCount, VisitStage stage,
            AscendC::LocalTensor<ElementInputs> const&... inputs)
        {
            static_assert(
                (true && ... && std::is_same_v<ElementInputs, ElementCompute>),
                "VisitorCompute: every input must have the type ElementCompute; insert a VisitorCast");
            if (HasStage(stage, VisitStage::COMPUTE)) {
                ComputeFn<ElementCompute>{}(ubOut, calCount, inputs...);
                SynchronizeIfAll(stage);
            }
            return ubOut;
        }
    };

    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, uint32_t& ubOffset, ComputeLength)
    {
        return Callbacks{TakeUb<ElementCompute>(resource, ubOffset, UbBytes(ComputeLength::value))};
    }
};

}  // namespace Catlass::Epilogue::Fusion

#endif  // CATLASS_EPILOGUE_FUSION_VISITOR_COMPUTE_HPP
