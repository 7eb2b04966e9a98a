#ifndef CATLASS_EPILOGUE_FUSION_TOPOLOGICAL_VISITOR_HPP
#define CATLASS_EPILOGUE_FUSION_TOPOLOGICAL_VISITOR_HPP

#include <type_traits>
#include <utility>

#include "catlass/epilogue/fusion/tile_plan.hpp"
#include "catlass/epilogue/fusion/visitor_impl.hpp"

namespace Catlass::Epilogue::Fusion {

namespace detail {

/// The edges of a topological visitor as numbers.
template <class EdgeTuple>
struct Edges;

template <class... Seqs>
struct Edges<tla::tuple<Seqs...>> {
    static constexpr size_t COUNT = sizeof...(Seqs);
    using Type = TypeList<Seqs...>; // of each op, a tla::seq
};

template <class Seq>
struct InputList;

template <int... Is>
struct InputList<tla::seq<Is...>> {
    // One spare element: an array cannot be empty
    static constexpr int VALUES[] = {Is..., -1};
    static constexpr size_t COUNT = sizeof...(Is);
};

/// Edges within an op: none in a node, all of a visitor nested in it.
template <class Op, class = void>
struct InputCount : std::integral_constant<uint32_t, 0> {};

template <class Op>
struct InputCount<Op, std::void_t<typename Op::Nodes>> : std::integral_constant<uint32_t, Op::INPUTS> {};

/// The callbacks of node I.
template <size_t I, class NodeCallbacks>
struct NumberedCallbacks {
    NodeCallbacks callbacks;
};

template <size_t I, class NodeCallbacks>
CATLASS_DEVICE NodeCallbacks& CallbacksAt(NumberedCallbacks<I, NodeCallbacks>& numbered)
{
    return numbered.callbacks;
}

/// The first row of the matmul among those of all, where somebody asks for it.
template <bool IS_ASKED>
struct FirstRow {
    CATLASS_DEVICE
    void Begin(Problem const&)
    {}

    CATLASS_DEVICE
    bool IsBelow(uint32_t) const
    {
        return false;
    }
};

template <>
struct FirstRow<true> {
    uint32_t firstRow{0};

    CATLASS_DEVICE
    void Begin(Problem const& problem)
    {
        firstRow = problem.firstRow;
    }

    CATLASS_DEVICE
    bool IsBelow(uint32_t row) const
    {
        return row != firstRow;
    }
};

/// The tiles in which nobody needs what a node does.
template <uint32_t NODES>
struct TileSkips {
    uint32_t of[NODES]{};
    bool asksForRow{
        false}; // some node is visited in tiles with the first row and not in those below, or the other way round

    template <class Graph>
    CATLASS_HOST_DEVICE constexpr TileSkips(Graph const& graph, UbParts const (&needs)[NODES])
    {
        uint32_t read[NODES]{}; // the tiles in which somebody reads what a node returns
        for (uint32_t i = graph.ordered; i-- > 0;) {
            uint32_t node = graph.order[i];
            GraphNode const& self = graph.nodes[node];
            uint32_t unread = ALL_TILES & ~read[node];
            bool stores = self.WorksIn(VisitStage::STORE, needs[node]);
            of[node] = (stores ? self.skips : unread) & (self.forwards ? ALL_TILES : unread);
            for (uint32_t k = 0; k < self.inputCount; ++k) {
                read[graph.Input(node, k)] |= ALL_TILES & ~(of[node] & (self.forwards ? unread : ALL_TILES));
            }
            asksForRow = asksForRow || (of[node] << 1 & LOWER_TILES) != (of[node] & LOWER_TILES);
        }
    }
};

/// The bytes that nodes need for a tile.
template <class Nodes>
struct UbNeeds;

template <class... Nodes>
struct UbNeeds<TypeList<Nodes...>> {
    UbParts of[sizeof...(Nodes)];

    CATLASS_HOST_DEVICE constexpr UbNeeds(uint32_t computeLength) : of{Nodes::UbNeed(computeLength)...}
    {}
};

/// The visits that have work in a stage, in the order of the plan.
template <uint32_t NODES>
struct StageVisits {
    uint32_t nodes[NODES]{};
    uint32_t count{0};

