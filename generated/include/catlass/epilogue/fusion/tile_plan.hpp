#ifndef CATLASS_EPILOGUE_FUSION_TILE_PLAN_HPP
#define CATLASS_EPILOGUE_FUSION_TILE_PLAN_HPP

#include "catlass/epilogue/fusion/visitor_impl_base.hpp"

namespace Catlass::Epilogue::Fusion {

// The plan of a tile: in which order the nodes of a graph run, before which of them V waits, and where in a buffer of
// UB the parts of each lie. It is data, for tiles of one length:
//
//   struct Plan {
//       static constexpr uint32_t ELEMENTS = 4096;  // of a tile
//       static constexpr uint32_t BYTES = 16896;    // of a buffer
//       static constexpr PlannedVisit VISITS[] = {
//           {0, false, {0}, {8192}},     // AccLoad
//           {1, false, {8448}, {8192}},  // AuxLoadX
//           {2, false, {0}, {8192}},     // Plus, in the place of AccLoad
//           {3, false, {}, {}}};         // AuxStoreD
//   };
//   using EVT = Planned<Plan, TreeVisitor<AuxStoreD, TreeVisitor<Plus, AccLoad, AuxLoadX>>>;
//
// One that does not hold for its graph is refused. A graph without a plan gets a simple one: inputs come before what
// reads them, and a part takes the first place that is free. Two tiles that one instruction reads are read faster if
// one begins on a multiple of BANK_PERIOD and the other BYTE_PER_REPEAT behind one, since they then never meet in a
// bank.

/// A node in a plan.
struct PlannedVisit {
    uint32_t node;  // its number in the graph: that of its arguments
    bool waits;     // a BarrierV comes before its COMPUTE
    UbParts begins; // where its parts lie in a buffer, in bytes; 0 for one that it does not have
    UbParts bytes;  // how long they are
};

namespace detail {

/// The parts of a node's UB, in the order of the members of UbParts.
enum Part : uint32_t
{
    TILE,
    LOADED,
    SCRATCH,
    STORED,
    PARTS
};

template <class Parts>
CATLASS_HOST_DEVICE constexpr auto& At(Parts& parts, uint32_t part)
{
    constexpr uint32_t UbParts::*MEMBERS[] = {&UbParts::tile, &UbParts::loaded, &UbParts::scratch, &UbParts::stored};
    return parts.*MEMBERS[part];
}

/// The traits of a node, and where its inputs begin in the graph's list.
struct GraphNode {
    uint32_t firstInput{0};
    uint32_t inputCount{0};
    uint32_t inPlace{0};
    uint32_t skips{NO_TILES};
    bool loaded{false};
    bool pending{false};
    bool kept{false};
    bool resident{false};
    bool forwards{false};
    bool readsInCompute{false};
    bool readsInStore{false};
    bool hasBarrier{false};

    /// It has work in this stage: what it fills or reads there.
    CATLASS_HOST_DEVICE constexpr bool WorksIn(VisitStage stage, UbParts const& bytes) const
    {
        bool loads = loaded || bytes.loaded != 0;
        bool computes =
            pending || readsInCompute || hasBarrier || bytes.loaded != 0 || bytes.scratch != 0 || bytes.stored != 0;
        bool stores = readsInStore || bytes.stored != 0;
        return (HasStage(stage, VisitStage::LOAD) && loads) || (HasStage(stage, VisitStage::COMPUTE) && computes) ||
               (HasStage(stage, VisitStage::STORE) && stores);
    }
};

/// A graph without its nesting, and what follows from its traits.
template <uint32_t NODES, uint32_t INPUTS>
struct FlatGraph {
    GraphNode nodes[NODES];
    uint32_t inputs[INPUTS + 1]{}; // one to spare: an array cannot be empty
    uint32_t nodeCount{0};
    uint32_t inputCount{0};
    uint32_t order[NODES]{}; // every node behind its inputs
    uint32_t ordered{0};     // all nodes, unless the root does not need one
    bool hasCycle{false};
    uint32_t tile[NODES]{};     // whose tile a node returns
    bool isStored[NODES]{};     // a STORE reads the tile
    bool storesLoaded{false};   // a STORE reads a tile that LOAD fills
    bool hasResident{false};    // a node returns a tile of the accumulator in UB
    bool storesResident{false}; // a STORE reads one

