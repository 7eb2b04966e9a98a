#ifndef CATLASS_EPILOGUE_FUSION_TILE_PLAN_HPP
#define CATLASS_EPILOGUE_FUSION_TILE_PLAN_HPP

#include "catlass/epilogue/fusion/visitor_impl_base.hpp"

namespace Catlass::Epilogue::Fusion {

// The plan of a tile, made at compile time for a graph without its nesting: in which order the nodes run, before which
// of them V needs a barrier, and where in UB the parts of each lie.
//
// One sweep over the graph decides all of it. Of the nodes whose inputs are there, it takes the next; gives its parts a
// slot of UB, that of an input which nobody needs any more and which the node may overwrite, a free one, or a new one;
// puts a barrier before it if it touches a slot that V has worked on since the last barrier, unless both only read; and
// frees the slots of what it was the last to read. The sweep has an eye on barriers; a second one, with an eye on
// memory, is made only if the two were ever at odds. Fewer bytes count first.
//
// Two tiles that one instruction reads take slots of different phase where the graph lets them: one starts on a
// multiple of BANK_PERIOD bytes, the other BYTE_PER_REPEAT behind one. They then never meet in a bank.

namespace detail {

/// Elements of the tile for which sizes are compared: one plan serves every length. A part that takes bytes for one
/// length must take some for this one.
constexpr uint32_t PLAN_LENGTH = 4096;

/// The slot of a part that a node does not have.
constexpr uint32_t NO_SLOT = ~0u;

/// The parts of a node's UB, in the order of the members of UbParts.
enum Part : uint32_t
{
    TILE,
    LOADED,
    SCRATCH,
    STORED,
    PARTS
};

CATLASS_HOST_DEVICE constexpr uint32_t SizeOf(UbParts const& need, uint32_t part)
{
    switch (part) {
        case TILE:
            return need.tile;
        case LOADED:
            return need.loaded;
        case SCRATCH:
            return need.scratch;
        default:
            return need.stored;
    }
}

/// A node of a graph: its traits, its bytes for tiles of PLAN_LENGTH elements, where its inputs begin in the graph's
/// list.
struct PlannedNode {
    UbParts need;
    uint32_t inPlace{0};
    uint32_t skips{NO_TILES};
    uint32_t firstInput{0};
    uint32_t inputCount{0};
    bool loaded{false};
    bool pending{false};
    bool forwards{false};
    bool readsInCompute{false};
    bool readsInStore{false};
    bool hasBarrier{false};
    bool kept{false};
    bool resident{false};

    /// It has work in this stage: what it fills or reads there.
    CATLASS_HOST_DEVICE constexpr bool WorksIn(VisitStage stage) const
    {
        switch (stage) {
            case VisitStage::LOAD:
                return loaded || need.loaded != 0;
            case VisitStage::COMPUTE:
                return pending || readsInCompute || hasBarrier || need.loaded != 0 || need.scratch != 0 ||
                       need.stored != 0;
            case VisitStage::STORE:
                return readsInStore || need.stored != 0;
            default:
                return WorksIn(VisitStage::LOAD) || WorksIn(VisitStage::COMPUTE) || WorksIn(VisitStage::STORE);
        }
    }
};

/// A graph without its nesting.
template <uint32_t NODES, uint32_t INPUTS>
struct PlannedGraph {
    PlannedNode nodes[NODES];
    uint32_t inputs[INPUTS + 1]{}; // one to spare: an array cannot be empty
    uint32_t nodeCount{0};
    uint32_t inputCount{0};