    template <class Graph>
    CATLASS_HOST_DEVICE constexpr StageVisits(Graph const& graph, PlannedVisit const (&visits)[NODES], VisitStage stage)
    {
        for (PlannedVisit const& visit : visits) {
            if (graph.nodes[visit.node].WorksIn(stage, visit.bytes)) {
                nodes[count++] = visit.node;
            }
        }
    }
};

/// What a visitor gets that has no plan, for tiles of so many elements.
template <class Visitor, uint32_t COMPUTE_LENGTH>
struct SimplePlan {
    static constexpr auto MADE = PlanSimply(Visitor::Flat::GRAPH, UbNeeds<typename Visitor::Nodes>(COMPUTE_LENGTH).of);
    static constexpr uint32_t ELEMENTS = COMPUTE_LENGTH;
    static constexpr uint32_t BYTES = MADE.Bytes();
    static constexpr auto& VISITS = MADE.visits;
};

/// The places in a buffer where nodes' tiles begin, each once.
template <uint32_t NODES>
struct TilePlaces {
    uint32_t begins[NODES]{};
    uint32_t of[NODES]{}; // of a node's tile; NODES if it has none
    uint32_t count{0};

    CATLASS_HOST_DEVICE constexpr TilePlaces(PlannedVisit const (&visits)[NODES])
    {
        for (PlannedVisit const& visit : visits) {
            uint32_t place = visit.bytes.tile == 0 ? NODES : 0;
            while (place < count && begins[place] != visit.begins.tile) {
                ++place;
            }
            if (place == count) {
                begins[count++] = visit.begins.tile;
            }
            // Else the plan is refused
            if (visit.node < NODES) {
                of[visit.node] = place;
            }
        }
    }
};

/// A visitor with its plan.
template <class Visitor, class Plan>
struct PlannedTile {
    static constexpr auto& GRAPH = Visitor::Flat::GRAPH;
    static constexpr uint32_t NODES = NodeList<typename Visitor::Nodes>::COUNT;
    static constexpr uint32_t ELEMENTS = Plan::ELEMENTS;
    static constexpr uint32_t BYTES = Plan::BYTES;
    static constexpr UbNeeds<typename Visitor::Nodes> NEEDS{ELEMENTS};
    static constexpr Schedule<NODES, Visitor::INPUTS> SCHEDULE{
        GRAPH, Plan::VISITS, sizeof(Plan::VISITS) / sizeof(PlannedVisit)};
    static constexpr TileSkips<NODES> SKIPS{GRAPH, NEEDS.of};
    static constexpr TilePlaces<NODES> PLACES{SCHEDULE.visits};

    /// The nodes that work in a stage.
    template <VisitStage STAGE>
    static constexpr StageVisits<NODES> VISITS{GRAPH, SCHEDULE.visits, STAGE};

    template <size_t I>
    using NodeAt = typename NodeList<typename Visitor::Nodes>::template At<I>;

    CATLASS_HOST_DEVICE static constexpr PlannedVisit const& VisitOf(uint32_t node)
    {
        return SCHEDULE.visits[SCHEDULE.moment[node] - 1];
    }
};

/// What a plan has to be. Each node is an evaluation of its own, since compilers limit how long one takes.
template <class Tile, class Indices>
struct PlanCheck;

template <class Tile, size_t... Is>
struct PlanCheck<Tile, tla::index_sequence<Is...>> {
    static constexpr auto& PLAN = Tile::SCHEDULE;
    static constexpr bool HAS_PARTS[] = {
        std::bool_constant<PLAN.HasParts(Is, Tile::NEEDS.of[Is], Tile::BYTES)>::value...};
    static constexpr bool IS_APART[] = {std::bool_constant<PLAN.IsApart(Tile::GRAPH, Is)>::value...};
    static constexpr bool IS_ORDERED[] = {
        std::bool_constant < PLAN.visits[Is].waits || !PLAN.Clashes(Tile::GRAPH, Is) > ::value...};

