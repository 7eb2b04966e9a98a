// A tree: the children are visited in order, and their outputs are the node's inputs.
#ifndef CATLASS_EPILOGUE_FUSION_TREE_VISITOR_HPP
#define CATLASS_EPILOGUE_FUSION_TREE_VISITOR_HPP

#include <tuple>

#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

template <class NodeOp, class... ChildOps> struct TreeVisitor : VisitorImpl<ChildOps..., NodeOp> {
    using VisitorImpl<ChildOps..., NodeOp>::VisitorImpl;
    using ElementOutput = typename NodeOp::ElementOutput;

    template <class Inner> struct Callbacks : Inner {
        using Inner::callbacks_tuple;

        CATLASS_DEVICE Callbacks(Inner &&inner) : Inner(static_cast<Inner &&>(inner)) {}

        template <VisitStage STAGE, class ArchTag, class TensorC>
        CATLASS_DEVICE auto visit(TensorC const &tensorTile, MatrixCoord const &alignedTileShape,
                                  MatrixCoord const &globalOffset)
        {
            return Visit<STAGE, ArchTag>(tensorTile, alignedTileShape, globalOffset,
                                         tla::make_seq<sizeof...(ChildOps)>{});
        }

    private:
        template <VisitStage STAGE, class ArchTag, class TensorC, int... I>
        CATLASS_DEVICE auto Visit(TensorC const &tensorTile, MatrixCoord const &alignedTileShape,
                                  MatrixCoord const &globalOffset, tla::seq<I...>)
        {
            // In braces, so that the children are visited in their order.
            std::tuple<AscendC::LocalTensor<typename ChildOps::ElementOutput>...> const outputs{
                tla::get<I>(callbacks_tuple)
                    .template visit<STAGE, ArchTag>(tensorTile, alignedTileShape, globalOffset)...};
            return tla::get<sizeof...(ChildOps)>(callbacks_tuple)
                .template visit<STAGE, ArchTag>(tensorTile, alignedTileShape, globalOffset, std::get<I>(outputs)...);
        }
    };

    template <class ArchTag>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag> &resource, uint32_t &ub_offset, uint32_t compute_length)
    {
        auto inner = VisitorImpl<ChildOps..., NodeOp>::get_callbacks(resource, ub_offset, compute_length);
        return Callbacks<decltype(inner)>(static_cast<decltype(inner) &&>(inner));
    }
};

template <class NodeOp, class... ChildOps> using EVG = TreeVisitor<NodeOp, ChildOps...>;

}  // namespace Catlass::Epilogue::Fusion

#endif  // CATLASS_EPILOGUE_FUSION_TREE_VISITOR_HPP
