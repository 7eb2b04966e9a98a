#ifndef CATLASS_EPILOGUE_FUSION_VISITOR_IN_ORDER_HPP
#define CATLASS_EPILOGUE_FUSION_VISITOR_IN_ORDER_HPP

#include <type_traits>

#include "catlass/epilogue/tile/copy_gm_to_ub.hpp"
#include "catlass/epilogue/tile/copy_ub_to_gm.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/layout/layout.hpp"
#include "catlass/epilogue/fusion/reduce.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

/// A reduction whose result is the same, bit for bit, whichever core is first. A vector core's rows of a block are
/// reduced in the order of their tiles to a part of their own, in the workspace. When all AIVs have visited all blocks,
/// they join the parts of each element in the order of the blocks, and what becomes of them once to the tensor.
///
/// BLOCK_M and BLOCK_N are those of the kernel's blocks. How a matmul is cut into parts depends on nothing but its
/// shape.
template <uint32_t BLOCK_M, uint32_t BLOCK_N, class Node_>
struct VisitorInOrder : Node_ {
    using Node = Node_;
    using typename Node::Element;

    static constexpr bool IN_ORDER = true;

    struct Params : Node::Params {
        GM_ADDR ptrParts{nullptr};
        uint32_t parts{0};        // none where each element is joined by one core anyhow
        uint32_t length{0};       // elements of a part
        uint32_t stride{0};       // elements from a part to the next
        uint32_t tensors{1};      // of the result
        uint32_t blockColumns{0}; // of a matmul
    };

    template <class ProblemShape>
    CATLASS_HOST_DEVICE static Params to_underlying_arguments(
        ProblemShape const& problemShape, typename Node::Arguments const& args, GM_ADDR workspace)
    {
        Params params;
        static_cast<typename Node::Params&>(params) = Node::to_underlying_arguments(problemShape, args, nullptr);
        params.ptrParts = workspace;
        params.tensors = detail::Parts<ProblemShape>::Count(problemShape, Node::HAS_ROWS);
        params.blockColumns = CeilDiv<BLOCK_N>(problemShape.n());
        if constexpr (Node::HAS_ROWS) {
            params.length = problemShape.m();
            bool isOneCores = params.blockColumns == 1 && (params.problem_stride != 0 || params.tensors == 1);
            params.parts = isOneCores ? 0 : params.tensors * params.blockColumns;
        } else {
            uint32_t blockRows = detail::Parts<ProblemShape>::BlockRows(problemShape, BLOCK_M);
            params.length = Node::HAS_COLUMNS ? problemShape.n() : 1;
            params.parts = SUB_BLOCKS * blockRows * (Node::HAS_COLUMNS ? 1 : params.blockColumns);
        }
        params.stride = Node::HAS_ROWS || Node::HAS_COLUMNS ? RoundUp<ALIGN>(params.length) : 1;
        return params;
    }

    template <class ProblemShape>
    static Verdict can_implement(ProblemShape const& problemShape, typename Node::Arguments const& args)
    {
        Verdict verdict = CanOrder(problemShape);
        return verdict ? Node::can_implement(problemShape, args) : verdict;
    }

    /// Whether a copy reaches from one part to the next.
    template <class ProblemShape>
    static Verdict CanOrder(ProblemShape const& problemShape)
    {
        uint64_t length = Node::HAS_ROWS ? problemShape.m() : problemShape.n();
        bool reaches = detail::CanSkip<Element>(2, static_cast<int64_t>(RoundUp<ALIGN>(length)));
        return {reaches ? nullptr : "a part of a reduction in order has 2^32 bytes or more"};
    }

    template <class ProblemShape>
    CATLASS_HOST_DEVICE static size_t get_workspace_size(
        ProblemShape const& problemShape, typename Node::Arguments const& args)
    {
        return RoundUp<GM_ALIGN>(CountOf(to_underlying_arguments(problemShape, args, nullptr)) * sizeof(Element));
    }