    static_assert(!Tile::GRAPH.hasCycle, "The edges form a cycle");
    static_assert(
        Tile::GRAPH.hasCycle || Tile::GRAPH.ordered == Tile::NODES,
        "An op is the input of no other, and is not the last");
    static_assert(
        PLAN.isInOrder, "The plan: every node once, behind its inputs, and a wait only before work in COMPUTE");
    static_assert(
        AllOf(HAS_PARTS),
        "The plan: parts have the bytes that the node needs for ELEMENTS, on data blocks within BYTES");
    static_assert(
        !PLAN.isInOrder || PLAN.Bytes() == Tile::BYTES, "The plan: BYTES end with the last part's BANK_PERIOD");
    static_assert(AllOf(IS_APART), "The plan: two parts overlap that are needed at the same time");
    static_assert(AllOf(IS_ORDERED), "The plan: a node has to wait, since it touches what V has just worked on");
};

/// Drives the nodes, in the order of the plan.
template <class Tile, class... NumberedCallbacks>
struct GraphCallbacks : NumberedCallbacks..., FirstRow<Tile::SKIPS.asksForRow> {
    AscendC::LocalTensor<uint8_t> tiles[Tile::PLACES.count + 1]; // the last is that of the accumulator in UB, or empty

    CATLASS_DEVICE
    void begin_epilogue()
    {
        [[maybe_unused]] int const done[] = {(NumberedCallbacks::callbacks.begin_epilogue(), 0)...};
    }

    CATLASS_DEVICE
    void begin_problem(Problem const& problem)
    {
        [[maybe_unused]] int const done[] = {(NumberedCallbacks::callbacks.begin_problem(problem), 0)...};
        this->Begin(problem);
    }

    template <class ElementC, class LayoutC>
    CATLASS_DEVICE void begin_block(
        AscendC::GlobalTensor<ElementC> const& gmSubblockC, LayoutC const& layoutSubblockC,
        int64_t accumulatorStride = 0)
    {
        [[maybe_unused]] int const done[] = {
            (NumberedCallbacks::callbacks.begin_block(gmSubblockC, layoutSubblockC, accumulatorStride), 0)...};
    }

    /// For an accumulator in UB, instead of begin_block: where the tile begins there. Its rows must be as far apart
    /// as those of the tile. A caller of ALL that waits for it on V orders MTE3 behind that where a STORE reads it.
    template <class ElementC>
    CATLASS_DEVICE void begin_tile(AscendC::LocalTensor<ElementC> const& ubTileC)
    {
        tiles[Tile::PLACES.count] = ubTileC.template ReinterpretCast<uint8_t>();
    }

    template <VisitStage STAGE>
    CATLASS_DEVICE auto visit(
        MatrixCoord const& globalTileOffset, MatrixCoord const& localTileOffset, MatrixCoord const& tileShape,
        uint32_t calCount)
    {
        VisitAll<STAGE>(
            globalTileOffset, localTileOffset, tileShape, calCount,
            tla::make_index_sequence<Tile::template VISITS<STAGE>.count>{});
        return OutputOf<Tile::NODES - 1>();
    }

    /// For callers that choose the stage at run time.
    CATLASS_DEVICE
    auto visit(
        MatrixCoord const& globalTileOffset, MatrixCoord const& localTileOffset, MatrixCoord const& tileShape,
        uint32_t calCount, VisitStage stage = VisitStage::ALL)
    {
        switch (stage) {
            case VisitStage::LOAD:
                return visit<VisitStage::LOAD>(globalTileOffset, localTileOffset, tileShape, calCount);
            case VisitStage::COMPUTE:
                return visit<VisitStage::COMPUTE>(globalTileOffset, localTileOffset, tileShape, calCount);
            case VisitStage::STORE:
                return visit<VisitStage::STORE>(globalTileOffset, localTileOffset, tileShape, calCount);
            default:
                return visit<VisitStage::ALL>(globalTileOffset, localTileOffset, tileShape, calCount);
        }
    }

    CATLASS_DEVICE
    void end_epilogue()
    {
        [[maybe_unused]] int const done[] = {(NumberedCallbacks::callbacks.end_epilogue(), 0)...};
    }

private:
    /// What a node returns.
    template <uint32_t I>
    CATLASS_DEVICE auto OutputOf() const
    {
        constexpr uint32_t PLACE = Tile::PLACES.of[Tile::GRAPH.tile[I]];
        return tiles[PLACE < Tile::NODES ? PLACE : Tile::PLACES.count]
            .template ReinterpretCast<typename Tile::template NodeAt<I>::ElementOutput>();
    }

