// A graph: op i has the ops that the i-th edge names for inputs, the last op is the root, and each is visited once.
#ifndef CATLASS_EPILOGUE_FUSION_TOPOLOGICAL_VISITOR_HPP
#define CATLASS_EPILOGUE_FUSION_TOPOLOGICAL_VISITOR_HPP

#include <tuple>

#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

template <class EdgeTuple, class... Ops> struct TopologicalVisitor : VisitorImpl<Ops...> {
    using VisitorImpl<Ops...>::VisitorImpl;
    static constexpr int ROOT = sizeof...(Ops) - 1;
    using ElementOutput = typename std::tuple_element_t<ROOT, std::tuple<Ops...>>::ElementOutput;

    template <class Inner> struct Callbacks : Inner {
        using Inner::callbacks_tuple;

        CATLASS_DEVICE Callbacks(Inner &&inner) : Inner(static_cast<Inner &&>(inner)) {}

        template <VisitStage STAGE, class ArchTag, class TensorC>
        CATLASS_DEVICE auto visit(TensorC const &tensorTile, MatrixCoord const &alignedTileShape,
                                  MatrixCoord const &globalOffset)
        {
            for (bool &visited : visited_) { visited = false; }
            Visit<STAGE, ROOT, ArchTag>(tensorTile, alignedTileShape, globalOffset);
            return std::get<ROOT>(outputs_);
        }

    private:
        template <VisitStage STAGE, int I, class ArchTag, class TensorC>
        CATLASS_DEVICE void Visit(TensorC const &tensorTile, MatrixCoord const &alignedTileShape,
                                  MatrixCoord const &globalOffset)
        {
            if (!visited_[I]) {
                VisitWith<STAGE, I, ArchTag>(tensorTile, alignedTileShape, globalOffset,
                                             tla::remove_cvref_t<decltype(tla::get<I>(EdgeTuple{}))>{});
                visited_[I] = true;
            }
        }

        template <VisitStage STAGE, int I, class ArchTag, class TensorC, int... Inputs>
        CATLASS_DEVICE void VisitWith(TensorC const &tensorTile, MatrixCoord const &alignedTileShape,
                                      MatrixCoord const &globalOffset, tla::seq<Inputs...>)
        {
            (Visit<STAGE, Inputs, ArchTag>(tensorTile, alignedTileShape, globalOffset), ...);
            std::get<I>(outputs_) = tla::get<I>(callbacks_tuple)
                                        .template visit<STAGE, ArchTag>(tensorTile, alignedTileShape, globalOffset,
                                                                        std::get<Inputs>(outputs_)...);
        }

        std::tuple<AscendC::LocalTensor<typename Ops::ElementOutput>...> outputs_;
        bool visited_[sizeof...(Ops)] = {};
    };

    template <class ArchTag>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag> &resource, uint32_t &ub_offset, uint32_t compute_length)
    {
        auto inner = VisitorImpl<Ops...>::get_callbacks(resource, ub_offset, compute_length);
        return Callbacks<decltype(inner)>(static_cast<decltype(inner) &&>(inner));
    }
};

}  // namespace Catlass::Epilogue::Fusion

#endif  // CATLASS_EPILOGUE_FUSION_TOPOLOGICAL_VISITOR_HPP
