"""Which columns of C each value of a graph has.

A part has those that it takes of its input, and whatever is computed elementwise has those of its inputs. A tensor has
the columns of what it meets: ``acc[:, 0:512] * row`` makes ``row`` a tensor of 512 columns; one that meets no part has
all. What has one column, as a reduction or a column vector has, meets any, and so does what is the same for each head.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...graph.ir import Step, consumers, visit_order
from ...graph.shapes import WHOLE, Columns
from ...nodes import (
    Alternate,
    AuxGather,
    AuxLoad,
    Broadcast,
    ColReduced,
    HeadBroadcast,
    Part,
    Reduced,
    Reducing,
    Rotate,
    RowIndex,
    ScalarBroadcast,
    ScalarReduced,
    TopK,
    VisitorNode,
    node_of,
)


@dataclass(frozen=True)
class Columned:
    """The columns of the values of an acyclic graph.

    Attributes:
        of: each step's.
        is_column: of each step, whether its value has one column, or those of a head, which meet any.
        clashes: the steps whose inputs have different ones, and those of each input that has some.
    """

    of: tuple[Columns, ...]
    is_column: tuple[bool, ...]
    clashes: dict[int, tuple[Columns, ...]]


def columned(steps: Sequence[Step]) -> Columned:
    """The columns of each value."""
    return _Classes(steps).found()


def has_parts(steps: Sequence[Step]) -> bool:
    """Whether a graph has parts at all."""
    return any(isinstance(step.node, Part) for step in steps)


class _Classes:
    """Values that have the same columns are one class; a class has none until something says which."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps
        self._class = list(range(len(steps)))
        self._columns: dict[int, Columns] = {}
        self._clashes: set[int] = set()
        self._is_one = [False] * len(steps)  # column
        for index in visit_order([step.inputs for step in steps]):
            self._visit(index)

    def found(self) -> Columned:
        of = tuple(self._columns.get(self._root(index), WHOLE) for index in range(len(self._steps)))
        clashes = {
            index: tuple(of[i] for i in self._steps[index].inputs if not self._is_one[i]) for index in self._clashes
        }
        return Columned(of, tuple(self._is_one), clashes)

    def _visit(self, index: int) -> None:
        node, inputs = node_of(self._steps[index]), self._steps[index].inputs
        if isinstance(node, Part) and inputs:
            given = self._columns.setdefault(self._root(inputs[0]), WHOLE)
            taken = node.taken if isinstance(node, TopK) else given.within(node.taken)
            # The even columns and the odd ones lie alike: they meet.
            self._columns[index] = replace(taken, start=given.start) if isinstance(node, Alternate) else taken
            return
        is_vector = isinstance(node, Broadcast | Reduced) and node.shape.columns == "1"
        takes = [i for i in inputs if not self._is_one[i]]
        self._is_one[index] = is_vector or isinstance(node, RowIndex | HeadBroadcast) or bool(inputs and not takes)
        if not inputs and node.columns != WHOLE and not self._is_one[index]:
            self._columns[index] = node.columns
        elif not inputs and not self._is_one[index] and not isinstance(node, AuxLoad | AuxGather | Broadcast):
            self._columns[index] = WHOLE
        if not node.joins:
            for i in takes:
                self._join(index, i)

    def _join(self, index: int, other: int) -> None:
        one, two = self._root(index), self._root(other)
        if one == two:
            return
        known = [self._columns[root] for root in (one, two) if root in self._columns]
        if len(set(known)) > 1:
            self._clashes.add(index)
            return
        self._class[one] = two
        if known:
            self._columns[two] = known[0]

    def _root(self, index: int) -> int:
        while self._class[index] != index:
            index = self._class[index]
        return index


def may_be_long(steps: Sequence[Step]) -> bool:
    """Whether rows of which the largest are taken may have several tiles: nothing else needs all of a row at once, and
    what is reduced of the largest meets no other columns."""
    found, readers = columned(steps), consumers(steps)

    def meets_all(index: int) -> bool:
        if found.is_column[index]:
            return any(map(meets_all, readers[index]))
        return not (found.of[index].sorted or node_of(steps[index]).joins)

    reduced = [index for index, step in enumerate(steps) if isinstance(step.node, ColReduced)]
    return all(found.of[index].sorted and not meets_all(index) for index in reduced)


def placed(node: VisitorNode, columns: Columns) -> Columns:
    """What a node says of its columns: of a value that is only computed, nothing."""
    return columns if node.tensor is not None or isinstance(node, Part | Reducing | Rotate) else WHOLE


def needed(steps: Sequence[Step]) -> tuple[Columns, ...]:
    """Of each step with its columns in its node, those from the first to the last that it or a reader of it has: a tile
    beside them does not visit it (``Skips`` of flat_graph.hpp). The last of all is N, or None."""
    found, readers = [WHOLE] * len(steps), consumers(steps)
    for index in reversed(visit_order([step.inputs for step in steps])):
        own = node_of(steps[index]).columns
        read = [
            replace(found[reader], step=1) if isinstance(node_of(steps[reader]), Alternate) else found[reader]
            for reader in readers[index]
            if not node_of(steps[reader]).joins
        ]
        if own == WHOLE and read and not node_of(steps[index]).writes:
            stops = [columns.stop for columns in read if columns.stop is not None]
            stop = max(stops) if len(stops) == len(read) else None
            own = Columns(min(columns.start for columns in read), stop, max(columns.step for columns in read))
        found[index] = own
    return tuple(found)


def halved(steps: Sequence[Step]) -> tuple[bool, ...]:
    """Of each step, whether its tile has every second column of that of C: what an Alternate gives, and all that meets
    it. A column is there for those that read it, a single value for any."""
    if not any(isinstance(step.node, Alternate) or node_of(step).columns.step > 1 for step in steps):
        return (False,) * len(steps)
    found, readers = columned(steps), consumers(steps)
    half = [columns.step > 1 for columns in found.of]
    for index in reversed(visit_order([step.inputs for step in steps])):
        if found.is_column[index] and readers[index]:
            half[index] = all(_reads_half(steps, half, reader) for reader in readers[index])
    return tuple(half)


def _reads_half(steps: Sequence[Step], half: Sequence[bool], reader: int) -> bool:
    """Whether a step works on every second column of what it reads: an Alternate gives these, but reads all."""
    return half[reader] and not isinstance(node_of(steps[reader]), Alternate)


def with_halves(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps, of which those that work on every second column say so."""
    half = Columns(0, None, 2)
    return tuple(
        replace(step, node=replace(node_of(step), columns=half)) if is_half else step
        for step, is_half in zip(steps, halved(steps), strict=True)
    )


def both(steps: Sequence[Step]) -> Iterator[int]:
    """The columns that are read beside all columns of C and beside every second one: no tile holds them for both."""
    half, readers, is_column = halved(steps), consumers(steps), columned(steps).is_column
    for index, step in enumerate(steps):
        is_single = isinstance(step.node, ScalarBroadcast | ScalarReduced)
        ways = {_reads_half(steps, half, reader) for reader in readers[index]}
        if len(ways) > 1 and not is_single and is_column[index]:
            yield index