    template <VisitStage STAGE, size_t... Positions>
    CATLASS_DEVICE void VisitAll(
        MatrixCoord const& globalTileOffset, MatrixCoord const& localTileOffset, MatrixCoord const& tileShape,
        [[maybe_unused]] uint32_t calCount, tla::index_sequence<Positions...>)
    {
        [[maybe_unused]] int const done[] = {
            0, (VisitNode<STAGE, Tile::template VISITS<STAGE>.nodes[Positions]>(
                    globalTileOffset, localTileOffset, tileShape, calCount,
                    tla::make_index_sequence<
                        Tile::GRAPH.nodes[Tile::template VISITS<STAGE>.nodes[Positions]].inputCount>{}),
                0)...};
    }

    template <VisitStage STAGE, uint32_t I, size_t... Inputs>
    CATLASS_DEVICE void VisitNode(
        MatrixCoord const& globalTileOffset, MatrixCoord const& localTileOffset, MatrixCoord const& tileShape,
        uint32_t calCount, tla::index_sequence<Inputs...>)
    {
        // Within ALL each node has waited for its own work
        if constexpr (Tile::VisitOf(I).waits && STAGE == VisitStage::COMPUTE) {
            BarrierV();
        }
        if constexpr (Tile::SKIPS.of[I] != NO_TILES) {
            uint32_t kind = KindOfTile(this->IsBelow(globalTileOffset.row()), globalTileOffset.column() != 0);
            if ((Tile::SKIPS.of[I] >> kind & 1u) != 0) {
                if constexpr (Tile::template NodeAt<I>::HAS_BARRIER && STAGE == VisitStage::COMPUTE) {
                    BarrierV();
                }
                return;
            }
        }
        CallbacksAt<I>(*this).template visit<STAGE>(
            globalTileOffset, localTileOffset, tileShape, calCount, OutputOf<Tile::GRAPH.Input(I, Inputs)>()...);
#ifdef CATLASS_EVT_DUMP
        using Node = typename Tile::template NodeAt<I>;
        if constexpr (
            Node::PENDING ? HasStage(STAGE, VisitStage::COMPUTE) : Node::LOADED && HasStage(STAGE, VisitStage::LOAD)) {
            DumpTile<Node>(I, globalTileOffset, tileShape, calCount, OutputOf<I>());
        }
#endif
    }
};

} // namespace detail

/// A directed acyclic graph: the i-th sequence of EdgeTuple lists the inputs of the i-th op, the last op is the root.
///
/// Every node is visited once in each stage in which it has work, however many others use its output: they find it
/// where the plan of a tile has it, see tile_plan.hpp. A visitor nested in it is complete in itself and takes no
/// inputs; all nodes of the graph are planned as one. Arguments are written in the order of Ops.
template <class EdgeTuple, class... Ops>
struct TopologicalVisitor : VisitorImpl<Ops...> {
    using Base = VisitorImpl<Ops...>;
    using Base::Base;
    using typename Base::Nodes;

private:
    static constexpr size_t COUNT = sizeof...(Ops);
    static constexpr uint32_t NODES = detail::NodeList<Nodes>::COUNT;

    using Edges = detail::Edges<EdgeTuple>;

    static_assert(COUNT > 1, "TopologicalVisitor, TreeVisitor: a single node stands for itself");
    static_assert(Edges::COUNT == COUNT, "One sequence of inputs per op");

    template <class... Seqs>
    CATLASS_HOST_DEVICE static constexpr bool AreInRange(detail::TypeList<Seqs...>)
    {
        constexpr size_t inputCount[] = {detail::InputList<Seqs>::COUNT...};
        constexpr int const* inputs[] = {detail::InputList<Seqs>::VALUES...};
        bool areInRange = true;
        for (size_t i = 0; i < COUNT; ++i) {
            for (size_t k = 0; k < inputCount[i]; ++k) {
                areInRange = areInRange && inputs[i][k] >= 0 && inputs[i][k] < static_cast<int>(COUNT);
            }
        }
        return areInRange;
    }

    static_assert(AreInRange(typename Edges::Type{}), "An input is not the index of an op");

    template <class... Seqs>
    CATLASS_HOST_DEVICE static constexpr uint32_t CountInputs(detail::TypeList<Seqs...>)
    {
        return static_cast<uint32_t>(
            detail::SumOf({detail::InputList<Seqs>::COUNT + detail::InputCount<Ops>::value...}));
    }

public:
    using ElementOutput = typename detail::NodeList<Nodes>::template At<NODES - 1>::ElementOutput;

