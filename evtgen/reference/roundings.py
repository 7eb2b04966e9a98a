"""Roundings that are meant: a cast to a narrower type, and rounding to whole numbers.

The formula rounds there, too, since the user wrote it. A value next to the middle between two neighbours may become
either of them, by a rounding before it. So where what is rounded agrees with the formula, the formula takes the
neighbour that the device took; where it does not, the formula rounds its own value, and the departure stays visible.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..graph.ir import Step, visit_order
from ..graph.types import ElementType
from ..nodes import AccLoad, Cast, Compute, VisitorNode
from ..operators.arrays import Array, cast, to_whole, unit_roundoff
from ..operators.table import BY_NAME

ROUNDINGS = 32
"""So many roundings of a type are explained by a few operators of that type."""

_WHOLE = tuple(BY_NAME[name] for name in ("floor", "ceil", "round", "trunc"))


def is_meant(node: VisitorNode) -> bool:
    """Whether a node rounds because the user said so."""
    if isinstance(node, Cast):
        return node.to.kind == "int" or not node.to.includes(node.from_)
    return isinstance(node, Compute) and node.operator in _WHOLE


def rounded(node: Cast, values: Array) -> Array:
    """float64 values as a cast that is meant rounds them, in float64. What is out of the range of a float stays as it
    is, however small or large: that loses more than a rounding."""
    if node.to.kind == "int":
        return to_whole(values, node.to, node.round)
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


def explained_by(steps: Sequence[Step]) -> dict[int, ElementType]:
    """The type whose roundings each step's value may be off by: the coarsest of its own and those of the accumulators
    it is made from."""
    types: dict[int, ElementType] = {}
    accumulators: dict[int, list[ElementType]] = {}
    for index in visit_order([step.inputs for step in steps]):
        node = steps[index].node
        behind = [T for i in steps[index].inputs for T in accumulators[i]]
        accumulators[index] = list(dict.fromkeys([*behind, *([node.T] if isinstance(node, AccLoad) else [])]))
        own: ElementType = node.element  # type: ignore[attr-defined]
        types[index] = max([own, *accumulators[index]], key=unit_roundoff)
    return types