    CATLASS_HOST_DEVICE
    VisitorInOrder()
    {}

    CATLASS_HOST_DEVICE
    VisitorInOrder(Params const& params_) : Node(params_), params(params_)
    {}

    /// Those of the reduction, with a part in the place of its tensor.
    template <class NodeCallbacks>
    struct Callbacks : NodeCallbacks {
        Params inOrder;
        Problem problem;

        CATLASS_DEVICE
        Callbacks(NodeCallbacks const& callbacks, Params const& params_) : NodeCallbacks(callbacks), inOrder(params_)
        {}

        CATLASS_DEVICE
        void begin_problem(Problem const& problem_)
        {
            NodeCallbacks::begin_problem(problem_);
            problem = problem_;
        }

        template <VisitStage STAGE, class ElementInput>
        CATLASS_DEVICE AscendC::LocalTensor<Element> visit(
            MatrixCoord const& globalTileOffset, MatrixCoord const& localTileOffset, MatrixCoord const& tileShape,
            uint32_t calCount, AscendC::LocalTensor<ElementInput> const& input)
        {
            if constexpr (HasStage(STAGE, VisitStage::STORE)) {
                if (inOrder.parts > 0) {
                    uint32_t part = PartOf(inOrder, problem, globalTileOffset);
                    NodeCallbacks::gmOut.SetGlobalBuffer(
                        reinterpret_cast<__gm__ Element*>(inOrder.ptrParts) + uint64_t{part} * inOrder.stride);
                }
            }
            return NodeCallbacks::template visit<STAGE>(globalTileOffset, localTileOffset, tileShape, calCount, input);
        }
    };

    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto get_callbacks(Arch::Resource<ArchTag>& resource, UbParts const& ub, ComputeLength computeLength)
    {
        auto callbacks = Node::get_callbacks(resource, ub, computeLength);
        return Callbacks<decltype(callbacks)>{callbacks, params};
    }

    /// Whether the kernel's blocks are those that parts are counted by.
    template <class L1TileShape>
    static constexpr bool IS_CUT_BY = L1TileShape::M == BLOCK_M && L1TileShape::N == BLOCK_N;

    /// On an AIV, before it has an epilogue: fills its share of the parts with what the reduction leaves as it is.
    template <class ArchTag>
    CATLASS_DEVICE static void FillParts(
        Arch::Resource<ArchTag>& resource, detail::FreeUb const& free, Params const& params)
    {
        detail::FillGm(resource, free, params.ptrParts, Node::Neutral(), detail::ShareOfAiv(CountOf(params), ALIGN));
    }

    /// On an AIV, when all have visited all blocks: joins the parts of its share of a result. That is the one of a
    /// matmul, or of all of them, where they join theirs in one tensor.
    template <class ArchTag>
    CATLASS_DEVICE static void JoinParts(
        Arch::Resource<ArchTag>& resource, Params const& params, Problem const& problem, bool isOfAll)
    {
        if (params.parts == 0 || isOfAll != (params.problem_stride == 0)) {
            return;
        }
        auto callbacks = Node(params).get_callbacks(resource, UbParts{}, tla::Int<0>{});
        callbacks.begin_problem(problem);
        uint32_t first = 0;
        uint32_t end = params.parts;
        if (!isOfAll) {
            uint32_t blockRows = CeilDiv<BLOCK_M>(problem.rows);
            first = PartOf(params, problem);
            end = first + (Node::HAS_ROWS ? params.blockColumns :
                                            SUB_BLOCKS * blockRows * (Node::HAS_COLUMNS ? 1 : params.blockColumns));
        }
        Join(resource, params, callbacks.gmOut, first, end, detail::ShareOfAiv(params.length, ALIGN, problem.index));
    }

private:
    // Vector cores of a group: each has some of the rows of a block
    static constexpr uint32_t SUB_BLOCKS = 2;