    template <class Node>
    CATLASS_HOST_DEVICE constexpr void Add()
    {
        PlannedNode& node = nodes[nodeCount++];
        node.need = Node::UbNeed(PLAN_LENGTH);
        node.inPlace = Node::IN_PLACE;
        node.skips = Node::SKIPS;
        node.firstInput = inputCount;
        node.loaded = Node::LOADED;
        node.pending = Node::PENDING;
        node.forwards = Node::FORWARDS;
        node.readsInCompute = Node::READS_IN_COMPUTE;
        node.readsInStore = Node::READS_IN_STORE;
        node.hasBarrier = Node::HAS_BARRIER;
        node.kept = Node::KEPT;
        node.resident = Node::RESIDENT;
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
};

/// The plan of a graph of so many nodes.
template <uint32_t NODES>
struct TilePlan {
    uint32_t order[NODES]{};       // the nodes in the order of their visits
    bool barrier[NODES]{};         // the node's COMPUTE follows a barrier
    uint32_t skips[NODES]{};       // the tiles in which a node is not visited
    uint32_t slot[NODES][PARTS]{}; // of each part of a node
    uint32_t output[NODES]{}; // the slot of the tile that a node returns; one behind all slots if it has none: that of
                              // the accumulator in UB
    uint32_t phase[NODES * PARTS]{}; // of a slot: 0, or 1 for one that starts BYTE_PER_REPEAT behind a BANK_PERIOD
    uint32_t slots{0};
    uint32_t bytes{0}; // of all slots, for tiles of PLAN_LENGTH elements, without the gaps between them
    uint32_t barriers{0};
    bool storesLoaded{false};   // a STORE reads a slot that LOAD fills
    bool hasResident{false};    // a node returns a tile of the accumulator in UB
    bool storesResident{false}; // a STORE reads one
    bool hasChoice{false};      // at some choice, memory and barriers asked for different nodes
};

/// A sweep over a graph. If it spares memory, the node that takes least of it comes first, else one without a barrier.
template <uint32_t NODES, uint32_t INPUTS>
class PlanSweep {
public:
    CATLASS_HOST_DEVICE constexpr PlanSweep(PlannedGraph<NODES, INPUTS> const& graph_, bool spares_)
        : graph(graph_), spares(spares_)
    {}

    CATLASS_HOST_DEVICE constexpr TilePlan<NODES> Run()
    {
        FindTiles();
        FindUsers();
        FindHeights();
        FindReaders();
        for (uint32_t i = 0; i < NODES; ++i) {
            for (uint32_t part = 0; part < PARTS; ++part) {
                plan.slot[i][part] = NO_SLOT;
            }
        }
        for (uint32_t i = 0; i < NODES; ++i) {
            if (IsThere(i)) {
                Take(i, TILE, graph.nodes[i].loaded);
            }
            Take(i, LOADED, true);
        }
        uint32_t position = 0;
        for (uint32_t i = 0; i < NODES; ++i) {
            // Loads that V has nothing to do with come first, whatever else there is
            if (graph.nodes[i].inputCount == 0 && !graph.nodes[i].pending) {
                Visit(i, position++);
            } else if (graph.nodes[i].inputCount == 0) {
                ready[readyCount++] = i;
            }
        }
        while (readyCount > 0) {
            Visit(Next(), position++);
        }
        for (uint32_t i = 0; i < NODES; ++i) {
            uint32_t slot = plan.slot[tile[i]][TILE];
            plan.output[i] = slot != NO_SLOT ? slot : plan.slots;
        }
        for (uint32_t i = 0; i < plan.slots; ++i) {
            plan.bytes += slots[i].size;
        }
        return plan;
    }

private:
    static constexpr uint32_t ANY_PHASE = 2;
    static constexpr uint32_t MAX_IN_PLACE = 32; // bits of IN_PLACE

    struct Slot {
        uint32_t size{0};    // bytes of the largest part that has lain in it
        bool loaded{false};  // LOAD fills it
        bool free{false};    // nobody needs what lies in it
        bool read{false};    // V has read it since the last barrier
        bool written{false}; // V has written it since then
    };

    /// A node that is ready.
    struct Candidate {
        uint32_t node{0};
        int32_t taken{0}; // bytes
        int32_t waits{0}; // 1 for a barrier
    };

