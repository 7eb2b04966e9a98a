"""The plan of a tile: in which order its nodes run, where V waits, and where in UB each node's data lies.

Emitted headers carry it as data, and ``tile_plan.hpp`` of the framework checks it. It is one sweep over the graph:

1. Of the nodes whose inputs are there, the next is chosen.
2. Its data takes *slots* of UB: that of an input that nobody needs any more and that it may overwrite, a free one, or a
   new one. Two tiles that one instruction reads lie in slots of different *phase*, 256 bytes apart modulo 512, so that
   they never meet in a bank (AscendC's guide, bank conflicts of architecture 2201).
3. A barrier comes before it if it touches a slot that V has worked on since the last barrier, unless both only read.
4. The slots of what it was the last to read become free.

The sweep has an eye on barriers. If one with an eye on memory would have chosen another node somewhere, that is made
as well, and the plan is that of fewer bytes; barriers count only where UB is the same.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from heapq import heappop, heappush

from ..graph.ir import visit_order
from ..graph.types import BANK_PERIOD, REPEAT_BYTES
from ..nodes import VisitorNode
from .parts import UbParts, granule, traits_of, ub_parts

PLAN_LENGTH = 4096
"""Elements of the tile for which slots are compared; the plan itself does not depend on the tile's length."""


class Part(IntEnum):
    """The parts of a node's UB, as fields of :class:`~evtgen.planner.parts.UbParts`."""

    TILE = 0
    LOADED = 1
    SCRATCH = 2
    STORED = 3


@dataclass(frozen=True)
class TilePlan:
    """The plan of a tile; nodes are named by their index in the flattened graph.

    Attributes:
        order: the nodes in the order of their visits.
        barriers: the nodes before whose COMPUTE a barrier of V stands.
        slots: the slot of each part of each node, None for a part that it does not have.
        phases: of each slot, 0 or 1: it starts on a multiple of 512 bytes, or 256 bytes behind one.
        stores_loaded: whether a STORE reads a slot that LOAD fills; LOAD then waits for MTE3.
    """

    order: tuple[int, ...]
    barriers: frozenset[int]
    slots: tuple[tuple[int | None, ...], ...]
    phases: tuple[int, ...]
    stores_loaded: bool


@dataclass(frozen=True)
class Place:
    """Where a part of a node lies in UB.

    Attributes:
        node: index of the node.
        part: which part.
        buffer: number of the buffer.
        first: its first byte.
        bytes: how many it has.
    """

    node: int
    part: Part
    buffer: int
    first: int
    bytes: int


@dataclass(frozen=True)
class UbMap:
    """A plan laid out in UB for tiles of one length: buffers follow each other, and within each, the slots.

    Attributes:
        plan: the plan of the tile.
        needs: bytes of each part of each node.
        buffers: how many tiles are in flight.
    """

    plan: TilePlan
    needs: tuple[UbParts, ...]
    buffers: int

    @property
    def offsets(self) -> tuple[int, ...]:
        """The first byte of each slot in the first buffer, and behind them the bytes of a buffer."""
        sizes = [0] * len(self.plan.phases)
        for slots, need in zip(self.plan.slots, self.needs, strict=True):
            for slot, size in zip(slots, need, strict=True):
                if slot is not None:
                    sizes[slot] = max(sizes[slot], size)
        offsets, end = [], 0
        for phase, size in zip(self.plan.phases, sizes, strict=True):
            offsets.append(_aligned(end, phase))
            end = offsets[-1] + size
        return (*offsets, _aligned(end, 0))

    @property
    def used(self) -> int:
        """Bytes of all buffers."""
        return self.offsets[-1] * self.buffers

    def share(self, node: int) -> int:
        """Bytes that a node uses in all buffers, also those that others use before or after it."""
        return sum(self.needs[node]) * self.buffers

    def places(self) -> Iterator[Place]:
        """Every part of every node in every buffer."""
        *offsets, size = self.offsets
        for buffer in range(self.buffers):
            for node, (slots, need) in enumerate(zip(self.plan.slots, self.needs, strict=True)):
                for part, slot, count in zip(Part, slots, need, strict=True):
                    if slot is not None:
                        yield Place(node, part, buffer, buffer * size + offsets[slot], count)


@dataclass(frozen=True)
class Life:
    """How long a part of a node needs its slot: from one visit to another, by their places in the order.

    Attributes:
        node: index of the node.
        part: which part.
        slot: its slot.
        first: the visit that fills it, -1 for LOAD or what comes before the first tile.
        last: the last visit that reads it; the number of visits for STORE or the next tile.
    """

    node: int
    part: Part
    slot: int
    first: int
    last: int