    template <class Node>
    CATLASS_HOST_DEVICE constexpr void Add()
    {
        nodes[nodeCount++] = GraphNode{inputCount,           0,
                                       Node::IN_PLACE,       Node::SKIPS,
                                       Node::LOADED,         Node::PENDING,
                                       Node::KEPT,           Node::RESIDENT,
                                       Node::FORWARDS,       Node::READS_IN_COMPUTE,
                                       Node::READS_IN_STORE, Node::HAS_BARRIER};
    }

    /// Gives the node that was added last one more input.
    CATLASS_HOST_DEVICE constexpr void AddInput(uint32_t node)
    {
        inputs[inputCount++] = node;
        ++nodes[nodeCount - 1].inputCount;
    }

    CATLASS_HOST_DEVICE constexpr uint32_t Input(uint32_t node, uint32_t number) const
    {
        return inputs[nodes[node].firstInput + number];
    }

    /// The node whose tile an input is.
    CATLASS_HOST_DEVICE constexpr uint32_t InputTile(uint32_t node, uint32_t number) const
    {
        return tile[Input(node, number)];
    }

    /// When all nodes are there.
    CATLASS_HOST_DEVICE constexpr void Complete()
    {
        Order();
        for (uint32_t i = 0; i < ordered; ++i) {
            uint32_t node = order[i];
            GraphNode const& self = nodes[node];
            tile[node] = self.forwards && self.inputCount > 0 ? InputTile(node, 0) : node;
            hasResident = hasResident || self.resident;
            for (uint32_t k = 0; self.readsInStore && k < self.inputCount; ++k) {
                uint32_t source = InputTile(node, k);
                isStored[source] = true;
                storesLoaded = storesLoaded || nodes[source].loaded;
                storesResident = storesResident || nodes[source].resident;
            }
        }
    }

private:
    /// From the root, the last node, down to what it needs.
    CATLASS_HOST_DEVICE constexpr void Order()
    {
        uint32_t path[NODES]{NODES - 1};
        uint32_t seen[NODES]{}; // inputs
        bool isOnPath[NODES]{};
        bool isDone[NODES]{};
        for (uint32_t depth = 1; depth > 0;) {
            uint32_t node = path[depth - 1];
            isOnPath[node] = seen[node] < nodes[node].inputCount;
            if (!isOnPath[node]) {
                isDone[node] = true;
                order[ordered++] = node;
                --depth;
                continue;
            }
            uint32_t input = Input(node, seen[node]++);
            if (isOnPath[input]) {
                hasCycle = true;
                return;
            }
            if (!isDone[input]) {
                path[depth++] = input;
            }
        }
    }
};

/// The bytes of a part, and when they are needed: 0 is LOAD, i the COMPUTE of the i-th visit, STORE comes behind them.
struct UbSpan {
    uint32_t node{0};
    uint32_t part{TILE};
    uint32_t begin{0};
    uint32_t end{0};
    uint32_t first{0};
    uint32_t last{0};
    bool isLoaded{false};
    bool isWritten{false}; // by V

    CATLASS_HOST_DEVICE constexpr bool Overlaps(UbSpan const& other) const
    {
        return begin < other.end && other.begin < end;
    }
};

/// A plan, held against its graph.
template <uint32_t NODES, uint32_t INPUTS>
struct Schedule {
    using Graph = FlatGraph<NODES, INPUTS>;

    static constexpr uint32_t STORE = NODES + 1;

    PlannedVisit visits[NODES]{};
    uint32_t moment[NODES]{};      // of a node's visit
    uint32_t lastRead[NODES]{};    // of its tile, in COMPUTE
    bool isInOrder{false};         // every node once, its inputs before it; no wait before a COMPUTE that is not there
    UbSpan spans[NODES * PARTS]{}; // first those that LOAD fills or that are kept, then visit by visit
    uint32_t spanCount{0};
    UbSpan touched[NODES * PARTS + INPUTS]{}; // by V, visit by visit
    uint32_t firstTouched[NODES + 1]{};

