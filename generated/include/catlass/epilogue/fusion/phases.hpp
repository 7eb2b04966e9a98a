#ifndef CATLASS_EPILOGUE_FUSION_PHASES_HPP
#define CATLASS_EPILOGUE_FUSION_PHASES_HPP

#include <type_traits>

#include "catlass/arch/resource.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"
#include "catlass/epilogue/fusion/visitor_in_workspace.hpp"

namespace Catlass::Epilogue::Fusion {

namespace detail {

template <class Node>
constexpr bool IS_IN_WORKSPACE = false;

template <uint32_t NUMBER, class Node>
constexpr bool IS_IN_WORKSPACE<VisitorInWorkspace<NUMBER, Node>> = true;

template <class Node>
CATLASS_HOST_DEVICE constexpr bool CrossesByRows()
{
    if constexpr (IS_IN_WORKSPACE<Node>) {
        return Node::HAS_ROWS;
    } else {
        return true;
    }
}

/// Where the values that cross between phases lie in the workspace, in the order of their numbers; a node that writes
/// is one that hands its input on.
template <class Nodes>
struct Crossing;

template <class... Nodes>
struct Crossing<TypeList<Nodes...>> {
    /// Whether each of them has a value, or a row, for every row of C.
    static constexpr bool IS_BY_ROWS = AllOf({CrossesByRows<Nodes>()...});

    /// Bytes of those with a smaller number.
    template <class ProblemShape>
    CATLASS_HOST_DEVICE static size_t SizeBefore(ProblemShape const& problemShape, uint32_t number)
    {
        return SumOf({SizeIfBefore<Nodes>(problemShape, number)...});
    }

private:
    template <class Node, class ProblemShape>
    CATLASS_HOST_DEVICE static size_t SizeIfBefore(
        [[maybe_unused]] ProblemShape const& problemShape, [[maybe_unused]] uint32_t number)
    {
        if constexpr (IS_IN_WORKSPACE<Node> && Node::FORWARDS) {
            return Node::NUMBER < number ? RoundUp<GM_ALIGN>(Node::SizeOf(problemShape)) : 0;
        } else {
            return 0;
        }
    }
};

} // namespace detail

/// An epilogue that goes over C several times, since what one phase reduces is an operand of another: the block
/// epilogue of each phase. It takes the place of a block epilogue in a kernel, which has all AIVs finish a phase before
/// any begins the next one, unless a block has whole rows and nothing but values of rows crosses. AIVs that wait for
/// each other must all be running, so a launch must not have more cores than the device.
///
/// Arguments are those of the phases' graphs, in their order.
template <class... BlockEpilogues>
class Phases {
    template <size_t I>
    using PhaseAt = typename detail::NodeList<detail::TypeList<BlockEpilogues...>>::template At<I>;

    using First = PhaseAt<0>;
    using Indices = tla::make_index_sequence<sizeof...(BlockEpilogues)>;
    using Nodes = typename detail::Concat<typename BlockEpilogues::EVT::Nodes...>::Type;
    using Crossing = detail::Crossing<Nodes>;

    static_assert(sizeof...(BlockEpilogues) > 1, "A single phase stands for itself");
    static_assert(
        (true && ... && std::is_same_v<typename BlockEpilogues::ElementC, typename First::ElementC>) &&
            (true && ... && std::is_same_v<typename BlockEpilogues::LayoutC, typename First::LayoutC>),
        "All phases visit the same C");

public:
    using ElementC = typename First::ElementC;
    using LayoutC = typename First::LayoutC;

    /// Whether a phase can begin with a block whose rows are whole as soon as the one before has visited that.
    static constexpr bool IS_BY_ROWS = Crossing::IS_BY_ROWS;

    /// The graphs of all phases.
    struct EVT {
        using Arguments = tla::tuple<typename BlockEpilogues::EVT::Arguments...>;
        using Params = tla::tuple<typename BlockEpilogues::Params...>;

        static constexpr uint32_t ACCUMULATORS = (true && ... && (BlockEpilogues::EVT::ACCUMULATORS == 1)) ? 1 : 2;