    /// Edges between all its nodes, those of nested visitors included.
    static constexpr uint32_t INPUTS = CountInputs(typename Edges::Type{});

    /// Adds all nodes to a graph that this visitor is a part of.
    template <class Graph>
    CATLASS_HOST_DEVICE static constexpr void Describe(Graph& graph)
    {
        DescribeEach(graph, graph.nodeCount, typename Edges::Type{});
    }

private:
    /// first: the number of this visitor's first node.
    template <class Graph, class... Seqs>
    CATLASS_HOST_DEVICE static constexpr void DescribeEach(Graph& graph, uint32_t first, detail::TypeList<Seqs...>)
    {
        [[maybe_unused]] int const done[] = {(DescribeOp<Ops>(graph, first, Seqs{}), 0)...};
    }

    template <class Op, class Graph, int... Inputs>
    CATLASS_HOST_DEVICE static constexpr void DescribeOp(
        Graph& graph, [[maybe_unused]] uint32_t first, tla::seq<Inputs...>)
    {
        if constexpr (detail::NodesOf<Op>::IS_NODE) {
            graph.template Add<Op>();
            // The output of an op is that of its last node
            [[maybe_unused]] int const done[] = {
                0, (graph.AddInput(first + Base::FIRST_NODES.of[Inputs + 1] - 1), 0)...};
        } else {
            static_assert(
                sizeof...(Inputs) == 0,
                "A visitor nested in another takes no inputs: in a TreeVisitor the node comes first, then its "
                "children");
            Op::Describe(graph);
        }
    }

    CATLASS_HOST_DEVICE static constexpr auto MakeGraph()
    {
        detail::FlatGraph<NODES, INPUTS> graph{};
        // Else the assertion above says what is wrong, and nothing else needs to
        if constexpr (AreInRange(typename Edges::Type{})) {
            Describe(graph);
            graph.Complete();
        }
        return graph;
    }

public:
    /// All nodes of the graph. A struct of its own: a class that is incomplete cannot compute constants by its own
    /// functions.
    struct Flat {
        static constexpr auto GRAPH = MakeGraph();
    };

    /// Some STORE reads UB that LOAD fills: a refill has to wait for MTE3 too.
    CATLASS_HOST_DEVICE static constexpr bool StoresLoaded()
    {
        return Flat::GRAPH.storesLoaded;
    }

    /// The accumulator is read where the cube core stored it in UB.
    CATLASS_HOST_DEVICE static constexpr bool HasResident()
    {
        return Flat::GRAPH.hasResident;
    }

    /// Some STORE reads it there: MTE3 is its last reader, not V.
    CATLASS_HOST_DEVICE static constexpr bool StoresResident()
    {
        return Flat::GRAPH.storesResident;
    }

    /// Bytes of UB of one buffer for tiles of up to computeLength elements.
    CATLASS_HOST_DEVICE static constexpr uint32_t UbBytes(uint32_t computeLength)
    {
        return detail::PlanSimply(Flat::GRAPH, detail::UbNeeds<Nodes>(computeLength).of).Bytes();
    }

    /// Takes UbBytes of UB from ubOffset on, which must be a multiple of BANK_PERIOD, and moves it behind them.
    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto get_callbacks(
        Arch::Resource<ArchTag>& resource, uint32_t& ubOffset, ComputeLength computeLength)
    {
        using Plan = detail::SimplePlan<TopologicalVisitor, ComputeLength::value>;
        return GetCallbacks<detail::PlannedTile<TopologicalVisitor, Plan>>(resource, ubOffset, computeLength);
    }

protected:
    template <class Tile, class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto GetCallbacks(Arch::Resource<ArchTag>& resource, uint32_t& ubOffset, ComputeLength computeLength)
    {
        static_assert(sizeof(detail::PlanCheck<Tile, Indices>) > 0);
        uint32_t begin = ubOffset;
        ubOffset += Tile::BYTES;
        return MakeCallbacks<Tile>(
            resource, begin, computeLength, Nodes{}, Indices{}, tla::make_index_sequence<Tile::PLACES.count>{});
    }

private:
    using Indices = tla::make_index_sequence<NODES>;

    template <class Leaf, class ArchTag, class ComputeLength>
    using CallbacksOf = decltype(std::declval<Leaf&>().get_callbacks(
        std::declval<Arch::Resource<ArchTag>&>(), UbParts{}, ComputeLength{}));