    CATLASS_HOST_DEVICE constexpr Schedule(Graph const& graph, PlannedVisit const* planned, size_t count)
        : isInOrder(count == NODES)
    {
        for (uint32_t i = 0; isInOrder && i < NODES; ++i) {
            visits[i] = planned[i];
            isInOrder = visits[i].node < NODES && moment[visits[i].node] == 0 && ReadInputs(graph, i);
        }
        for (uint32_t i = 0; isInOrder && i < 2 * NODES * PARTS; ++i) {
            UbSpan span = SpanOf(graph, visits[i / PARTS % NODES].node, i % PARTS);
            if (span.begin != span.end && (span.first == 0) == (i < NODES * PARTS)) {
                spans[spanCount++] = span;
            }
        }
        for (uint32_t i = 0; isInOrder && i < NODES; ++i) {
            Touch(graph, i);
        }
    }

    /// A node's parts have the bytes that it needs, begin on data blocks, and end within a buffer of so many bytes.
    CATLASS_HOST_DEVICE constexpr bool HasParts(uint32_t node, UbParts const& need, uint32_t bytes) const
    {
        bool has = true;
        for (uint32_t part = 0; isInOrder && part < PARTS; ++part) {
            uint32_t begin = At(visits[moment[node] - 1].begins, part);
            uint32_t size = At(visits[moment[node] - 1].bytes, part);
            has = has && size == At(need, part) && begin % BYTE_PER_BLK == 0 && size <= bytes &&
                  begin <= (size == 0 ? 0 : bytes - size);
        }
        return has;
    }

    /// Bytes of a buffer, behind which another begins.
    CATLASS_HOST_DEVICE constexpr uint32_t Bytes() const
    {
        uint32_t end = 0;
        for (uint32_t i = 0; i < spanCount; ++i) {
            end = spans[i].end > end ? spans[i].end : end;
        }
        return RoundUp<BANK_PERIOD>(end);
    }

    /// Span i, and those a multiple of NODES behind it, share no bytes with one before them that is needed then, too.
    CATLASS_HOST_DEVICE constexpr bool IsApart(Graph const& graph, uint32_t i) const
    {
        bool isApart = true;
        for (; isApart && i < spanCount; i += NODES) {
            for (uint32_t k = 0; isApart && k < i; ++k) {
                isApart = !spans[i].Overlaps(spans[k]) || !Meet(graph, spans[i], spans[k]);
            }
        }
        return isApart;
    }

    /// Both are needed at some time. The next tile is loaded while this one is stored, unless LOAD waits for that.
    CATLASS_HOST_DEVICE constexpr bool Meet(Graph const& graph, UbSpan const& a, UbSpan const& b) const
    {
        bool atOnce = a.first <= b.last && b.first <= a.last;
        bool isRefilled = (a.isLoaded && b.last == STORE) || (b.isLoaded && a.last == STORE);
        return (isRefilled && !graph.storesLoaded) || (atOnce && !IsInPlace(graph, a, b) && !IsInPlace(graph, b, a));
    }

    /// Visit i touches what V has touched since the last barrier, and one of both writes.
    CATLASS_HOST_DEVICE constexpr bool Clashes(Graph const& graph, uint32_t i) const
    {
        uint32_t first = 0;
        for (uint32_t k = 0; k < i; ++k) {
            first = visits[k].waits || graph.nodes[visits[k].node].hasBarrier ? firstTouched[k] : first;
        }
        bool clashes = false;
        for (uint32_t a = firstTouched[i]; isInOrder && a < firstTouched[i + 1]; ++a) {
            for (uint32_t b = first; !clashes && b < firstTouched[i]; ++b) {
                clashes = (touched[a].isWritten || touched[b].isWritten) && touched[a].Overlaps(touched[b]);
            }
        }
        return clashes;
    }

private:
    CATLASS_HOST_DEVICE constexpr bool ReadInputs(Graph const& graph, uint32_t i)
    {
        uint32_t node = visits[i].node;
        GraphNode const& self = graph.nodes[node];
        bool areThere = true;
        for (uint32_t k = 0; k < self.inputCount; ++k) {
            areThere = areThere && moment[graph.Input(node, k)] != 0;
            lastRead[graph.InputTile(node, k)] = self.readsInCompute ? i + 1 : lastRead[graph.InputTile(node, k)];
        }
        moment[node] = i + 1;
        lastRead[node] = i + 1;
        return areThere && (!visits[i].waits || self.WorksIn(VisitStage::COMPUTE, visits[i].bytes));
    }

