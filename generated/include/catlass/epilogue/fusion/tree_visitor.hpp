#ifndef CATLASS_EPILOGUE_FUSION_TREE_VISITOR_HPP
#define CATLASS_EPILOGUE_FUSION_TREE_VISITOR_HPP

#include "catlass/epilogue/fusion/topological_visitor.hpp"

namespace Catlass::Epilogue::Fusion {

namespace detail {

template <class Children>
struct EdgesOfTree;

/// The children have no inputs of their own here; they are those of the op that follows them.
template <size_t... Is>
struct EdgesOfTree<tla::index_sequence<Is...>> {
    template <size_t>
    using None = tla::seq<>;

    using Type = tla::tuple<None<Is>..., tla::seq<static_cast<int>(Is)...>>;
};

template <class NodeOp, class... ChildOps>
using TreeBase =
    TopologicalVisitor<typename EdgesOfTree<tla::make_index_sequence<sizeof...(ChildOps)>>::Type, ChildOps..., NodeOp>;

} // namespace detail

/// A tree: the outputs of the children are the inputs of NodeOp.
///
/// Arguments are written in this order: those of the children first, from left to right, NodeOp's last.
template <class NodeOp, class... ChildOps>
struct TreeVisitor : detail::TreeBase<NodeOp, ChildOps...> {
    using Base = detail::TreeBase<NodeOp, ChildOps...>;
    using Base::Base;
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_TREE_VISITOR_HPP
