"""The phases of an epilogue whose reductions are used again.

A reduction is whole only when every tile has been reduced. So the graph is cut behind each
:class:`~evtgen.nodes.Reduced`: one phase ends with the reduction, a later one begins with a broadcast of the
result, which lies in the workspace between them. Each phase is an epilogue of its own, with what its outputs need: the
rest of the graph is computed again from the accumulator and the inputs, or a matrix in it is kept in the workspace,
stored by the phase that computes it first and loaded by the later ones. What is kept is chosen by the time that all
phases take: of each the longer of what its matrices take to move and of V's work, by the formula of :mod:`.buffering`.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..graph.ir import Epilogue, Step, flatten, visit_order
from ..graph.shapes import WHOLE, Columns, TensorShape
from ..graph.types import mask
from ..nodes import (
    KEPT,
    AccLoad,
    AuxGather,
    AuxLoad,
    AuxScatter,
    AuxStore,
    Broadcast,
    KeptLoad,
    KeptStore,
    Reduced,
    VisitorNode,
    node_of,
)
from ..passes.analysis.columns import columned
from ..passes.analysis.gemm import chosen
from ..passes.analysis.roots import rooted
from ..passes.choose_form import choose_form
from ..targets import ARCHITECTURES, Architecture
from .aliases import aliases_of, unique
from .buffering import Taken, Work, vector_work
from .handoff import Placed, of_sum, placed
from .rows import in_rows, needs_rows, taken_by_rows, whole_rows
from .tile import PLAN_LENGTH
from .vectors import extents


@dataclass(frozen=True)
class Crossing:
    """A value that crosses from one phase to later ones, in the workspace.

    Attributes:
        step: index of its step in the whole graph.
        number: of its place.
        name: what formulas and nodes call it.
        phase: the phase that writes it.
    """

    step: int
    number: int
    name: str
    phase: int


@dataclass(frozen=True)
class Split:
    """An epilogue in phases.

    Attributes:
        levels: of each step of the whole graph, the first phase in which its output is there.
        phases: an epilogue for each.
        crossing: the values that cross, in the order of their numbers: the reductions, then what is kept.
        again: the steps that more than one phase computes.
        taken: by all phases.
        taken_again: the same if all were computed again; None where a phase would have to read the accumulator again
            and cannot.
        taken_by_rows: the same of whole rows; None where it cannot take them.
    """

    levels: tuple[int, ...]
    phases: tuple[Epilogue, ...]
    crossing: tuple[Crossing, ...]
    again: tuple[int, ...]
    taken: Taken
    taken_again: Taken | None
    taken_by_rows: Taken | None = None

    def phase_of(self, step: int) -> int:
        """The phase that computes a step of the whole graph first."""
        return next((one.phase for one in self.crossing if one.step == step), self.levels[step])


def levels_of(steps: Sequence[Step]) -> tuple[int, ...]:
    """Of each step of an acyclic graph, the first phase in which its output is there: one more behind a reduction."""
    levels = [0] * len(steps)
    for index in visit_order([step.inputs for step in steps]):
        levels[index] = max((levels[i] for i in steps[index].inputs), default=0) + isinstance(
            steps[index].node, Reduced
        )
    return tuple(levels)


class PlacedPhases(NamedTuple):
    """An epilogue after all passes as its header has it.

    Attributes:
        cut: how it is cut; None where it has one phase.
        ways: each of its phases with its way.
        rows: all of it as a graph of whole rows, if the header has one.
    """

    cut: Split | None
    ways: tuple[tuple[Epilogue, Placed], ...]
    rows: tuple[Epilogue, Placed] | None = None


def placed_phases(epilogue: Epilogue, arch: Architecture) -> PlacedPhases:
    """How an epilogue after all passes is cut, each of its phases with its way, and whether it takes whole rows."""
    steps = flatten(epilogue.root)
    if needs_rows(steps):
        return PlacedPhases(None, (in_rows(epilogue, arch),))
    if not any(isinstance(step.node, Reduced) for step in steps):
        return PlacedPhases(None, ((epilogue, placed(epilogue, arch)),))
    reads = next((step.node.T for step in steps if isinstance(step.node, AccLoad)), None)
    given = of_sum(epilogue.gemm, chosen(epilogue.gemm, reads, arch))
    cut = split(epilogue, aliases_of(steps), has_whole=given.handoff != "ub" and not given.workspace_stages)
    again = any(isinstance(step.node, AccLoad) for phase in cut.phases[1:] for step in flatten(phase.root))
    own = replace(given, handoff=given.handoff or "gm", workspace_stages=0 if again else given.workspace_stages)
    own = replace(own, c=chosen(own, reads, arch).c)
    first = placed(replace(cut.phases[0], gemm=own), arch)
    whole = first.gemm if given.workspace_stages or first.ub_workspace else replace(first.gemm, workspace_stages=0)
    rows = whole_rows(epilogue, whole, arch)
    if rows is not None:
        taken = taken_by_rows(rows[1], arch)
        cut = replace(cut, taken_by_rows=taken)
        rows = rows if taken.cycles <= cut.taken.cycles else None
    if rows is not None and whole != first.gemm:
        own = replace(own, workspace_stages=0)
        first = placed(replace(cut.phases[0], gemm=own), arch)
    ways = [(replace(cut.phases[0], gemm=own), first)]
    for phase in cut.phases[1:]:
        later = replace(phase, gemm=first.gemm)
        ways.append((later, placed(later, arch, first.ub_workspace)))
    return PlacedPhases(cut, tuple(ways), rows)


def split(epilogue: Epilogue, aliases: Sequence[str], *, has_whole: bool) -> Split:
    """The phases of an epilogue after all passes whose reductions are used again. ``aliases`` name the steps.

    Only the first phase reads the accumulator unless the workspace ``has_whole`` of it.
    """
    graph = _Graph(tuple(flatten(epilogue.root)), tuple(aliases), has_whole, ARCHITECTURES[epilogue.arch])
    kept = graph.cheapest()
    crossing = graph.crossing(kept)
    phases = tuple(_phase(epilogue, graph, number, crossing) for number in range(graph.last + 1))
    taken, again = graph.taken(kept), graph.taken(frozenset())
    assert taken is not None
    return Split(graph.levels, phases, crossing, graph.again(kept), taken, again)


_PARTS = 1 << 20
"""Of a cycle of V: whole numbers have the same sum in any order."""


class _Cost(NamedTuple):
    """What a phase takes, for each element of C.

    Attributes:
        impossible: reads of the accumulator where it is not whole.
        accumulator, loaded, stored: bytes of matrices.
        vector: parts of cycles of V, the starts of a tile's instructions shared out among its elements.
        nodes: that it computes or loads.
    """

    impossible: int = 0
    accumulator: int = 0
    loaded: int = 0
    stored: int = 0
    vector: int = 0
    nodes: int = 0

    def plus(self, other: _Cost) -> _Cost:
        return _Cost(*map(operator.add, self, other))

    def minus(self, other: _Cost) -> _Cost:
        return _Cost(*map(operator.sub, self, other))

    def cycles(self, arch: Architecture) -> float:
        """From one tile to the next, for each of its elements."""
        work = Work(self.accumulator, self.loaded, self.stored, 0.0, self.vector / _PARTS, stores_loaded=False)
        return work.cycles(PLAN_LENGTH, 2, arch) / PLAN_LENGTH


_Rank = tuple[int, float, int, int]
"""What decides between two ways: whether it can be done, the cycles, then the bytes, then the nodes."""


_END = -1
"""Above the steps of a phase that its ends ask for."""


class _Graph:
    """The whole graph, and what each phase needs of it."""

    def __init__(self, steps: tuple[Step, ...], aliases: tuple[str, ...], has_whole: bool, arch: Architecture) -> None:
        self.steps = steps
        self.nodes = [node_of(step) for step in steps]
        self.aliases = aliases
        self.levels = levels_of(steps)
        self.last = max(self.levels)
        self._has_whole, self._arch = has_whole, arch
        reduced = {index: node for index, node in enumerate(self.nodes) if isinstance(node, Reduced)}
        self.columns = columned(steps).of
        self._is_matrix = [extent is TensorShape.MATRIX for extent in extents(steps)]
        self._vector = [
            self._vector_of(reduced[index].reduce if index in reduced else node, steps[index].inputs)
            if self._is_matrix[index] or isinstance(node, Broadcast | Reduced)
            else 0
            for index, node in enumerate(self.nodes)
        ]
        self._spread = {i: self._vector_of(node.broadcast_kind("", node.T), ()) for i, node in reduced.items()}
        self._order = visit_order([step.inputs for step in steps])
        self._place = {_END: len(steps)} | {index: place for place, index in enumerate(self._order)}

    def ends(self, phase: int, kept: frozenset[int]) -> list[int]:
        """The steps for whose sake there is a phase: its outputs, what it reduces, and what it keeps."""
        return [
            index
            for index, node in enumerate(self.nodes)
            if (node.writes and self.levels[index] == phase)
            or (isinstance(node, Reduced) and self.levels[index] == phase + 1)
            or (index in kept and not isinstance(node, Reduced) and self.levels[index] == phase)
        ]

    def source(self, index: int, phase: int) -> int:
        """What a phase reads where an input is ``index``: outputs of earlier phases hand on their input."""
        while self.nodes[index].writes and self.levels[index] < phase:
            index = self.steps[index].inputs[0]
        return index

    def crosses(self, index: int, phase: int, kept: frozenset[int]) -> bool:
        """Whether a phase finds a step's output in the workspace."""
        return isinstance(self.nodes[index], Reduced) or (index in kept and self.levels[index] < phase)

    def needed(self, phase: int, kept: frozenset[int]) -> set[int]:
        """The steps whose output a phase computes, loads, or finds in the workspace."""
        return self._reached(self._asked(phase, kept), phase, kept)

    def _asked(self, phase: int, kept: frozenset[int]) -> list[int]:
        """What the ends of a phase ask for: a reduction for its input, anything else for itself."""
        return [
            self.source(index, phase)
            for end in self.ends(phase, kept)
            for index in (self.steps[end].inputs if isinstance(self.nodes[end], Reduced) else (end,))
        ]

    def _reached(
        self, waiting: list[int], phase: int, kept: frozenset[int], known: Container[int] = frozenset()
    ) -> set[int]:
        """The steps that a phase needs for the sake of those that are ``waiting``, but for what is ``known``."""
        found: set[int] = set()
        while waiting:
            index = waiting.pop()
            if index not in found and index not in known:
                found.add(index)
                waiting += self._inputs(index, phase, kept)
        return found

    def _inputs(self, index: int, phase: int, kept: frozenset[int]) -> list[int]:
        """What a phase needs for the output of a step."""
        return [] if self.crosses(index, phase, kept) else [self.source(i, phase) for i in self.steps[index].inputs]

    def again(self, kept: frozenset[int]) -> tuple[int, ...]:
        """The steps that more than one phase computes or loads."""
        computed = Counter(
            index
            for phase in range(self.last + 1)
            for index in self.needed(phase, kept)
            if not self.crosses(index, phase, kept)
        )
        return tuple(sorted(index for index, phases in computed.items() if phases > 1))

    def taken(self, kept: frozenset[int]) -> Taken | None:
        """What all phases take; None where one would have to read the accumulator again and cannot."""
        costs = self._costs(kept, [self.needed(phase, kept) for phase in range(self.last + 1)])
        impossible, cycles, moved, _ = self._rank(costs)
        return None if impossible else Taken(moved, sum(cost.vector for cost in costs) / _PARTS, cycles)

    def _vector_of(self, node: VisitorNode, inputs: tuple[int, ...]) -> int:
        start, compute = vector_work(Step(node, inputs), self._arch)
        return round((start / PLAN_LENGTH + compute) * _PARTS)

    def _rank(self, costs: Sequence[_Cost]) -> _Rank:
        """What decides, of all phases."""
        return (
            sum(cost.impossible for cost in costs),
            sum(cost.cycles(self._arch) for cost in costs),
            sum(cost.accumulator + cost.loaded + cost.stored for cost in costs),
            sum(cost.nodes for cost in costs),
        )

    def _costs(self, kept: frozenset[int], needed: Sequence[Iterable[int]]) -> list[_Cost]:
        """Of each phase, of which it is given what it needs."""
        return [self._cost_of(p, steps, kept).plus(self._cost_of_ends(p, kept)) for p, steps in enumerate(needed)]

    def _cost_of_ends(self, phase: int, kept: frozenset[int]) -> _Cost:
        """Of what a phase stores and reduces."""
        ends = self.ends(phase, kept)
        stored = [i for i in ends if i in kept or isinstance(self.nodes[i], AuxStore | AuxScatter)]
        return _Cost(
            stored=sum(self.nodes[index].element.size for index in stored),
            vector=sum(self._vector[index] for index in ends if isinstance(self.nodes[index], Reduced)),
        )

    def _cost_of(self, phase: int, steps: Iterable[int], kept: frozenset[int]) -> _Cost:
        """Of steps that a phase needs."""
        impossible = accumulator = loaded = vector = nodes = 0
        for index in steps:
            node = self.nodes[index]
            nodes += 1
            if self.crosses(index, phase, kept):
                loaded += 0 if isinstance(node, Reduced) else node.element.size
                vector += self._spread[index] if isinstance(node, Reduced) else 0
            elif isinstance(node, AccLoad) and phase > 0 and not self._has_whole:
                impossible += 1
            elif isinstance(node, AccLoad):
                accumulator += node.element.size
            else:
                loaded += node.element.size if isinstance(node, AuxLoad | AuxGather) else 0
                vector += self._vector[index]
        return _Cost(impossible, accumulator, loaded, 0, vector, nodes)

    def cheapest(self) -> frozenset[int]:
        """The steps to keep: the one that saves most, as long as one saves anything."""
        kept: frozenset[int] = frozenset()
        while True:
            costs, all_ways = self._ways(kept)
            now, ways = self._rank(costs), {index: self._rank(way) for index, way in all_ways.items()}
            known = {index: rank for index, rank in ways.items() if not rank[0]}
            if now[0] and not known:
                # One alone is not enough: two accumulators, of which each is needed again.
                kept |= {next(index for index in ways if isinstance(self.nodes[index], AccLoad))}
                continue
            best = min(known, key=lambda index: (known[index], index), default=None)
            if best is None or known[best] >= now:
                return kept
            kept |= {best}

    def _ways(self, kept: frozenset[int]) -> tuple[list[_Cost], dict[int, list[_Cost]]]:
        """The cost of each phase, and what it would be with one of the candidates kept too, which changes nothing but
        this: it is stored, computed where it can be first even if only later phases need it, and these load it, without
        what they need for its sake alone."""
        above = [self._above(phase, kept) for phase in range(self.last + 1)]
        now = self._costs(kept, above)
        size = {index: self.nodes[index].element.size for index in self._candidates(kept, above)}
        ways = {index: list(now) for index in size}
        for phase, needed in enumerate(above):
            alone = {index: self._cost_of(phase, [index], kept) for index in needed}
            for index in self._order:
                if index in needed and needed[index] != _END:
                    alone[needed[index]] = alone[needed[index]].plus(alone[index])
            for index, way in ways.items():
                if self.levels[index] == phase:
                    more = self._cost_of(phase, self._reached([index], phase, kept, needed), kept)
                    way[phase] = now[phase].plus(more).plus(_Cost(stored=size[index]))
                elif self.levels[index] < phase and index in needed:
                    way[phase] = now[phase].minus(alone[index]).plus(_Cost(loaded=size[index], nodes=1))
        return now, ways

    def _above(self, phase: int, kept: frozenset[int]) -> dict[int, int]:
        """What a phase needs, and for the sake of which one step alone each: the next that is on every way to it from
        what the ends of the phase ask for (its immediate dominator)."""
        above = dict.fromkeys(self._asked(phase, kept), _END)
        for index in reversed(self._order):
            for below in self._inputs(index, phase, kept) if index in above else ():
                one, other = above.get(below, index), index
                while one != other:
                    if self._place[one] < self._place[other]:
                        one = above[one]
                    else:
                        other = above[other]
                above[below] = one
        return above

    def _candidates(self, kept: frozenset[int], needed: Sequence[Iterable[int]]) -> Iterator[int]:
        """Matrices that a later phase computes again."""
        again = set[int]().union(*needed[1:])
        for index in sorted(again - kept):
            node = self.nodes[index]
            is_kept = isinstance(node, AccLoad) or (self.steps[index].inputs and not isinstance(node, Reduced))
            is_kept = is_kept and self._is_matrix[index] and not node.writes and node.element != mask
            if is_kept and self.levels[index] < self.last:
                yield index

    def crossing(self, kept: frozenset[int]) -> tuple[Crossing, ...]:
        """All values that cross."""
        reduced = [i for i, node in enumerate(self.nodes) if isinstance(node, Reduced)]
        taken = dict.fromkeys(self.aliases, 2)

        def name(index: int) -> str:
            return unique("Accumulator", taken) if isinstance(self.nodes[index], AccLoad) else self.aliases[index]

        return tuple(
            Crossing(index, number, name(index), self.levels[index] - (index in reduced))
            for number, index in enumerate([*reduced, *sorted(kept)])
        )


