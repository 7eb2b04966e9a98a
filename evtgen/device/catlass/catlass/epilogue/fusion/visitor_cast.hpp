// COMPUTE casts compute_length elements, whatever the tile has.
#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_CAST_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_CAST_HPP

#include "catlass/epilogue/fusion/operations.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"

namespace Catlass::Epilogue::Fusion {

template <class ElementTo, class ElementFrom, AscendC::RoundMode ROUND = AscendC::RoundMode::CAST_NONE>
struct VisitorCast : StandInNode<standin::NoArguments> {
    using StandInNode<standin::NoArguments>::StandInNode;
    using ElementOutput = ElementTo;
    using Arguments = standin::NoArguments;

    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<ElementTo> ubOut;
        uint32_t computeLength;

        CATLASS_DEVICE Callbacks(AscendC::LocalTensor<ElementTo> const &ubOut_, uint32_t computeLength_)
            : ubOut(ubOut_), computeLength(computeLength_)
        {}

        template <VisitStage STAGE, class ArchTag, class TensorC, class ElementInput>
        CATLASS_DEVICE AscendC::LocalTensor<ElementTo> const &visit(TensorC const &, MatrixCoord const &,
                                                                    MatrixCoord const &,
                                                                    AscendC::LocalTensor<ElementInput> const &input)
        {
            static_assert(std::is_same_v<ElementInput, ElementFrom>, "VisitorCast: the input has another type");
            if constexpr (STAGE == VisitStage::COMPUTE) {
                Cast<ElementTo, ElementInput, ROUND>{}(ubOut, computeLength, input);
                AscendC::PipeBarrier<PIPE_V>();
            }
            return ubOut;
        }
    };

    template <class ArchTag>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag> &resource, uint32_t &ub_offset, uint32_t compute_length)
    {
        return Callbacks(this->template Buffer<ElementTo>(resource, ub_offset, compute_length), compute_length);
    }
};

}  // namespace Catlass::Epilogue::Fusion

#endif  // CATLASS_EPILOGUE_FUSION_VISITOR_CAST_HPP