        CATLASS_HOST_DEVICE static constexpr bool HasResident()
        {
            return First::EVT::HasResident();
        }

        template <class ProblemShape>
        static Verdict can_implement(ProblemShape const& problemShape, Arguments const& args)
        {
            return CanImplement(problemShape, args, Indices{});
        }

        /// Of the values that cross, and behind them of the nodes of each phase.
        template <class ProblemShape>
        CATLASS_HOST_DEVICE static size_t get_workspace_size(ProblemShape const& problemShape, Arguments const& args)
        {
            return Crossing::SizeBefore(problemShape, ALL) + WorkspaceSize(problemShape, args, Indices{});
        }

        template <class ProblemShape>
        CATLASS_HOST_DEVICE static Params to_underlying_arguments(
            ProblemShape const& problemShape, Arguments const& args, GM_ADDR workspace)
        {
            Params params;
            GM_ADDR ofPhase = workspace == nullptr ? nullptr : workspace + Crossing::SizeBefore(problemShape, ALL);
            SetParams(params, problemShape, args, workspace, ofPhase, Indices{});
            return params;
        }
    };

    using Params = typename EVT::Params;

    /// On an AIV, before it has an epilogue: fills what reductions are joined to, its share of all of it. Of what has a
    /// value for each row of C, it may be given some rows instead.
    template <class ArchTag>
    CATLASS_DEVICE static void Fill(
        Arch::Resource<ArchTag>& resource, Params const& params, bool isOfRows = false, detail::Share const& rows = {})
    {
        FillPhases(resource, params, isOfRows, rows, Indices{});
    }

private:
    static constexpr uint32_t ALL = ~uint32_t{0};

    // Before it, the AIC may be storing blocks of C already
    static constexpr detail::FreeUb FREE_UB{First::UB_WORKSPACE, First::UB_USABLE};

    template <class ProblemShape, size_t... Is>
    static Verdict CanImplement(
        ProblemShape const& problemShape, typename EVT::Arguments const& args, tla::index_sequence<Is...>)
    {
        Verdict verdict;
        size_t before = 0;
        static_cast<void>(
            (true && ... &&
             (verdict = detail::VerdictOf(BlockEpilogues::EVT::can_implement(problemShape, tla::get<Is>(args)), before),
              before += detail::NodeList<typename BlockEpilogues::EVT::Nodes>::COUNT, verdict)));
        return verdict;
    }

    template <class ProblemShape, size_t... Is>
    CATLASS_HOST_DEVICE static size_t WorkspaceSize(
        ProblemShape const& problemShape, typename EVT::Arguments const& args, tla::index_sequence<Is...>)
    {
        return (
            size_t{0} + ... +
            RoundUp<GM_ALIGN>(BlockEpilogues::EVT::get_workspace_size(problemShape, tla::get<Is>(args))));
    }

    template <class ProblemShape, size_t... Is>
    CATLASS_HOST_DEVICE static void SetParams(
        Params& params, ProblemShape const& problemShape, typename EVT::Arguments const& args, GM_ADDR crossing,
        GM_ADDR workspace, tla::index_sequence<Is...>)
    {
        (SetPhase<BlockEpilogues>(tla::get<Is>(params), problemShape, tla::get<Is>(args), crossing, workspace), ...);
    }

    /// Sets the params of a phase, and moves workspace behind its share.
    template <class BlockEpilogue, class ProblemShape>
    CATLASS_HOST_DEVICE static void SetPhase(
        typename BlockEpilogue::Params& params, ProblemShape const& problemShape,
        typename BlockEpilogue::EVT::Arguments const& args, GM_ADDR crossing, GM_ADDR& workspace)
    {
        using Graph = typename BlockEpilogue::EVT;
        params.fusionParams = Graph::to_underlying_arguments(problemShape, args, workspace);
        if (workspace != nullptr) {
            workspace += RoundUp<GM_ALIGN>(Graph::get_workspace_size(problemShape, args));
            SetNodes(params.fusionParams, problemShape, crossing, typename Graph::Nodes{}, IndicesOf<Graph>{});
        }
    }