def _phase(epilogue: Epilogue, graph: _Graph, phase: int, crossing: Sequence[Crossing]) -> Epilogue:
    """One phase as an epilogue."""
    of_step = {one.step: one for one in crossing}
    kept = frozenset(of_step) - {index for index, node in enumerate(graph.nodes) if isinstance(node, Reduced)}
    steps: list[Step] = []
    made: dict[int, int] = {}

    def add(node: VisitorNode, inputs: tuple[int, ...]) -> int:
        steps.append(Step(node, inputs))
        return len(steps) - 1

    needed = graph.needed(phase, kept)
    for index in visit_order([step.inputs for step in graph.steps]):
        node = graph.nodes[index]
        if index in needed:
            if graph.crosses(index, phase, kept):
                made[index] = add(_beginning(node, of_step[index], graph.columns[index]), ())
            else:
                made[index] = add(node, tuple(made[graph.source(i, phase)] for i in graph.steps[index].inputs))
                if index in of_step:
                    made[index] = add(_ending(node, of_step[index], graph.columns[index]), (made[index],))
        if isinstance(node, Reduced) and of_step[index].phase == phase:
            add(_ending(node, of_step[index], node.columns), (made[graph.source(graph.steps[index].inputs[0], phase)],))
    root = rooted(steps, epilogue.location)
    return choose_form(replace(epilogue, root=root, traced=True))


def _beginning(node: VisitorNode, value: Crossing, columns: Columns) -> VisitorNode:
    """What reads a value that crosses. A column is read beside any part of the rows."""
    if isinstance(node, Reduced) and node.shape.columns == "1":
        columns = WHOLE
    kind = KEPT[node.broadcast_kind] if isinstance(node, Reduced) else KeptLoad
    read: VisitorNode = kind(value.name, node.element, number=value.number, location=node.location, columns=columns)
    return read


def _ending(node: VisitorNode, value: Crossing, columns: Columns) -> VisitorNode:
    """What writes it."""
    if isinstance(node, Reduced):
        identity, kind = node.reduce.identity, KEPT[node.reduce_kind]
        reduce: VisitorNode = kind(
            value.name, node.op, node.T, identity, number=value.number, location=node.location, columns=columns
        )
        return reduce
    return KeptStore(value.name, node.element, number=value.number, location=node.location, columns=columns)
