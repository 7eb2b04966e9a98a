// COMPUTE applies a functor to compute_length elements, whatever the tile has.
#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_COMPUTE_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_COMPUTE_HPP

#include "catlass/epilogue/fusion/operations.hpp"
#include "catlass/epilogue/fusion/visitor_acc_load.hpp"

namespace Catlass::Epilogue::Fusion {

namespace standin {

template <class... Scalars> struct ComputeArguments {
    // The stand-in has no empty tuple.
    std::conditional_t<sizeof...(Scalars) == 0, NoArguments, tla::tuple<Scalars...>> scalars;
};

}  // namespace standin

template <template <class> class ComputeFn, class ElementCompute, class... Scalars>
struct VisitorCompute : StandInNode<standin::ComputeArguments<Scalars...>> {
    using StandInNode<standin::ComputeArguments<Scalars...>>::StandInNode;
    using ElementOutput = ElementCompute;
    using Arguments = standin::ComputeArguments<Scalars...>;

    struct Callbacks : EmptyCallbacks {
        AscendC::LocalTensor<ElementCompute> ubOut;
        uint32_t computeLength;
        Arguments params;

        CATLASS_DEVICE Callbacks(AscendC::LocalTensor<ElementCompute> const &ubOut_, uint32_t computeLength_,
                                 Arguments const &params_)
            : ubOut(ubOut_), computeLength(computeLength_), params(params_)
        {}

        template <VisitStage STAGE, class ArchTag, class TensorC, class... ElementInputs>
        CATLASS_DEVICE AscendC::LocalTensor<ElementCompute> const &visit(
            TensorC const &, MatrixCoord const &, MatrixCoord const &,
            AscendC::LocalTensor<ElementInputs> const &...inputs)
        {
            static_assert((true && ... && std::is_same_v<ElementInputs, ElementCompute>),
                          "VisitorCompute: insert a VisitorCast");
            if constexpr (STAGE == VisitStage::COMPUTE) {
                MakeFn(tla::make_seq<sizeof...(Scalars)>{})(ubOut, computeLength, inputs...);
                AscendC::PipeBarrier<PIPE_V>();
            }
            return ubOut;
        }

    private:
        template <int... I> CATLASS_DEVICE ComputeFn<ElementCompute> MakeFn(tla::seq<I...>) const
        {
            return ComputeFn<ElementCompute>{tla::get<I>(params.scalars)...};
        }
    };

    template <class ArchTag>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag> &resource, uint32_t &ub_offset, uint32_t compute_length)
    {
        return Callbacks(this->template Buffer<ElementCompute>(resource, ub_offset, compute_length), compute_length,
                         this->params);
    }
};

}  // namespace Catlass::Epilogue::Fusion

#endif  // CATLASS_EPILOGUE_FUSION_VISITOR_COMPUTE_HPP
