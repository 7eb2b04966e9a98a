#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_IN_WORKSPACE_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_IN_WORKSPACE_HPP

#include "catlass/layout/layout.hpp"
#include "catlass/epilogue/fusion/reduce.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// A node whose tensor is no argument but lies in the workspace: value NUMBER of those that cross from one phase of an
/// epilogue to later ones. In one phase a node writes it, a reduction or a store; in later ones others of the same
/// number read it.
template <uint32_t NUMBER_, class Node_>
struct VisitorInWorkspace : Node_ {
    using Node = Node_;
    using typename Node::Element;
    using typename Node::Layout;

    static constexpr uint32_t NUMBER = NUMBER_;

    struct Arguments {};

    struct Params : Node::Params {
        GM_ADDR ptr{nullptr};
        uint64_t count{0};          // elements of the tensors of all matmuls
        GM_ADDR workspace{nullptr}; // of the node itself
    };

    /// The tensor is known only when the phases share out the workspace, with ParamsAt.
    template <class ProblemShape>
    CATLASS_HOST_DEVICE static Params to_underlying_arguments(
        ProblemShape const& problemShape, Arguments const&, GM_ADDR workspace)
    {
        return ParamsAt(problemShape, nullptr, workspace);
    }

    template <class ProblemShape>
    static Verdict can_implement(ProblemShape const& problemShape, Arguments const&)
    {
        if constexpr (Node::IN_ORDER) {
            return Node::CanOrder(problemShape);
        } else {
            constexpr int LINE = detail::LINES<Layout>;
            Layout layout = LayoutOf(problemShape);
            bool reaches = detail::CanSkip<Element>(layout.shape(LINE), layout.stride(LINE));
            return {reaches ? nullptr : "a row that is kept in the workspace is more than 2^32 - 1 bytes"};
        }
    }

    /// Of the node itself, without the tensor.
    template <class ProblemShape>
    CATLASS_HOST_DEVICE static size_t get_workspace_size(ProblemShape const& problemShape, Arguments const&)
    {
        return Node::get_workspace_size(problemShape, typename Node::Arguments{nullptr, LayoutOf(problemShape)});
    }

    /// Its params with the tensor there.
    template <class ProblemShape>
    CATLASS_HOST_DEVICE static Params ParamsAt(ProblemShape const& problemShape, GM_ADDR ptr, GM_ADDR workspace)
    {
        typename Node::Arguments args{ptr, LayoutOf(problemShape)};
        Params params;
        static_cast<typename Node::Params&>(params) = Node::to_underlying_arguments(problemShape, args, workspace);
        params.ptr = ptr;
        params.count = SizeOf(problemShape) / sizeof(Element);
        params.workspace = workspace;
        return params;
    }

    /// Bytes of the tensors of all matmuls.
    template <class ProblemShape>
    CATLASS_HOST_DEVICE static size_t SizeOf(ProblemShape const& problemShape)
    {
        Layout layout = LayoutOf(problemShape);
        size_t count = detail::Parts<ProblemShape>::Count(problemShape, Node::HAS_ROWS);
        return count * layout.shape(0) * layout.shape(1) * sizeof(Element);
    }

    CATLASS_HOST_DEVICE
    VisitorInWorkspace()
    {}

    CATLASS_HOST_DEVICE
    VisitorInWorkspace(Params const& params_) : Node(params_)
    {}

    /// On an AIV, before it has an epilogue: fills a share of the elements with what a reduction leaves as it is.
    template <class ArchTag>
    CATLASS_DEVICE static void Fill(
        Arch::Resource<ArchTag>& resource, detail::FreeUb const& free, Params const& params, detail::Share const& share)
    {
        detail::FillGm(resource, free, params.ptr, Node::Neutral(), share);
    }

private:
    template <class ProblemShape>
    CATLASS_HOST_DEVICE static Layout LayoutOf(ProblemShape const& problemShape)
    {
        return Layout{Node::HAS_ROWS ? problemShape.m() : 1u, Node::HAS_COLUMNS ? problemShape.n() : 1u};
    }
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_IN_WORKSPACE_HPP