    PlannedGraph<NODES, INPUTS> const& graph;
    bool spares;
    TilePlan<NODES> plan{};
    Slot slots[NODES * PARTS]{};
    uint32_t tile[NODES]{};            // whose tile a node returns
    uint32_t height[NODES]{};          // the longest way to the end of the graph
    uint32_t readers[NODES]{};         // how many nodes still have to read a tile in COMPUTE
    uint32_t firstReader[NODES + 1]{}; // of a tile, in the list of them
    uint32_t readerList[INPUTS + 1]{};
    bool stored[NODES]{};            // a STORE reads the tile
    uint32_t firstUser[NODES + 1]{}; // of a node, in the list of those that have it as an input
    uint32_t userList[INPUTS + 1]{};
    uint32_t missing[NODES]{}; // inputs of a node that are not there yet
    uint32_t ready[NODES]{};   // the nodes that miss none and have not run
    uint32_t readyCount{0};

    /// Its tile is there before the first COMPUTE.
    CATLASS_HOST_DEVICE constexpr bool IsThere(uint32_t node) const
    {
        return graph.nodes[node].loaded || graph.nodes[node].kept;
    }

    CATLASS_HOST_DEVICE constexpr void FindTiles()
    {
        for (uint32_t i = 0; i < NODES; ++i) {
            tile[i] = i;
        }
        for (bool changed = true; changed;) { // the nodes come in any order
            changed = false;
            for (uint32_t i = 0; i < NODES; ++i) {
                if (graph.nodes[i].forwards && graph.nodes[i].inputCount > 0 && tile[i] != tile[graph.Input(i, 0)]) {
                    tile[i] = tile[graph.Input(i, 0)];
                    changed = true;
                }
            }
        }
    }

    CATLASS_HOST_DEVICE constexpr void FindUsers()
    {
        for (uint32_t i = 0; i < graph.inputCount; ++i) {
            ++firstUser[graph.inputs[i] + 1];
        }
        for (uint32_t i = 0; i < NODES; ++i) {
            firstUser[i + 1] += firstUser[i];
            missing[i] = graph.nodes[i].inputCount;
        }
        uint32_t listed[NODES]{};
        for (uint32_t i = 0; i < NODES; ++i) {
            for (uint32_t k = 0; k < graph.nodes[i].inputCount; ++k) {
                uint32_t source = graph.Input(i, k);
                userList[firstUser[source] + listed[source]++] = i;
            }
        }
    }

    CATLASS_HOST_DEVICE constexpr void FindHeights()
    {
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t i = NODES; i-- > 0;) { // inputs mostly come first, so one pass mostly does
                for (uint32_t k = 0; k < graph.nodes[i].inputCount; ++k) {
                    uint32_t& below = height[graph.Input(i, k)];
                    if (below < height[i] + 1) {
                        below = height[i] + 1;
                        changed = true;
                    }
                }
            }
        }
    }

    CATLASS_HOST_DEVICE constexpr void FindReaders()
    {
        for (uint32_t i = 0; i < NODES; ++i) {
            plan.hasResident = plan.hasResident || graph.nodes[i].resident;
            for (uint32_t k = 0; k < graph.nodes[i].inputCount; ++k) {
                uint32_t source = InputTile(i, k);
                if (graph.nodes[i].readsInStore) {
                    stored[source] = true;
                    plan.storesLoaded = plan.storesLoaded || graph.nodes[source].loaded;
                    plan.storesResident = plan.storesResident || graph.nodes[source].resident;
                }
                readers[source] += ReadsFirst(i, k) ? 1 : 0;
            }
        }
        for (uint32_t i = 0; i < NODES; ++i) {
            firstReader[i + 1] = firstReader[i] + readers[i];
        }
        uint32_t listed[NODES]{};
        for (uint32_t i = 0; i < NODES; ++i) {
            for (uint32_t k = 0; k < graph.nodes[i].inputCount; ++k) {
                uint32_t source = InputTile(i, k);
                if (ReadsFirst(i, k)) {
                    readerList[firstReader[source] + listed[source]++] = i;
                }
            }
        }
    }

    CATLASS_HOST_DEVICE constexpr uint32_t InputTile(uint32_t node, uint32_t number) const
    {
        return tile[graph.Input(node, number)];
    }