    /// Node I takes its inputs, and returns what others find in its tile: asked by type, of every node, since a visit
    /// is called only in stages in which there is work, and what it returns is not read.
    template <size_t I, class NodeCallbacks, size_t... Inputs>
    CATLASS_HOST_DEVICE static constexpr bool ReturnsOutput(tla::index_sequence<Inputs...>)
    {
        // What is wrong with the inputs it says by itself, before the call is looked up
        static_assert(
            sizeof(detail::CheckInputs<
                   NodeAt<I>, NodeCallbacks, typename NodeAt<Flat::GRAPH.Input(I, Inputs)>::ElementOutput...>) > 0);
        using Output = decltype(std::declval<NodeCallbacks&>().template visit<VisitStage::COMPUTE>(
            std::declval<MatrixCoord const&>(), std::declval<MatrixCoord const&>(), std::declval<MatrixCoord const&>(),
            uint32_t{},
            std::declval<
                AscendC::LocalTensor<typename NodeAt<Flat::GRAPH.Input(I, Inputs)>::ElementOutput> const&>()...));
        using Expected = AscendC::LocalTensor<typename NodeAt<I>::ElementOutput>;
        if constexpr (NodeAt<I>::FORWARDS) {
            using Input = NodeAt<Flat::GRAPH.Input(I, 0)>;
            return std::is_same_v<std::decay_t<Output>, Expected> &&
                   std::is_same_v<typename Input::ElementOutput, typename NodeAt<I>::ElementOutput>;
        } else {
            return std::is_same_v<std::decay_t<Output>, Expected>;
        }
    }

    template <size_t I>
    using NodeAt = typename detail::NodeList<Nodes>::template At<I>;

    /// The parts of node I in a buffer that begins at ubOffset. The plan is a constant: a device looks nothing up in
    /// it.
    template <class Tile, size_t I>
    CATLASS_DEVICE static UbParts PartsOf(uint32_t ubOffset)
    {
        constexpr UbParts BEGINS = Tile::VisitOf(I).begins;
        return UbParts{
            ubOffset + BEGINS.tile, ubOffset + BEGINS.loaded, ubOffset + BEGINS.scratch, ubOffset + BEGINS.stored};
    }

    template <class Tile, class ArchTag, class ComputeLength, class... Leaves, size_t... Is, size_t... Places>
    CATLASS_DEVICE auto MakeCallbacks(
        Arch::Resource<ArchTag>& resource, uint32_t ubOffset, ComputeLength computeLength, detail::TypeList<Leaves...>,
        tla::index_sequence<Is...>, tla::index_sequence<Places...>)
    {
        static_assert(
            detail::AllOf({ReturnsOutput<Is, CallbacksOf<Leaves, ArchTag, ComputeLength>>(
                tla::make_index_sequence<Flat::GRAPH.nodes[Is].inputCount>{})...}),
            "A node's visit returns a tensor of its ElementOutput");
        return detail::GraphCallbacks<
            Tile, detail::NumberedCallbacks<Is, CallbacksOf<Leaves, ArchTag, ComputeLength>>...>{
            {Leaves(tla::get<Is>(this->params)).get_callbacks(resource, PartsOf<Tile, Is>(ubOffset), computeLength)}...,
            {},
            {resource.ubBuf.template GetBufferByByte<uint8_t>(ubOffset + Tile::PLACES.begins[Places])...}};
    }
};

/// A graph with the plan of its tiles, see tile_plan.hpp.
template <class Plan, class Graph>
struct Planned : Graph {
    using Graph::Graph;

    /// Bytes of UB of one buffer for tiles of the plan's length.
    CATLASS_HOST_DEVICE static constexpr uint32_t UbBytes(uint32_t /*computeLength*/)
    {
        return Tile::BYTES;
    }

    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto get_callbacks(
        Arch::Resource<ArchTag>& resource, uint32_t& ubOffset, ComputeLength computeLength)
    {
        static_assert(ComputeLength::value == Plan::ELEMENTS, "The plan is for tiles of another length");
        return this->template GetCallbacks<Tile>(resource, ubOffset, computeLength);
    }

private:
    using Tile = detail::PlannedTile<Graph, Plan>;
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_TOPOLOGICAL_VISITOR_HPP
