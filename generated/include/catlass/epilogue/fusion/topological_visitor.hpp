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
    // One spare element: an array cannot be empty.
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

/// Some node is visited in tiles with the first row, and not in those below, or the other way round.
template <uint32_t NODES>
CATLASS_HOST_DEVICE constexpr bool AsksForRow(TilePlan<NODES> const& plan)
{
    bool asks = false;
    for (uint32_t skips : plan.skips) {
        asks = asks || (skips << 1 & LOWER_TILES) != (skips & LOWER_TILES);
    }
    return asks;
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

} // namespace detail

/// A directed acyclic graph: the i-th sequence of EdgeTuple lists the inputs of the i-th op, the last op is the root.
///
/// Every node is visited once in each stage in which it has work, however many others use its output: they find it in
/// the slot that the plan gives it. A visitor nested in it is complete in itself and takes no inputs; all nodes of the
/// graph are planned as one. Arguments are written in the order of Ops.
template <class EdgeTuple, class... Ops>
struct TopologicalVisitor : VisitorImpl<Ops...> {
    using Base = VisitorImpl<Ops...>;
    using Base::Base;
    using typename Base::Nodes;

private:
    static constexpr size_t COUNT = sizeof...(Ops);
    static constexpr uint32_t NODES = detail::NodeList<Nodes>::COUNT;

    template <size_t I>
    using NodeAt = typename detail::NodeList<Nodes>::template At<I>;

    using Edges = detail::Edges<EdgeTuple>;

    static_assert(COUNT > 1, "TopologicalVisitor, TreeVisitor: a single node stands for itself");
    static_assert(Edges::COUNT == COUNT, "One sequence of inputs per op");

    /// What the edges have to be.
    struct Soundness {
        bool inRange{true};
        bool acyclic{true};
        bool reachesAll{true}; // every op but the last is an input of another
    };

    template <class... Seqs>
    CATLASS_HOST_DEVICE static constexpr Soundness Examine(detail::TypeList<Seqs...>)
    {
        constexpr size_t inputCount[] = {detail::InputList<Seqs>::COUNT...};
        constexpr int const* inputs[] = {detail::InputList<Seqs>::VALUES...};
        Soundness sound{};
        bool used[COUNT] = {};
        for (size_t i = 0; i < COUNT; ++i) {
            for (size_t k = 0; k < inputCount[i]; ++k) {
                if (inputs[i][k] < 0 || inputs[i][k] >= static_cast<int>(COUNT)) {
                    sound.inRange = false;
                    return sound;
                }
                used[inputs[i][k]] = true;
            }
        }
        for (size_t i = 0; i + 1 < COUNT; ++i) {
            sound.reachesAll = sound.reachesAll && used[i];
        }
        bool done[COUNT] = {};
        size_t visited = 0;
        for (bool grew = true; grew;) {
            grew = false;
            for (size_t i = 0; i < COUNT; ++i) {
                bool ready = !done[i];
                for (size_t k = 0; k < inputCount[i]; ++k) {
                    ready = ready && done[inputs[i][k]];
                }
                if (ready) {
                    done[i] = true;
                    ++visited;
                    grew = true;
                }
            }
        }
        sound.acyclic = visited == COUNT;
        return sound;
    }

    static constexpr Soundness SOUND = Examine(typename Edges::Type{});

    static_assert(SOUND.inRange, "An input is not the index of an op");
    static_assert(SOUND.acyclic, "The edges form a cycle");
    static_assert(SOUND.reachesAll, "An op is the input of no other, and is not the last");

    template <class... Seqs>
    CATLASS_HOST_DEVICE static constexpr uint32_t CountInputs(detail::TypeList<Seqs...>)
    {
        return (0 + ... + detail::InputList<Seqs>::COUNT) + (0 + ... + detail::InputCount<Ops>::value);
    }

public:
    using ElementOutput = typename NodeAt<NODES - 1>::ElementOutput;

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
        (DescribeOp<Ops>(graph, first, Seqs{}), ...);
    }

    template <class Op, class Graph, int... Inputs>
    CATLASS_HOST_DEVICE static constexpr void DescribeOp(Graph& graph, uint32_t first, tla::seq<Inputs...>)
    {
        if constexpr (detail::NodesOf<Op>::IS_NODE) {
            graph.template Add<Op>();
            // The output of an op is that of its last node
            (graph.AddInput(first + static_cast<uint32_t>(Base::NodesBefore(Inputs + 1)) - 1), ...);
        } else {
            static_assert(
                sizeof...(Inputs) == 0,
                "A visitor nested in another takes no inputs: in a TreeVisitor the node comes first, then its "
                "children");
            Op::Describe(graph);
        }
    }

    using AllNodes = tla::make_index_sequence<NODES>;

    CATLASS_HOST_DEVICE static constexpr auto MakeGraph()
    {
        detail::PlannedGraph<NODES, INPUTS> graph{};
        // Else the assertions above say what is wrong, and nothing else needs to
        if (SOUND.inRange && SOUND.acyclic) {
            Describe(graph);
        }
        return graph;
    }