    /// COMPUTE of the node reads this input, and no input before it is the same tile.
    CATLASS_HOST_DEVICE constexpr bool ReadsFirst(uint32_t node, uint32_t number) const
    {
        bool first = graph.nodes[node].readsInCompute;
        for (uint32_t k = 0; k < number; ++k) {
            first = first && InputTile(node, k) != InputTile(node, number);
        }
        return first;
    }

    /// Nobody needs the tile once this node, one of its readers, is done.
    CATLASS_HOST_DEVICE constexpr bool IsLastRead(uint32_t source) const
    {
        return readers[source] == 1 && !stored[source] && !graph.nodes[source].kept;
    }

    /// The node to run next, of those that are ready.
    CATLASS_HOST_DEVICE constexpr uint32_t Next()
    {
        if (readyCount == 1) {
            return ready[--readyCount];
        }
        uint32_t position = 0;
        Candidate best = CandidateAt(0);
        for (uint32_t i = 1; i < readyCount; ++i) {
            Candidate candidate = CandidateAt(i);
            if (ComesBefore(candidate, best)) {
                best = candidate;
                position = i;
            }
        }
        ready[position] = ready[--readyCount];
        return best.node;
    }

    CATLASS_HOST_DEVICE constexpr Candidate CandidateAt(uint32_t position) const
    {
        uint32_t node = ready[position];
        return {node, Taken(node), ReadsWritten(node) ? 1 : 0};
    }

    /// Notes where the two orders differ.
    CATLASS_HOST_DEVICE constexpr bool ComesBefore(Candidate const& a, Candidate const& b)
    {
        int32_t taken = a.taken - b.taken;
        int32_t waits = a.waits - b.waits;
        plan.hasChoice = plan.hasChoice || (taken < 0 && waits > 0) || (taken > 0 && waits < 0);
        int32_t first = spares ? taken : waits;
        int32_t second = spares ? waits : taken;
        if (first != 0 || second != 0) {
            return first != 0 ? first < 0 : second < 0;
        }
        return height[a.node] != height[b.node] ? height[a.node] > height[b.node] : a.node < b.node;
    }

    CATLASS_HOST_DEVICE constexpr bool ReadsWritten(uint32_t node) const
    {
        bool written = plan.slot[node][LOADED] != NO_SLOT && slots[plan.slot[node][LOADED]].written;
        for (uint32_t k = 0; k < graph.nodes[node].inputCount; ++k) {
            uint32_t slot = plan.slot[InputTile(node, k)][TILE];
            written = written || (graph.nodes[node].readsInCompute && slot != NO_SLOT && slots[slot].written);
        }
        return written;
    }

    /// Bytes that are in use after the node and were not before it.
    CATLASS_HOST_DEVICE constexpr int32_t Taken(uint32_t node) const
    {
        UbParts const& need = graph.nodes[node].need;
        uint32_t taken = need.stored + (IsThere(node) ? 0 : need.tile);
        uint32_t freed = need.loaded;
        for (uint32_t k = 0; k < graph.nodes[node].inputCount; ++k) {
            uint32_t source = InputTile(node, k);
            if (IsLastRead(source) && ReadsFirst(node, k)) {
                freed += graph.nodes[source].need.tile;
            }
        }
        return static_cast<int32_t>(taken) - static_cast<int32_t>(freed);
    }

    CATLASS_HOST_DEVICE constexpr void Visit(uint32_t node, uint32_t position)
    {
        plan.order[position] = node;
        for (uint32_t i = firstUser[node]; i < firstUser[node + 1]; ++i) {
            if (--missing[userList[i]] == 0) {
                ready[readyCount++] = userList[i];
            }
        }
        if (!IsThere(node) && graph.nodes[node].need.tile != 0) {
            plan.slot[node][TILE] = InPlace(node);
            Take(node, TILE, false);
        }
        Take(node, SCRATCH, false);
        Take(node, STORED, false);
        OrderOnV(node);
        Release(node);
    }