    template <class Graph>
    using IndicesOf = tla::make_index_sequence<detail::NodeList<typename Graph::Nodes>::COUNT>;

    template <class GraphParams, class ProblemShape, class... GraphNodes, size_t... Is>
    CATLASS_HOST_DEVICE static void SetNodes(
        GraphParams& params, ProblemShape const& problemShape, GM_ADDR crossing, detail::TypeList<GraphNodes...>,
        tla::index_sequence<Is...>)
    {
        [[maybe_unused]] int const done[] = {(SetNode<GraphNodes>(tla::get<Is>(params), problemShape, crossing), 0)...};
    }

    // A tuple gives what is empty by value
    template <class Node, class NodeParams, class ProblemShape>
    CATLASS_HOST_DEVICE static void SetNode(
        [[maybe_unused]] NodeParams&& params, [[maybe_unused]] ProblemShape const& problemShape,
        [[maybe_unused]] GM_ADDR crossing)
    {
        if constexpr (detail::IS_IN_WORKSPACE<Node>) {
            GM_ADDR ptr = crossing + Crossing::SizeBefore(problemShape, Node::NUMBER);
            params = Node::ParamsAt(problemShape, ptr, params.workspace);
        }
    }

    template <class ArchTag, size_t... Is>
    CATLASS_DEVICE static void FillPhases(
        Arch::Resource<ArchTag>& resource, Params const& params, bool isOfRows, detail::Share const& rows,
        tla::index_sequence<Is...>)
    {
        (FillNodes(
             resource, tla::get<Is>(params).fusionParams, isOfRows, rows, typename BlockEpilogues::EVT::Nodes{},
             IndicesOf<typename BlockEpilogues::EVT>{}),
         ...);
    }

    template <class ArchTag, class GraphParams, class... GraphNodes, size_t... Is>
    CATLASS_DEVICE static void FillNodes(
        Arch::Resource<ArchTag>& resource, GraphParams const& params, bool isOfRows, detail::Share const& rows,
        detail::TypeList<GraphNodes...>, tla::index_sequence<Is...>)
    {
        [[maybe_unused]] int const done[] = {
            (FillNode<GraphNodes>(resource, tla::get<Is>(params), isOfRows, rows), 0)...};
    }

    template <class Node, class ArchTag>
    CATLASS_DEVICE static void FillNode(
        [[maybe_unused]] Arch::Resource<ArchTag>& resource, [[maybe_unused]] typename Node::Params const& params,
        [[maybe_unused]] bool isOfRows, [[maybe_unused]] detail::Share const& rows)
    {
        if constexpr (detail::IS_IN_WORKSPACE<Node> && Node::JOINS) {
            auto share = isOfRows ? rows : detail::ShareOfAiv(params.count, GM_ALIGN);
            Node::Fill(resource, FREE_UB, params, share);
        }
    }
};

namespace detail {

/// The phases of an epilogue: a block epilogue is the only one.
template <class BlockEpilogue>
struct PhaseList {
    static constexpr size_t COUNT = 1;
    static constexpr bool IS_BY_ROWS = false;

    template <size_t>
    using At = BlockEpilogue;

    template <size_t>
    CATLASS_DEVICE static typename BlockEpilogue::Params const& ParamsOf(typename BlockEpilogue::Params const& params)
    {
        return params;
    }
};

template <class... BlockEpilogues>
struct PhaseList<Phases<BlockEpilogues...>> {
    static constexpr size_t COUNT = sizeof...(BlockEpilogues);
    static constexpr bool IS_BY_ROWS = Phases<BlockEpilogues...>::IS_BY_ROWS;

    template <size_t I>
    using At = typename NodeList<TypeList<BlockEpilogues...>>::template At<I>;

    template <size_t I>
    CATLASS_DEVICE static typename At<I>::Params const& ParamsOf(
        typename Phases<BlockEpilogues...>::Params const& params)
    {
        return tla::get<I>(params);
    }
};

} // namespace detail
} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_PHASES_HPP
