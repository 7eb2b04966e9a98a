"""Roundings that are meant: a cast to a narrower type, and rounding to whole numbers.

What is computed from such a value is meant to be computed from the rounded one, so the formula rounds there, too; only
an output that is a cast itself is not rounded. A value next to the middle between two neighbours may become
either of them, by a rounding before it. So where what is rounded agrees with the formula, the formula takes the
neighbour that the device took; where it does not, the formula rounds its own value, and the departure stays visible.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..graph.ir import Gemm, Step, consumers, visit_order
from ..graph.types import ElementType, half
from ..nodes import AccLoad, Cast, Compute, Outputs, Part, Store, VisitorNode
from ..operators.arrays import Array, cast, unit_roundoff
from ..operators.table import BY_NAME
from .stepwise import fitted

ROUNDINGS = 32
"""So many roundings of a type are explained by a few operators of that type."""

_WHOLE = tuple(BY_NAME[name] for name in ("floor", "ceil", "round", "trunc"))


def is_meant(node: VisitorNode) -> bool:
    """Whether a node rounds because the user said so. CAST_ODD is the first of two casts that round once together."""
    if isinstance(node, Cast):
        return node.round != "CAST_ODD" and _narrows(node)
    return isinstance(node, Compute) and node.operator in _WHOLE


def _narrows(node: Cast) -> bool:
    return node.to.kind == "int" or (node.from_.kind == "float" and not node.to.includes(node.from_))


def rounded(node: VisitorNode, values: Array) -> Array:
    """The formula of a node that rounds, float64, as those see it that compute with it: an output is not rounded. What
    is out of the range of a float stays as it is, however small or large: that loses more than a rounding."""
    if not isinstance(node, Cast) or node.to.kind == "int":
        return values
    narrow = cast(values.astype(np.float32), node.to, node.round).astype(np.float64)
    return np.where(_by_a_rounding(node, narrow, values), narrow, values)


def agreed(  # noqa: PLR0917
    node: VisitorNode, device: Array, given: Array, formula: Array, original: Array, explained: ElementType
) -> Array:
    """The formula of a node that rounds, with the device's neighbour where both have rounded the same.

    Args:
        device, given: what the device makes, and of what.
        formula, original: the same by the formula.
        explained: the type whose roundings ``given`` may be off by.
    """
    device, given = device.astype(np.float64), given.astype(np.float64)
    whole = not isinstance(node, Cast) or node.to.kind == "int"
    typical = np.maximum(np.abs(original), 1.0 if whole else 0.0)
    same = np.abs(given - original) <= ROUNDINGS * unit_roundoff(explained) * typical
    near = np.abs(device - formula) <= 1 if whole else _by_a_rounding(node, device, given)
    return np.where(same & near, device, formula)


def _by_a_rounding(node: VisitorNode, device: Array, given: Array) -> Array:
    near: Array = np.isfinite(device) & (np.abs(device - given) <= 2 * unit_roundoff(node.element) * np.abs(given))
    return near


class Formulas:
    """The formula's values of the steps of a graph: as they are stored, and as operators read them."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._stored: dict[int, Array] = {}
        self._seen: dict[int, Array] = {}
        users = consumers(steps)
        self._only_stored: set[int] = set()
        ends: set[int] = set()
        for index in reversed(visit_order([step.inputs for step in steps])):
            if ends.issuperset(users[index]):
                self._only_stored.add(index)
                if isinstance(steps[index].node, Store | Part | Outputs):
                    ends.add(index)

    def inputs(self, node: VisitorNode, sources: Sequence[int]) -> list[Array]:
        """The values of these steps for a node."""
        seen = {} if isinstance(node, Store) else self._seen
        return fitted([seen.get(i, self._stored[i]) for i in sources])

    def put(self, index: int, step: Step, value: Array, rounds: Callable[[VisitorNode, Array], Array] | None) -> None:
        """Take the value of a step; ``rounds`` says what a rounding that is meant makes of it."""
        node = step.node
        assert isinstance(node, VisitorNode)
        if node.forwards:
            source = step.inputs[0]
            value = self._stored[source]
            if source in self._seen:
                self._seen[index] = self._seen[source]
        elif rounds is not None and is_meant(node) and not (isinstance(node, Cast) and index in self._only_stored):
            self._seen[index] = rounds(node, value)
            value = value if isinstance(node, Cast) else self._seen[index]
        self._stored[index] = value

    def pop(self, index: int) -> None:
        """Forget a step, if it is known."""
        self._stored.pop(index, None)
        self._seen.pop(index, None)


def explained_by(steps: Sequence[Step], gemm: Gemm) -> dict[int, ElementType]:
    """The type whose roundings each step's value may be off by: the coarsest of its own and those of the accumulators
    it is made from. HF32 has as many digits as half, or one more."""
    types: dict[int, ElementType] = {}
    accumulators: dict[int, list[ElementType]] = {}
    for index in visit_order([step.inputs for step in steps]):
        node = steps[index].node
        behind = [T for i in steps[index].inputs for T in accumulators[i]]
        accumulators[index] = list(
            dict.fromkeys([*behind, *([half if gemm.hf32 else node.T] if isinstance(node, AccLoad) else [])])
        )
        own: ElementType = node.element  # type: ignore[attr-defined]
        types[index] = max([own, *accumulators[index]], key=unit_roundoff)
    return types