    /// Puts a barrier before the node if it needs one, and notes what it touches.
    CATLASS_HOST_DEVICE constexpr void OrderOnV(uint32_t node)
    {
        bool fills = graph.nodes[node].pending && !graph.nodes[node].forwards;
        bool barrier = ReadsWritten(node);
        for (uint32_t part = 0; part < PARTS; ++part) {
            uint32_t slot = plan.slot[node][part];
            bool writes = slot != NO_SLOT && part != LOADED && (part != TILE || fills);
            barrier = barrier || (writes && (slots[slot].read || slots[slot].written));
        }
        plan.barrier[node] = barrier;
        plan.barriers += barrier ? 1 : 0;
        for (uint32_t i = 0; (barrier || graph.nodes[node].hasBarrier) && i < plan.slots; ++i) {
            slots[i].read = false;
            slots[i].written = false;
        }
        for (uint32_t k = 0; graph.nodes[node].readsInCompute && k < graph.nodes[node].inputCount; ++k) {
            uint32_t slot = plan.slot[InputTile(node, k)][TILE];
            if (slot != NO_SLOT) {
                slots[slot].read = true;
            }
        }
        for (uint32_t part = 0; part < PARTS; ++part) {
            uint32_t slot = plan.slot[node][part];
            if (slot != NO_SLOT && part == LOADED) {
                slots[slot].read = true;
            } else if (slot != NO_SLOT && (part != TILE || fills)) {
                slots[slot].written = true;
            }
        }
    }

    CATLASS_HOST_DEVICE constexpr void Release(uint32_t node)
    {
        uint32_t own = plan.slot[node][TILE];
        for (uint32_t k = 0; k < graph.nodes[node].inputCount; ++k) {
            uint32_t source = InputTile(node, k);
            if (ReadsFirst(node, k)) {
                Free(IsLastRead(source) ? plan.slot[source][TILE] : NO_SLOT, own);
                --readers[source];
            }
        }
        Free(plan.slot[node][LOADED], own);
        Free(plan.slot[node][SCRATCH], own);
    }

    CATLASS_HOST_DEVICE constexpr void Free(uint32_t slot, uint32_t own)
    {
        if (slot != NO_SLOT && slot != own) {
            slots[slot].free = true;
        }
    }

    /// The slot of an input that the node may overwrite.
    CATLASS_HOST_DEVICE constexpr uint32_t InPlace(uint32_t node) const
    {
        PlannedNode const& self = graph.nodes[node];
        uint32_t phase = WantedPhase(node);
        for (uint32_t number = 0; number < self.inputCount; ++number) {
            uint32_t source = InputTile(node, number);
            uint32_t slot = plan.slot[source][TILE];
            bool fits = slot != NO_SLOT && self.readsInCompute && IsLastRead(source) &&
                        graph.nodes[source].need.tile == self.need.tile &&
                        (phase == ANY_PHASE || phase == plan.phase[slot]) && MayHold(slot, stored[node]);
            for (uint32_t k = 0; k < self.inputCount; ++k) {
                fits = fits && (InputTile(node, k) != source || (k < MAX_IN_PLACE && (self.inPlace >> k & 1u) != 0));
            }
            if (fits) {
                return slot;
            }
        }
        return NO_SLOT;
    }

    /// STORE reads what LOAD fills only in a graph where it does so anyway: LOAD has to wait for MTE3 then.
    CATLASS_HOST_DEVICE constexpr bool MayHold(uint32_t slot, bool isStored) const
    {
        return !isStored || !slots[slot].loaded || plan.storesLoaded;
    }