public:
    /// All nodes of the graph, and the plan of a tile. A struct of its own: a class that is incomplete cannot compute
    /// constants by its own functions.
    struct Planned {
        static constexpr auto GRAPH = MakeGraph();
        static constexpr auto PLAN = detail::PlanTile(GRAPH);

        /// The nodes that work in a stage.
        template <VisitStage STAGE>
        static constexpr auto VISITS = detail::VisitsOf(GRAPH, PLAN, STAGE);
    };

private:
    template <class... Leaves>
    CATLASS_HOST_DEVICE static constexpr auto LayOutNodes(uint32_t computeLength, detail::TypeList<Leaves...>)
    {
        UbParts needs[] = {Leaves::UbNeed(computeLength)...};
        return detail::LayOut<NODES>(Planned::PLAN, needs);
    }

public:
    /// Where the parts of all nodes lie in a buffer for tiles of up to computeLength elements.
    CATLASS_HOST_DEVICE static constexpr auto Layout(uint32_t computeLength)
    {
        return LayOutNodes(computeLength, Nodes{});
    }

    /// Some STORE reads UB that LOAD fills: a refill has to wait for MTE3 too.
    CATLASS_HOST_DEVICE static constexpr bool StoresLoaded()
    {
        return Planned::PLAN.storesLoaded;
    }

    /// The accumulator is read where the cube core stored it in UB.
    CATLASS_HOST_DEVICE static constexpr bool HasResident()
    {
        return Planned::PLAN.hasResident;
    }

    /// Some STORE reads it there: MTE3 is its last reader, not V.
    CATLASS_HOST_DEVICE static constexpr bool StoresResident()
    {
        return Planned::PLAN.storesResident;
    }

    /// Bytes of UB of one buffer for tiles of up to computeLength elements.
    CATLASS_HOST_DEVICE static constexpr uint32_t UbBytes(uint32_t computeLength)
    {
        return Layout(computeLength).bytes;
    }

    /// Drives the nodes, in the order of the plan. What they return lies in slots; the last is that of the accumulator
    /// in UB, or empty.
    template <class... NumberedCallbacks>
    struct Callbacks : NumberedCallbacks..., detail::FirstRow<detail::AsksForRow(Planned::PLAN)> {
        AscendC::LocalTensor<uint8_t> slots[Planned::PLAN.slots + 1];

        CATLASS_DEVICE
        void begin_epilogue()
        {
            (NumberedCallbacks::callbacks.begin_epilogue(), ...);
        }

        CATLASS_DEVICE
        void begin_problem(Problem const& problem)
        {
            (NumberedCallbacks::callbacks.begin_problem(problem), ...);
            this->Begin(problem);
        }

        template <class ElementC, class LayoutC>
        CATLASS_DEVICE void begin_block(
            AscendC::GlobalTensor<ElementC> const& gmSubblockC, LayoutC const& layoutSubblockC,
            int64_t accumulatorStride = 0)
        {
            (NumberedCallbacks::callbacks.begin_block(gmSubblockC, layoutSubblockC, accumulatorStride), ...);
        }

        /// For an accumulator in UB, instead of begin_block: where the tile begins there. Its rows must be as far apart
        /// as those of the tile. A caller of ALL that waits for it on V orders MTE3 behind that where a STORE reads it.
        template <class ElementC>
        CATLASS_DEVICE void begin_tile(AscendC::LocalTensor<ElementC> const& ubTileC)
        {
            slots[Planned::PLAN.slots] = ubTileC.template ReinterpretCast<uint8_t>();
        }

        template <VisitStage STAGE>
        CATLASS_DEVICE auto visit(
            MatrixCoord const& globalTileOffset, MatrixCoord const& localTileOffset, MatrixCoord const& tileShape,
            uint32_t calCount)
        {
            VisitAll<STAGE>(
                globalTileOffset, localTileOffset, tileShape, calCount,
                tla::make_index_sequence<Planned::template VISITS<STAGE>.count>{});
            return slots[Planned::PLAN.output[NODES - 1]].template ReinterpretCast<ElementOutput>();
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
            (NumberedCallbacks::callbacks.end_epilogue(), ...);
        }

    private:
        template <VisitStage STAGE, size_t... Positions>
        CATLASS_DEVICE void VisitAll(
            MatrixCoord const& globalTileOffset, MatrixCoord const& localTileOffset, MatrixCoord const& tileShape,
            [[maybe_unused]] uint32_t calCount, tla::index_sequence<Positions...>)
        {
            (VisitNode<STAGE, Planned::template VISITS<STAGE>.nodes[Positions]>(
                 globalTileOffset, localTileOffset, tileShape, calCount,
                 tla::make_index_sequence<
                     Planned::GRAPH.nodes[Planned::template VISITS<STAGE>.nodes[Positions]].inputCount>{}),
             ...);
        }

        template <VisitStage STAGE, uint32_t I, size_t... Inputs>
        CATLASS_DEVICE void VisitNode(
            MatrixCoord const& globalTileOffset, MatrixCoord const& localTileOffset, MatrixCoord const& tileShape,
            uint32_t calCount, tla::index_sequence<Inputs...>)
        {
            // Within ALL each node has waited for its own work
            if constexpr (Planned::PLAN.barrier[I] && STAGE == VisitStage::COMPUTE) {
                BarrierV();
            }
            if constexpr (Planned::PLAN.skips[I] != NO_TILES) {
                uint32_t kind = KindOfTile(this->IsBelow(globalTileOffset.row()), globalTileOffset.column() != 0);
                if ((Planned::PLAN.skips[I] >> kind & 1u) != 0) {
                    if constexpr (NodeAt<I>::HAS_BARRIER && STAGE == VisitStage::COMPUTE) {
                        BarrierV();
                    }
                    return;
                }
            }
            detail::CallbacksAt<I>(*this).template visit<STAGE>(
                globalTileOffset, localTileOffset, tileShape, calCount,
                slots[Planned::PLAN.output[Planned::GRAPH.Input(I, Inputs)]]
                    .template ReinterpretCast<typename NodeAt<Planned::GRAPH.Input(I, Inputs)>::ElementOutput>()...);
        }
    };

    /// Takes UbBytes of UB from ubOffset on, which must be a multiple of BANK_PERIOD, and moves it behind them.
    template <class ArchTag, class ComputeLength>
    CATLASS_DEVICE auto get_callbacks(
        Arch::Resource<ArchTag>& resource, uint32_t& ubOffset, ComputeLength computeLength)
    {
        uint32_t begin = ubOffset;
        constexpr uint32_t bytes = UbBytes(ComputeLength::value);
        ubOffset += bytes;
        return MakeCallbacks(
            resource, begin, computeLength, Nodes{}, AllNodes{}, tla::make_index_sequence<Planned::PLAN.slots>{});
    }

