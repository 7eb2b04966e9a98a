#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_CAST_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_CAST_HPP

#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// A cast: COMPUTE converts the input from ElementFrom to ElementTo. Between equal types it returns the input.
template <class ElementTo, class ElementFrom, AscendC::RoundMode ROUND_MODE = AscendC::RoundMode::CAST_NONE>
struct VisitorCast : VisitorImpl<> {
    using VisitorImpl<>::VisitorImpl;
    using ElementOutput = ElementTo;

    static constexpr bool FORWARDS = std::is_same_v<ElementTo, ElementFrom>;
    static constexpr bool PENDING = !FORWARDS;
    static constexpr bool READS_IN_COMPUTE = !FORWARDS;

    struct Arguments {};

    CATLASS_HOST_DEVICE static constexpr UbParts UbNeed(uint32_t computeLength)
    {
        UbParts need;
        need.tile = FORWARDS ? 0 : computeLength * sizeof(ElementTo);
        return need;
    }

    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<ElementTo> ubOut;

        CATLASS_DEVICE
        Callbacks(AscendC::LocalTensor<ElementTo> const& ubOut_) : ubOut(ubOut_)
        {}

        template <VisitStage STAGE, class ElementInput>
        CATLASS_DEVICE AscendC::LocalTensor<ElementTo> visit(
            MatrixCoord const& /*globalTileOffset*/, MatrixCoord const& /*localTileOffset*/,
            MatrixCoord const& /*tileShape*/, uint32_t calCount, AscendC::LocalTensor<ElementInput> const& input)
        {
            static_assert(std::is_same_v<ElementInput, ElementFrom>, "VisitorCast: the input must be of ElementFrom");
            if constexpr (FORWARDS) {
                return input;
            } else {
                if constexpr (HasStage(STAGE, VisitStage::COMPUTE)) {
                    AscendC::Cast(ubOut, input, ROUND_MODE, calCount);
                    SynchronizeIfAll<STAGE>();
                }
                return ubOut;
            }
        }
    };

    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, UbParts const& ub, ComputeLength)
    {
        return Callbacks{resource.ubBuf.template GetBufferByByte<ElementTo>(ub.tile)};
    }
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_CAST_HPP