def lives(plan: TilePlan, nodes: Sequence[VisitorNode], inputs: Sequence[Sequence[int]]) -> Iterator[Life]:
    """The life of every part that has a slot. Two parts in one slot may meet in a visit that overwrites its input, and
    nowhere else."""
    graph = _Graph(nodes, inputs)
    visit = {node: number for number, node in enumerate(plan.order)}
    end = len(plan.order)
    for node, slots in enumerate(plan.slots):
        own, kept = visit[node], graph.traits[node].kept
        readers = max([own, *(visit[reader] for reader in graph.readers[node])])
        last = end if kept or node in graph.stored else readers
        spans = {
            Part.TILE: (-1 if graph.is_there(node) else own, last),
            Part.LOADED: (-1, own),
            Part.SCRATCH: (own, own),
            Part.STORED: (own, end),
        }
        for part, slot in zip(Part, slots, strict=True):
            if slot is not None:
                yield Life(node, part, slot, *spans[part])


def _aligned(end: int, phase: int) -> int:
    """The first byte at or behind ``end`` where a slot of this phase may start."""
    return -(-(end - phase * REPEAT_BYTES) // BANK_PERIOD) * BANK_PERIOD + phase * REPEAT_BYTES


def ub_map(plan: TilePlan, nodes: Iterable[VisitorNode], length: int, buffers: int) -> UbMap:
    """The plan of a graph of these nodes for tiles of ``length`` elements."""
    return UbMap(plan, tuple(ub_parts(node, length) for node in nodes), buffers)


def fitting_length(plan: TilePlan, nodes: Sequence[VisitorNode], limit: int, buffers: int) -> int:
    """The largest multiple of :func:`~.parts.granule` elements whose buffers fit ``limit`` bytes; 0 if none does."""
    step = granule(nodes)
    lengths = range(step, limit + 1, step)
    return step * bisect_left(lengths, True, key=lambda n: ub_map(plan, nodes, n, buffers).used > limit)


def plan_tile(nodes: Sequence[VisitorNode], inputs: Sequence[Sequence[int]]) -> TilePlan:
    """The plan of an acyclic graph, of nodes and the indices of each one's inputs."""
    graph = _Graph(nodes, inputs)
    few_barriers = _Sweep(graph, spares=False)
    if not few_barriers.has_choice:
        return few_barriers.plan()
    little_memory = _Sweep(graph, spares=True)
    return few_barriers.plan() if few_barriers.cost() <= little_memory.cost() else little_memory.plan()


class _Graph:
    """The facts of a graph on which a plan rests.

    Attributes:
        traits: of each node.
        needs: bytes of each part of each node, for tiles of :data:`PLAN_LENGTH` elements.
        weights: bytes of each node's tile that count when the next node is chosen; those of a vector are too few.
        inputs: of each node.
        users: the nodes that have each node as an input.
        heights: the longest way from each node to the end of the graph.
        tiles: whose tile each node returns: its own, or that of the first input which it forwards.
        reads: the tiles that COMPUTE of each node reads, each once.
        readers: the nodes whose COMPUTE reads each tile.
        stored: the tiles that a STORE reads.
        stores_loaded: whether LOAD fills one of those.
    """

    def __init__(self, nodes: Sequence[VisitorNode], inputs: Sequence[Sequence[int]]) -> None:
        self.traits = [traits_of(node) for node in nodes]
        self.needs = [tuple(ub_parts(node, PLAN_LENGTH)) for node in nodes]
        vectors = [node.vector is not None and not node.vector.spreads for node in nodes]
        self.weights = [0 if small else need[Part.TILE] for small, need in zip(vectors, self.needs, strict=True)]
        self.inputs = [tuple(sources) for sources in inputs]
        self.users: list[set[int]] = [set() for _ in nodes]
        self.heights = [0] * len(nodes)
        self.tiles = list(range(len(nodes)))
        as_written = visit_order(self.inputs)
        for index in as_written:
            if self.traits[index].forwards and self.inputs[index]:
                self.tiles[index] = self.tiles[self.inputs[index][0]]
        for index in reversed(as_written):
            for source in self.inputs[index]:
                self.users[source].add(index)
                self.heights[source] = max(self.heights[source], self.heights[index] + 1)
        self.reads: list[tuple[int, ...]] = [()] * len(nodes)
        self.readers: list[list[int]] = [[] for _ in nodes]
        self.stored: set[int] = set()
        for index, traits in enumerate(self.traits):
            sources = tuple(dict.fromkeys(self.tiles[source] for source in self.inputs[index]))
            if traits.reads_in_compute:
                self.reads[index] = sources
                for tile in sources:
                    self.readers[tile].append(index)
            if traits.reads_in_store:
                self.stored.update(sources)
        self.stores_loaded = any(self.traits[tile].loaded for tile in self.stored)

    def is_there(self, index: int) -> bool:
        """Whether a node's tile is filled before the first COMPUTE."""
        return self.traits[index].loaded or self.traits[index].kept


@dataclass
class _Slot:
    """A slot of UB during the sweep.

    Attributes:
        size: bytes of the largest part that has lain in it.
        phase: 0 or 1.
        loaded: LOAD fills it.
        read, written: V has read or written it since the last barrier.
    """

    size: int
    phase: int
    loaded: bool = False
    read: bool = False
    written: bool = False


_Candidate = tuple[int, int, int]
"""A node that is ready: the bytes that it takes, its height with a minus, its index. The smallest comes first."""


class _Sweep:
    """One sweep over a graph. With ``spares`` the next node is the one that takes the least memory, else one that needs
    no barrier if there is any.

    Attributes:
        has_choice: whether the other way to choose would have taken another node somewhere.
    """

    def __init__(self, graph: _Graph, *, spares: bool) -> None:
        self.has_choice = False
        self._graph = graph
        self._spares = spares
        self._left = [len(readers) for readers in graph.readers]
        self._missing = [len(set(sources)) for sources in graph.inputs]
        self._done = [False] * len(graph.inputs)
        # Heaps of those that need no barrier and of those that read what V has written since the last one.
        self._going: list[_Candidate] = []
        self._waiting: list[_Candidate] = []
        self._slots: list[_Slot] = []
        self._free: set[int] = set()
        self._touched: list[_Slot] = []
        self._slot: list[list[int | None]] = [[None] * len(Part) for _ in graph.inputs]
        self._order: list[int] = []
        self._barriers: set[int] = set()
        self._run()

    def cost(self) -> tuple[int, int]:
        """Bytes of a buffer, and barriers."""
        return sum(slot.size for slot in self._slots), len(self._barriers)

    def plan(self) -> TilePlan:
        """What the sweep came to."""
        return TilePlan(
            tuple(self._order),
            frozenset(self._barriers),
            tuple(tuple(slots) for slots in self._slot),
            tuple(slot.phase for slot in self._slots),
            self._graph.stores_loaded,
        )

    def _run(self) -> None:
        graph = self._graph
        for index, traits in enumerate(graph.traits):
            if graph.is_there(index):
                self._take(index, Part.TILE, loaded=traits.loaded)
            self._take(index, Part.LOADED, loaded=True)
        loads = [index for index, sources in enumerate(graph.inputs) if not sources]
        # Those that V has nothing to do with come first, whatever else there is.
        for index in sorted(loads, key=lambda load: graph.traits[load].pending):
            if graph.traits[index].pending:
                self._offer(index)
            else:
                self._visit(index)
        while (chosen := self._next()) is not None:
            self._visit(chosen)

    def _offer(self, index: int) -> None:
        """Puts a node among those that are ready, again when it takes less than it did: the older one comes later."""
        waits = any(self._slots[slot].written for slot in self._slots_read(index))
        candidate = (self._taken(index), -self._graph.heights[index], index)
        heappush(self._waiting if waits else self._going, candidate)

    def _next(self) -> int | None:
        """The node to run next, of those that are ready."""
        going, waiting = self._going, self._waiting
        for heap in (going, waiting):
            while heap and self._done[heap[0][-1]]:
                heappop(heap)
        if going and waiting:
            at_odds = waiting[0][0] < going[0][0]
            self.has_choice |= at_odds
            return heappop(waiting if at_odds and self._spares else going)[-1]
        heap = going or waiting
        return heappop(heap)[-1] if heap else None

    def _taken(self, index: int) -> int:
        """Bytes that are in use after a node and were not before it."""
        needs, weights = self._graph.needs, self._graph.weights
        new = needs[index][Part.STORED] + (0 if self._graph.is_there(index) else weights[index])
        return new - needs[index][Part.LOADED] - sum(weights[tile] for tile in self._dying(index))

    def _dying(self, index: int) -> list[int]:
        """The tiles that nobody needs once a node's COMPUTE is done."""
        graph = self._graph
        return [
            tile
            for tile in graph.reads[index]
            if self._left[tile] == 1 and tile not in graph.stored and not graph.traits[tile].kept
        ]

    def _visit(self, index: int) -> None:
        graph, traits = self._graph, self._graph.traits[index]
        reads = self._slots_read(index)
        if not graph.is_there(index) and graph.needs[index][Part.TILE]:
            self._slot[index][Part.TILE] = self._in_place(index)
            self._take(index, Part.TILE)
        self._take(index, Part.SCRATCH)
        self._take(index, Part.STORED)
        writes = [self._slot[index][part] for part in (Part.SCRATCH, Part.STORED)]
        if traits.pending and not traits.forwards:
            writes.append(self._slot[index][Part.TILE])
        self._order_on_v(index, reads, [slot for slot in writes if slot is not None])
        self._release(index)
        self._order.append(index)
        self._done[index] = True
        for user in graph.users[index]:
            self._missing[user] -= 1
            if self._missing[user] == 0:
                self._offer(user)

    def _slots_read(self, index: int) -> list[int]:
        slots = [self._slot[tile][Part.TILE] for tile in self._graph.reads[index]]
        return [slot for slot in (*slots, self._slot[index][Part.LOADED]) if slot is not None]

    def _order_on_v(self, index: int, reads: list[int], writes: list[int]) -> None:
        """Puts a barrier before a node if it needs one, and notes what it touches."""
        slots = self._slots
        if any(slots[i].written for i in reads) or any(slots[i].written or slots[i].read for i in writes):
            self._barriers.add(index)
        if index in self._barriers or self._graph.traits[index].has_barrier:
            self._start_again()
        for i in reads:
            slots[i].read = True
        for i in writes:
            slots[i].written = True
        self._touched += [slots[i] for i in (*reads, *writes)]

    def _start_again(self) -> None:
        """After a barrier V has touched no slot, so nothing waits: nobody writes what a ready node has yet to read."""
        for slot in self._touched:
            slot.read = slot.written = False
        self._touched.clear()
        for candidate in self._waiting:
            heappush(self._going, candidate)
        self._waiting.clear()

    def _release(self, index: int) -> None:
        freed = [self._slot[tile][Part.TILE] for tile in self._dying(index)]
        freed += [self._slot[index][Part.LOADED], self._slot[index][Part.SCRATCH]]
        self._free.update(slot for slot in freed if slot not in (None, self._slot[index][Part.TILE]))
        for tile in self._graph.reads[index]:
            self._left[tile] -= 1
            if self._left[tile] == 1:
                for reader in self._graph.readers[tile]:
                    if reader != index and not self._done[reader] and self._missing[reader] == 0:
                        self._offer(reader)

    # Slots

    def _in_place(self, index: int) -> int | None:
        """The slot of an input that the node may overwrite."""
        graph = self._graph
        phase = self._wanted_phase(index)
        dying = self._dying(index)
        sources = [graph.tiles[source] for source in graph.inputs[index]]
        for tile in graph.reads[index]:
            slot = self._slot[tile][Part.TILE]
            allowed = all(graph.traits[index].in_place >> i & 1 for i, other in enumerate(sources) if other == tile)
            if (
                allowed
                and slot is not None
                and tile in dying
                and graph.needs[tile][Part.TILE] == graph.needs[index][Part.TILE]
                and phase in (None, self._slots[slot].phase)
                and self._may_hold(slot, index in graph.stored)
            ):
                return slot
        return None

    def _may_hold(self, slot: int, stored: bool) -> bool:
        """STORE reads what LOAD fills only in a graph where it does so anyway."""
        return not stored or not self._slots[slot].loaded or self._graph.stores_loaded

    def _wanted_phase(self, index: int) -> int | None:
        """The phase other than that of the tiles which are read along with a node's; None if it makes no difference."""
        partners = {
            self._slots[slot].phase
            for reader in self._graph.readers[index]
            for tile in self._graph.reads[reader]
            if tile != index and (slot := self._slot[tile][Part.TILE]) is not None
        }
        return 1 - partners.pop() if len(partners) == 1 else None

    def _take(self, index: int, part: Part, *, loaded: bool = False) -> None:
        """Gives a part of a node a slot, if it needs one and has none yet."""
        need = self._graph.needs[index][part]
        if need == 0 or self._slot[index][part] is not None:
            return
        phase = None
        if part == Part.TILE:
            phase = self._wanted_phase(index)
        elif part == Part.SCRATCH and (tile := self._slot[index][Part.TILE]) is not None:
            phase = 1 - self._slots[tile].phase
        stored = part == Part.STORED or (part == Part.TILE and index in self._graph.stored)
        best = None
        for number in self._free:
            slot = self._slots[number]
            if phase in (None, slot.phase) and self._may_hold(number, stored):
                rank = (max(0, need - slot.size), slot.read or slot.written, max(0, slot.size - need), number)
                best = rank if best is None else min(best, rank)
        if best is None:
            # Loaded tiles beside the first meet what is computed from it
            self._slots.append(_Slot(need, phase if phase is not None else min(len(self._slots), 1), loaded))
            self._slot[index][part] = len(self._slots) - 1
        else:
            number = best[-1]
            self._slots[number].size = max(self._slots[number].size, need)
            self._free.remove(number)
            self._slot[index][part] = number
