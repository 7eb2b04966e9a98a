"""The vector instructions of a graph's operators and casts."""

from __future__ import annotations

from collections.abc import Iterable

from ..graph.ir import Step
from ..nodes import Cast, Compute


def instructions(steps: Iterable[Step]) -> int:
    """The AscendC calls that the operators and casts of a graph make for one tile.

    Those of broadcasts and reductions, whose number follows from the rows of a tile, are not in it: no pass changes
    them.
    """
    return sum(map(_of, steps))


def _of(step: Step) -> int:
    node = step.node
    if isinstance(node, Cast):
        return int(node.to != node.from_)
    operator = node.operator if isinstance(node, Compute) else None
    if operator is None or not isinstance(node, Compute):
        return 0
    # A cast of each input and of the result, where the calls are in another type.
    casts = operator.inputs + 1 if operator.computed_in(node.T) != node.T else 0
    return len(operator.sequence) + casts + len(step.inputs) - operator.inputs
