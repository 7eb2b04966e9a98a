"""The vector instructions of a graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...graph.ir import Step
from ...graph.types import ElementType, int16, int32
from ...nodes import (
    Band,
    BlockReduced,
    Broadcast,
    Cast,
    Compute,
    DecodeFloat8,
    Position,
    Reduce,
    Rotate,
    ScalarBroadcast,
    TopK,
    TopKResult,
)

Call = tuple[str, ElementType]
"""The name of an AscendC call, and the element type of which it works through the most bytes."""


def instructions(steps: Iterable[Step]) -> int:
    """How many calls the operators and casts of a graph make for one tile.

    A band counts as one. Those of broadcasts, positions and reductions, whose number follows from the rows of a tile,
    are not in it: no pass changes them.
    """
    return sum(1 for step in steps if isinstance(step.node, (Band, Compute, Cast)) for _ in calls(step))


def calls(step: Step) -> Iterator[Call]:
    """What V does for one tile of a node: the calls of operators and casts one by one; the copies of a broadcast, the
    additions of a position, and what a reduction does with whole tiles, as one call for each of their kind."""
    node = step.node
    if isinstance(node, Cast):
        if node.to != node.from_:
            decodes = ("Adds", "ShiftLeft", "ShiftRight", "Maxs", "Add")
            shifts = () if not node.shifts else decodes if node.from_.kind == "scale" else ("ShiftRight",)
            yield from ((call, int32) for call in shifts)
            yield "Cast", max(node.to, node.from_, key=lambda element: element.size)
    elif isinstance(node, Compute):
        yield from _of_operator(node, len(step.inputs))
    elif isinstance(node, Broadcast) and not isinstance(node, ScalarBroadcast) and node.vector is None:
        yield "Copy", node.T
    elif isinstance(node, Position):
        yield "Adds", node.element
    elif isinstance(node, Band | Reduce):
        yield from node.calls()
    elif isinstance(node, DecodeFloat8):
        # Its constants are short beside a tile; it masks one twice.
        of_tiles = (call for call, _ in node.calls() if call != "Duplicate")
        yield from ((call, int16) for call in of_tiles for _ in range(2 if call == "And" else 1))
    elif isinstance(node, BlockReduced) and node.operator is not None and node.operator.lanes is not None:
        yield node.operator.lanes, node.T
        yield from [("Copy", node.T)] * node.spreads
    elif isinstance(node, TopK):
        yield from (("Sort32", node.T), ("MrgSort", node.T), ("Copy", node.T))
    elif isinstance(node, TopKResult):
        yield "Copy", node.T
    elif isinstance(node, Rotate):
        yield "Muls", node.T
        yield from [("Gather", node.T)] * node.interleaved
    if isinstance(node, (Cast, Compute)) and node.vector is not None and node.vector.spreads:
        yield "Copy", node.element


def _of_operator(node: Compute, inputs: int) -> Iterator[Call]:
    operator = node.operator
    if operator is None:
        return
    yield from node.calls()
    computed = operator.computed_in(node.T)
    if computed != node.T:
        # A cast of each input and of the result.
        yield from (("Cast", computed) for _ in range(operator.inputs + 1))
    # A variadic operator makes its call once more for each further operand.
    yield from node.calls()[:1] * (inputs - operator.inputs)