    // Elements of a data block, and those from where a part of several or a core's share may begin to where the next
    // may
    static constexpr uint32_t BLOCK = BYTE_PER_BLK / sizeof(Element);
    static constexpr uint32_t ALIGN = GM_ALIGN / sizeof(Element);

    // Of what is joined at a time: elements in all, those of a part, and parts, as a copy counts them
    static constexpr uint32_t MAX_ELEMENTS = 32768;
    static constexpr uint32_t MAX_LENGTH = 512;
    static constexpr uint32_t MAX_PARTS = 2048;

    using CopyLayout = layout::RowMajor;

    Params params;

    CATLASS_HOST_DEVICE static uint64_t CountOf(Params const& params)
    {
        return uint64_t{params.parts} * params.stride;
    }

    /// The first part of a matmul.
    CATLASS_DEVICE static uint32_t PartOf(Params const& params, Problem const& problem)
    {
        if constexpr (Node::HAS_ROWS) {
            return params.tensors == 1 ? 0 : problem.index * params.blockColumns;
        } else {
            return SUB_BLOCKS * (Node::HAS_COLUMNS ? problem.firstBlock / params.blockColumns : problem.firstBlock);
        }
    }

    /// The part of this vector core's rows of a block.
    CATLASS_DEVICE static uint32_t PartOf(Params const& params, Problem const& problem, MatrixCoord const& tileOffset)
    {
        uint32_t blockRow = (tileOffset.row() - problem.firstRow) / BLOCK_M;
        uint32_t blockColumn = tileOffset.column() / BLOCK_N;
        if constexpr (Node::HAS_ROWS) {
            return PartOf(params, problem) + blockColumn;
        } else {
            uint32_t block = Node::HAS_COLUMNS ? blockRow : blockRow * params.blockColumns + blockColumn;
            return PartOf(params, problem) + SUB_BLOCKS * block + static_cast<uint32_t>(AscendC::GetSubBlockIdx());
        }
    }

    template <class ArchTag>
    CATLASS_DEVICE static void Join(
        Arch::Resource<ArchTag>& resource, Params const& params, AscendC::GlobalTensor<Element> const& gmOut,
        uint32_t firstPart, uint32_t endPart, detail::Share const& share)
    {
        using CopyGmToUb = Epilogue::Tile::CopyGm2Ub<ArchTag, Gemm::GemmType<Element, CopyLayout>>;
        using CopyUbToGm = Epilogue::Tile::CopyUb2Gm<ArchTag, Gemm::GemmType<Element, CopyLayout>>;

        AscendC::GlobalTensor<Element> gmParts;
        gmParts.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(params.ptrParts));
        auto ub = resource.ubBuf.template GetBufferByByte<Element>(0);

        // How many parts are joined at a time decides on the order, so that is the same on all cores, however many
        uint32_t length = params.length < MAX_LENGTH ? RoundUp<BLOCK>(params.length) : MAX_LENGTH;
        uint32_t mostRows = MAX_ELEMENTS / length < MAX_PARTS ? MAX_ELEMENTS / length : MAX_PARTS;
        for (uint64_t first = share.first; first < share.end; first += length) {
            auto count = static_cast<uint32_t>(share.end - first < length ? share.end - first : length);
            uint32_t stride = RoundUp<BLOCK>(count);
            uint32_t joined = 0; // rows in UB, of the parts before: one behind the first
            for (uint32_t part = firstPart; part < endPart;) {
                uint32_t rows = endPart - part < mostRows - joined ? endPart - part : mostRows - joined;
                CopyGmToUb{}(
                    ub[joined * stride], gmParts[uint64_t{part} * params.stride + first],
                    CopyLayout{rows, count, stride}, CopyLayout{rows, count, params.stride});
                AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(0);
                AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(0);
                if (joined + rows > 1) {
                    detail::ReduceRows<Node::template Function>(ub, ub, joined + rows, stride);
                }
                AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(0);
                AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(0);
                joined = 1;
                part += rows;
            }
            AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(0);
            AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(0);
            detail::JoinToGm<Node::template Function, CopyUbToGm>(gmOut[first], ub, count);
            AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(0);
            AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(0);
        }
    }
};