private:
    template <class Leaf, class ArchTag, class ComputeLength>
    using CallbacksOf = decltype(std::declval<Leaf&>().get_callbacks(
        std::declval<Arch::Resource<ArchTag>&>(), UbParts{}, ComputeLength{}));

    /// Node I takes its inputs, and returns what its consumers find in its slot: asked by type, of every node, since a
    /// visit is called only in stages in which there is work, and what it returns is not read.
    template <size_t I, class NodeCallbacks, size_t... Inputs>
    CATLASS_HOST_DEVICE static constexpr bool ReturnsOutput(tla::index_sequence<Inputs...>)
    {
        // What is wrong with the inputs it says by itself, before the call is looked up
        static_assert(
            sizeof(detail::CheckInputs<
                   NodeAt<I>, NodeCallbacks, typename NodeAt<Planned::GRAPH.Input(I, Inputs)>::ElementOutput...>) > 0);
        using Output = decltype(std::declval<NodeCallbacks&>().template visit<VisitStage::COMPUTE>(
            std::declval<MatrixCoord const&>(), std::declval<MatrixCoord const&>(), std::declval<MatrixCoord const&>(),
            uint32_t{},
            std::declval<
                AscendC::LocalTensor<typename NodeAt<Planned::GRAPH.Input(I, Inputs)>::ElementOutput> const&>()...));
        using Expected = AscendC::LocalTensor<typename NodeAt<I>::ElementOutput>;
        if constexpr (NodeAt<I>::FORWARDS) {
            using Input = NodeAt<Planned::GRAPH.Input(I, 0)>;
            return std::is_same_v<std::decay_t<Output>, Expected> &&
                   std::is_same_v<typename Input::ElementOutput, typename NodeAt<I>::ElementOutput>;
        } else {
            return std::is_same_v<std::decay_t<Output>, Expected>;
        }
    }

    template <class ArchTag, class ComputeLength, class... Leaves, size_t... Is, size_t... Slots>
    CATLASS_DEVICE auto MakeCallbacks(
        Arch::Resource<ArchTag>& resource, uint32_t ubOffset, ComputeLength computeLength, detail::TypeList<Leaves...>,
        tla::index_sequence<Is...>, tla::index_sequence<Slots...>)
    {
        constexpr auto layout = Layout(ComputeLength::value);
        static_assert(layout.isComplete, "A part that needs no UB for PLAN_LENGTH elements needs none for any tile");
        static_assert(
            (ReturnsOutput<Is, CallbacksOf<Leaves, ArchTag, ComputeLength>>(
                 tla::make_index_sequence<Planned::GRAPH.nodes[Is].inputCount>{}) &&
             ...),
            "A node's visit returns a tensor of its ElementOutput");
        return Callbacks<detail::NumberedCallbacks<Is, CallbacksOf<Leaves, ArchTag, ComputeLength>>...>{
            {Leaves(tla::get<Is>(this->params))
                 .get_callbacks(resource, detail::Behind(ubOffset, layout.parts[Is]), computeLength)}...,
            {},
            {resource.ubBuf.template GetBufferByByte<uint8_t>(ubOffset + layout.starts[Slots])...}};
    }
};

} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_TOPOLOGICAL_VISITOR_HPP