    /// The phase other than that of the tiles which are read along with the node's; ANY_PHASE if they have both or
    /// none.
    CATLASS_HOST_DEVICE constexpr uint32_t WantedPhase(uint32_t node) const
    {
        bool met[2] = {false, false};
        for (uint32_t i = firstReader[node]; i < firstReader[node + 1]; ++i) {
            uint32_t reader = readerList[i];
            for (uint32_t k = 0; k < graph.nodes[reader].inputCount; ++k) {
                uint32_t slot = plan.slot[InputTile(reader, k)][TILE];
                if (InputTile(reader, k) != node && slot != NO_SLOT) {
                    met[plan.phase[slot]] = true;
                }
            }
        }
        return met[0] == met[1] ? ANY_PHASE : met[0] ? 1 : 0;
    }

    /// Gives a part of a node a slot, if it needs one and has none yet.
    CATLASS_HOST_DEVICE constexpr void Take(uint32_t node, uint32_t part, bool isLoaded)
    {
        uint32_t need = SizeOf(graph.nodes[node].need, part);
        if (need == 0 || plan.slot[node][part] != NO_SLOT) {
            return;
        }
        uint32_t own = plan.slot[node][TILE];
        uint32_t phase = part == TILE                      ? WantedPhase(node) :
                         part == SCRATCH && own != NO_SLOT ? 1 - plan.phase[own] :
                                                             ANY_PHASE;
        uint32_t best = NO_SLOT;
        for (uint32_t i = 0; i < plan.slots; ++i) {
            bool suits = slots[i].free && (phase == ANY_PHASE || phase == plan.phase[i]) &&
                         MayHold(i, part == STORED || (part == TILE && stored[node]));
            if (suits && (best == NO_SLOT || IsBetter(i, best, need))) {
                best = i;
            }
        }
        if (best == NO_SLOT) {
            best = plan.slots++;
            slots[best].loaded = isLoaded;
            // Results mostly lie in place of the first loaded tile, and the others are read along with it
            plan.phase[best] = phase != ANY_PHASE ? phase : best > 0 ? 1 : 0;
        }
        slots[best].size += Growth(best, need);
        slots[best].free = false;
        plan.slot[node][part] = best;
    }

    CATLASS_HOST_DEVICE constexpr uint32_t Growth(uint32_t slot, uint32_t need) const
    {
        return need > slots[slot].size ? need - slots[slot].size : 0;
    }