namespace detail {

/// The reductions in order among the nodes of a graph.
template <class Nodes>
struct InOrder;

template <class... Nodes>
struct InOrder<TypeList<Nodes...>> {
    static constexpr bool ANY = !AllOf({!Nodes::IN_ORDER...});

    /// Whether all are cut into parts by the kernel's blocks.
    template <class L1TileShape>
    CATLASS_HOST_DEVICE static constexpr bool AreCutBy()
    {
        return AllOf({IsCutBy<Nodes, L1TileShape>()...});
    }

    /// Whether there are any parts.
    template <class Params>
    CATLASS_DEVICE static bool HaveParts(Params const& params)
    {
        return HaveParts(params, Indices{});
    }

    template <class ArchTag, class Params>
    CATLASS_DEVICE static void Fill(Arch::Resource<ArchTag>& resource, FreeUb const& free, Params const& params)
    {
        FillNodes(resource, free, params, Indices{});
    }

    template <class ArchTag, class Params>
    CATLASS_DEVICE static void Join(
        Arch::Resource<ArchTag>& resource, Params const& params, Problem const& problem, bool isOfAll)
    {
        JoinNodes(resource, params, problem, isOfAll, Indices{});
    }

private:
    using Indices = tla::make_index_sequence<sizeof...(Nodes)>;

    template <class Node, class L1TileShape>
    CATLASS_HOST_DEVICE static constexpr bool IsCutBy()
    {
        if constexpr (Node::IN_ORDER) {
            return Node::template IS_CUT_BY<L1TileShape>;
        } else {
            return true;
        }
    }

    template <class Params, size_t... Is>
    CATLASS_DEVICE static bool HaveParts(Params const& params, tla::index_sequence<Is...>)
    {
        return !AllOf({!HasParts<Nodes>(tla::get<Is>(params))...});
    }

    template <class Node>
    CATLASS_DEVICE static bool HasParts([[maybe_unused]] typename Node::Params const& params)
    {
        if constexpr (Node::IN_ORDER) {
            return params.parts > 0;
        } else {
            return false;
        }
    }

    template <class ArchTag, class Params, size_t... Is>
    CATLASS_DEVICE static void FillNodes(
        Arch::Resource<ArchTag>& resource, FreeUb const& free, Params const& params, tla::index_sequence<Is...>)
    {
        [[maybe_unused]] int const done[] = {(FillNode<Nodes>(resource, free, tla::get<Is>(params)), 0)...};
    }

    template <class Node, class ArchTag>
    CATLASS_DEVICE static void FillNode(
        [[maybe_unused]] Arch::Resource<ArchTag>& resource, [[maybe_unused]] FreeUb const& free,
        [[maybe_unused]] typename Node::Params const& params)
    {
        if constexpr (Node::IN_ORDER) {
            Node::FillParts(resource, free, params);
        }
    }

    template <class ArchTag, class Params, size_t... Is>
    CATLASS_DEVICE static void JoinNodes(
        Arch::Resource<ArchTag>& resource, Params const& params, Problem const& problem, bool isOfAll,
        tla::index_sequence<Is...>)
    {
        [[maybe_unused]] int const done[] = {(JoinNode<Nodes>(resource, tla::get<Is>(params), problem, isOfAll), 0)...};
    }

    template <class Node, class ArchTag>
    CATLASS_DEVICE static void JoinNode(
        [[maybe_unused]] Arch::Resource<ArchTag>& resource, [[maybe_unused]] typename Node::Params const& params,
        [[maybe_unused]] Problem const& problem, [[maybe_unused]] bool isOfAll)
    {
        if constexpr (Node::IN_ORDER) {
            Node::JoinParts(resource, params, problem, isOfAll);
        }
    }
};

} // namespace detail
} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_VISITOR_IN_ORDER_HPP