    CATLASS_HOST_DEVICE constexpr UbSpan SpanOf(Graph const& graph, uint32_t node, uint32_t part) const
    {
        PlannedVisit const& visit = visits[moment[node] - 1];
        GraphNode const& self = graph.nodes[node];
        UbSpan span{node, part, At(visit.begins, part), 0, moment[node], moment[node]};
        span.end = span.begin + At(visit.bytes, part);
        span.isLoaded = part == LOADED || (part == TILE && self.loaded);
        span.isWritten = part == TILE ? self.pending && !self.forwards : part != LOADED;
        if (span.isLoaded || (part == TILE && self.kept)) {
            span.first = 0;
        }
        if (part == TILE) {
            span.last = graph.isStored[node] || self.kept ? STORE : lastRead[node];
        } else if (part == STORED) {
            span.last = STORE;
        }
        return span;
    }

    CATLASS_HOST_DEVICE constexpr void Touch(Graph const& graph, uint32_t i)
    {
        uint32_t node = visits[i].node;
        uint32_t count = firstTouched[i];
        for (uint32_t part = 0; part < PARTS; ++part) {
            touched[count] = SpanOf(graph, node, part);
            count += touched[count].isWritten || part == LOADED ? 1 : 0;
        }
        for (uint32_t k = 0; graph.nodes[node].readsInCompute && k < graph.nodes[node].inputCount; ++k) {
            touched[count] = SpanOf(graph, graph.InputTile(node, k), TILE);
            touched[count++].isWritten = false;
        }
        firstTouched[i + 1] = count;
    }

    /// The tile of a is that of b, an input which nobody reads after it and which it may overwrite.
    CATLASS_HOST_DEVICE constexpr bool IsInPlace(Graph const& graph, UbSpan const& a, UbSpan const& b) const
    {
        GraphNode const& self = graph.nodes[a.node];
        bool isInPlace = a.part == TILE && b.part == TILE && a.node != b.node && a.first == b.last &&
                         a.begin == b.begin && a.end == b.end;
        for (uint32_t k = 0; isInPlace && k < self.inputCount; ++k) {
            isInPlace = graph.InputTile(a.node, k) != b.node || (k < 32 && (self.inPlace >> k & 1u) != 0);
        }
        return isInPlace;
    }
};

/// The plan of a graph that has none.
template <uint32_t NODES, uint32_t INPUTS>
CATLASS_HOST_DEVICE constexpr Schedule<NODES, INPUTS> PlanSimply(
    FlatGraph<NODES, INPUTS> const& graph, UbParts const (&needs)[NODES])
{
    PlannedVisit visits[NODES]{};
    for (uint32_t i = 0; i < NODES; ++i) {
        visits[i] = PlannedVisit{graph.order[i], false, {}, needs[graph.order[i]]};
    }
    Schedule<NODES, INPUTS> plan(graph, visits, NODES);
    uint32_t oldest[NODES * PARTS]{}; // of each place, the first span in it, which made it
    uint32_t newest[NODES * PARTS]{};
    uint32_t places = 0;
    uint32_t end = 0;
    for (uint32_t i = 0; i < plan.spanCount; ++i) {
        UbSpan& span = plan.spans[i];
        uint32_t size = span.end;
        uint32_t place = 0;
        for (; place < places; ++place) {
            UbSpan const& maker = plan.spans[oldest[place]];
            span.begin = maker.begin;
            span.end = maker.begin + size;
            if (span.end <= maker.end && !plan.Meet(graph, span, maker) &&
                !plan.Meet(graph, span, plan.spans[newest[place]])) {
                break;
            }
        }
        if (place == places) {
            oldest[places++] = i;
            span.begin = end;
            span.end = end + size;
            end = RoundUp<BYTE_PER_BLK>(span.end);
        }
        newest[place] = i;
        At(plan.visits[plan.moment[span.node] - 1].begins, span.part) = span.begin;
    }
    Schedule<NODES, INPUTS> placed(graph, plan.visits, NODES);
    for (uint32_t i = 0; i < NODES; ++i) {
        placed.visits[i].waits = placed.Clashes(graph, i);
    }
    return placed;
}

} // namespace detail
} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_TILE_PLAN_HPP