    CATLASS_HOST_DEVICE constexpr bool IsBetter(uint32_t a, uint32_t b, uint32_t need) const
    {
        if (Growth(a, need) != Growth(b, need)) {
            return Growth(a, need) < Growth(b, need);
        }
        bool touchedA = slots[a].read || slots[a].written;
        bool touchedB = slots[b].read || slots[b].written;
        return touchedA != touchedB ? touchedB : slots[a].size < slots[b].size;
    }
};

/// Sets the tiles in which nobody needs what a node does.
template <uint32_t NODES, uint32_t INPUTS>
CATLASS_HOST_DEVICE constexpr void FindSkips(PlannedGraph<NODES, INPUTS> const& graph, TilePlan<NODES>& plan)
{
    uint32_t unread[NODES]{}; // the tiles in which nobody reads what a node returns
    for (uint32_t& tiles : unread) {
        tiles = ALL_TILES;
    }
    for (bool changed = true; changed;) { // the nodes come in any order
        changed = false;
        for (uint32_t i = 0; i < NODES; ++i) {
            PlannedNode const& node = graph.nodes[i];
            bool stores = node.WorksIn(VisitStage::STORE);
            plan.skips[i] = (stores ? node.skips : unread[i]) & (node.forwards ? ALL_TILES : unread[i]);
            for (uint32_t k = 0; k < node.inputCount; ++k) {
                uint32_t& tiles = unread[graph.Input(i, k)];
                uint32_t left = tiles & plan.skips[i] & (node.forwards ? unread[i] : ALL_TILES);
                changed = changed || left != tiles;
                tiles = left;
            }
        }
    }
}

/// The plan that takes fewer bytes, or else fewer barriers.
template <uint32_t NODES, uint32_t INPUTS>
CATLASS_HOST_DEVICE constexpr TilePlan<NODES> PlanTile(PlannedGraph<NODES, INPUTS> const& graph)
{
    TilePlan<NODES> plan = PlanSweep<NODES, INPUTS>(graph, false).Run();
    if (plan.hasChoice) {
        TilePlan<NODES> small = PlanSweep<NODES, INPUTS>(graph, true).Run();
        bool isQuick = plan.bytes != small.bytes ? plan.bytes < small.bytes : plan.barriers <= small.barriers;
        plan = isQuick ? plan : small;
    }
    FindSkips(graph, plan);
    return plan;
}

/// The nodes that work in a stage, in the order of the plan.
template <uint32_t NODES>
struct StageVisits {
    uint32_t nodes[NODES]{};
    uint32_t count{0};
};

template <uint32_t NODES, uint32_t INPUTS>
CATLASS_HOST_DEVICE constexpr StageVisits<NODES> VisitsOf(
    PlannedGraph<NODES, INPUTS> const& graph, TilePlan<NODES> const& plan, VisitStage stage)
{
    StageVisits<NODES> visits{};
    for (uint32_t position = 0; position < NODES; ++position) {
        if (graph.nodes[plan.order[position]].WorksIn(stage)) {
            visits.nodes[visits.count++] = plan.order[position];
        }
    }
    return visits;
}

/// A plan laid out in UB for tiles of one length.
template <uint32_t NODES>
struct UbLayout {
    UbParts parts[NODES];             // where they begin in a buffer
    uint32_t starts[NODES * PARTS]{}; // where the slots do
    uint32_t bytes{0};                // of a buffer
    bool isComplete{true};            // every part that takes bytes has a slot
};

/// The first byte at or behind end where a slot of this phase may start.
CATLASS_HOST_DEVICE constexpr uint32_t SlotStart(uint32_t end, uint32_t phase)
{
    uint32_t first = end / BANK_PERIOD * BANK_PERIOD + phase * BYTE_PER_REPEAT;
    return first < end ? first + BANK_PERIOD : first;
}

/// The same parts in a buffer that begins at ubOffset.
CATLASS_HOST_DEVICE constexpr UbParts Behind(uint32_t ubOffset, UbParts parts)
{
    parts.tile += ubOffset;
    parts.loaded += ubOffset;
    parts.scratch += ubOffset;
    parts.stored += ubOffset;
    return parts;
}

/// needs: of each node, for tiles of that length.
template <uint32_t NODES>
CATLASS_HOST_DEVICE constexpr UbLayout<NODES> LayOut(TilePlan<NODES> const& plan, UbParts const (&needs)[NODES])
{
    UbLayout<NODES> layout{};
    uint32_t sizes[NODES * PARTS]{};
    for (uint32_t i = 0; i < NODES; ++i) {
        for (uint32_t part = 0; part < PARTS; ++part) {
            uint32_t slot = plan.slot[i][part];
            uint32_t size = SizeOf(needs[i], part);
            layout.isComplete = layout.isComplete && (slot != NO_SLOT || size == 0);
            if (slot != NO_SLOT && sizes[slot] < size) {
                sizes[slot] = size;
            }
        }
    }
    uint32_t(&starts)[NODES * PARTS] = layout.starts;
    for (uint32_t slot = 0; slot < plan.slots; ++slot) {
        starts[slot] = SlotStart(layout.bytes, plan.phase[slot]);
        layout.bytes = starts[slot] + sizes[slot];
    }
    layout.bytes = SlotStart(layout.bytes, 0);
    for (uint32_t i = 0; i < NODES; ++i) {
        uint32_t start[PARTS]{};
        for (uint32_t part = 0; part < PARTS; ++part) {
            start[part] = plan.slot[i][part] == NO_SLOT ? 0 : starts[plan.slot[i][part]];
        }
        layout.parts[i].tile = start[TILE];
        layout.parts[i].loaded = start[LOADED];
        layout.parts[i].scratch = start[SCRATCH];
        layout.parts[i].stored = start[STORED];
    }
    return layout;
}

} // namespace detail
} // namespace Catlass::Epilogue::Fusion

#endif // CATLASS_EPILOGUE_FUSION_TILE_PLAN_HPP
