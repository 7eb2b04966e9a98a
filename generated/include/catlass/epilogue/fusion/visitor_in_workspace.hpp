#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_IN_WORKSPACE_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_IN_WORKSPACE_HPP

#include "catlass/epilogue/tile/copy_ub_to_gm.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/layout/layout.hpp"
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
        uint64_t count{0}; // elements of the tensors of all matmuls
    };

    /// Known only when the phases share out the workspace, with ParamsAt.
    template <class ProblemShape>
    CATLASS_HOST_DEVICE static Params to_underlying_arguments(
        ProblemShape const& problemShape, Arguments const&, uint8_t*)
    {
        return ParamsAt(problemShape, nullptr);
    }

    template <class ProblemShape>
    CATLASS_HOST_DEVICE static bool can_implement(ProblemShape const&, Arguments const&)
    {
        return true;
    }

    /// Its params with the tensor there.
    template <class ProblemShape>
    CATLASS_HOST_DEVICE static Params ParamsAt(ProblemShape const& problemShape, GM_ADDR ptr)
    {
        typename Node::Arguments args{ptr, LayoutOf(problemShape)};
        Params params;
        static_cast<typename Node::Params&>(params) = Node::to_underlying_arguments(problemShape, args, nullptr);
        params.ptr = ptr;
        params.count = SizeOf(problemShape) / sizeof(Element);
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
    VisitorInWorkspace(Params const& params) : Node(params)
    {}

    /// On an AIV, before it has an epilogue: fills the elements from first to end with what a reduction leaves as it
    /// is. UB is free from ubOffset on.
    template <class ArchTag>
    CATLASS_DEVICE static void Fill(
        Arch::Resource<ArchTag>& resource, uint32_t ubOffset, Params const& params, uint64_t first, uint64_t end)
    {
        using CopyUbToGm = Epilogue::Tile::CopyUb2Gm<ArchTag, Gemm::GemmType<Element, layout::RowMajor>>;
        if (first >= end) {
            return;
        }
        AscendC::GlobalTensor<Element> gm;
        gm.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(params.ptr));
        auto ub = resource.ubBuf.template GetBufferByByte<Element>(ubOffset);
        uint32_t length = end - first < FILL_LENGTH ? static_cast<uint32_t>(end - first) : FILL_LENGTH;
        AscendC::Duplicate(ub, Node::Neutral(), static_cast<int32_t>(length));
        AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(0);
        AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(0);
        for (; first < end; first += length) {
            uint32_t count = end - first < length ? static_cast<uint32_t>(end - first) : length;
            CopyUbToGm{}(gm[first], ub, layout::RowMajor{1u, count}, layout::RowMajor{1u, count});
        }
        AscendC::PipeBarrier<PIPE_ALL>();
    }

private:
    static constexpr uint32_t FILL_LENGTH = 4096;

    template <class ProblemShape>
    CATLASS_HOST_DEVICE static Layout LayoutOf(ProblemShape const& problemShape)
    {
        return Layout{Node::HAS_ROWS ? problemShape.m() : 1u, Node::HAS_COLUMNS ? problemShape.n() : 1u};
    }
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_IN_WORKSPACE_HPP
