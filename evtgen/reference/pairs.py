"""A value beside a reduction of it: the two do not move apart as two values do that have nothing to do with each other.

No element is above the largest of its row, and the one that is the largest is equal to it, whatever the device made of
the row: ``x - max(x)`` is 0 there and below 0 elsewhere, however wide the enclosure of ``x`` is. What is reduced from a
single element is that element, whatever the reduction.

An instruction makes the same of equal operands wherever they stand. So elements of a value are equal, how inexact they
may be, if what they were made from was equal and exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..graph.ir import Step
from ..graph.types import mask
from ..nodes import Cast, Compute, Part, Reduced, TopK, TopKResult, node_of
from ..operators.arrays import Array
from ..operators.declaration import Atomic
from ..operators.table import OPERATORS
from .enclosure import Enclosure
from .reductions import folded, repeated, terms_of
from .stepwise import taken
from .tensors import Tensors

_DIFFERENCES = tuple(OPERATORS[name] for name in ("Minus", "SubRelu", "Divides"))
"""Operators that, as comparisons do, rise with one operand and fall with the other, and make the same of all that are
equal: their extremes are at corners of what two such values can be."""

Meeting = Callable[[], Callable[[Sequence[Array]], list[Array]]]
"""Makes a function that moves places of all operands, one array each, to the nearest that they can have together."""

Causes = Mapping[int, Array]
"""What determines the value of a step, elementwise, by the index of an earlier one: arrays (M, N) that are equal where
that step certainly has the same value."""


@dataclass(frozen=True)
class Pair:
    """Two operands of a node, a value and a reduction of it.

    Attributes:
        reduction: of which it is the result.
        value, result: which operand is which.
    """

    reduction: Reduced
    value: int
    result: int

    def meeting(
        self, operands: Sequence[Enclosure], causes: Causes, tensors: Tensors
    ) -> Callable[[Sequence[Array]], list[Array]]:
        """A function that moves places of the two operands, one array each, to the nearest that both can have at the
        same time: the result moves. ``causes`` are those of the value."""
        atomic = self.reduction.reduce.atomic
        same = _same(self.reduction, operands[self.value], causes, tensors)

        def moved(places: Sequence[Array]) -> list[Array]:
            value, result = places[self.value], places[self.result]
            if atomic is not Atomic.ADD:
                result = (np.maximum if atomic is Atomic.MAX else np.minimum)(value, result)
            found = list(places)
            found[self.result] = np.where(same, value, result)
            return found

        return moved


def paired(steps: Sequence[Step], index: int) -> Pair | None:
    """The pair of a step's two operands, if its operator tells the distance between them."""
    node, inputs = node_of(steps[index]), steps[index].inputs
    if not isinstance(node, Compute) or len(inputs) != 2 or not _of_distance(node):
        return None
    for value, result in ((0, 1), (1, 0)):
        reduction = _reduction_of(steps, _origin(steps, inputs[value]), inputs[result])
        if reduction is not None:
            return Pair(reduction, value, result)
    return None


def causes_of(index: int, node: object, found: Enclosure, inputs: Sequence[Causes], tensors: Tensors) -> Causes:
    """What determines a step, by what determines its inputs: its value, if that is exact; of a reduction, its place."""
    if found.exact:
        return {index: found.value}
    if isinstance(node, TopK | TopKResult):
        return {index: np.arange(found.value.size).reshape(found.value.shape)}
    if isinstance(node, Reduced):
        size = tensors.problem.size(node.reduce.name, node.reduce.shape, node.columns)
        return {index: repeated(node, np.arange(size[0] * size[1]).reshape(size), tensors)}
    behind = {i: array for causes in inputs for i, array in causes.items()}
    if isinstance(node, Part):
        return {i: taken(node, array) for i, array in behind.items()}
    width = found.value.shape[1]
    return {i: array[:, :width] for i, array in behind.items()}


def _of_distance(node: Compute) -> bool:
    return node.operator in _DIFFERENCES or (node.element == mask and node.takes(0) != mask)


def _origin(steps: Sequence[Step], index: int) -> int:
    """The step whose value a step has, but for stores, and casts to types that hold all its values."""
    node = node_of(steps[index])
    if node.forwards or (isinstance(node, Cast) and node.to.includes(node.from_)):
        return _origin(steps, steps[index].inputs[0])
    return index


def _reduction_of(steps: Sequence[Step], origin: int, index: int) -> Reduced | None:
    """The reduction of the value at ``origin`` whose result a step has, but for casts that keep it."""
    node = node_of(steps[index])
    if isinstance(node, Reduced):
        return node if _origin(steps, steps[index].inputs[0]) == origin else None
    # The largest of some values is one of them, which a type that holds those has as it was.
    if node.forwards or (isinstance(node, Cast) and node.to.includes(node_of(steps[origin]).element)):
        return _reduction_of(steps, origin, steps[index].inputs[0])
    return None


def _same(node: Reduced, operand: Enclosure, causes: Causes, tensors: Tensors) -> Any:
    """Elementwise, (M, N), where the result is certainly this element of what was reduced."""
    reduce, problem, atomic = node.reduce, tensors.problem.narrowed(node.columns), node.reduce.atomic
    alone = np.broadcast_to(terms_of(reduce, problem) == 1, problem.size(reduce.name, reduce.shape))
    width = operand.value.shape[1]
    same = repeated(node, alone, tensors)[:, :width]
    if atomic is Atomic.ADD:
        return same

    def most(values: Array) -> Array:
        """The largest of what is reduced together, (M, N)."""
        found = folded(reduce, np.maximum, values, problem, values.dtype.type(0))
        result: Array = repeated(node, found, tensors)[:, :width]
        return result

    low, high = (end.astype(np.float64) for end in operand.ends)
    if atomic is Atomic.MIN:
        low, high = -high, -low
    places = np.arange(high.size).reshape(high.shape)
    first = np.divmod(most(np.where(high == most(high), places, -1)), max(1, high.shape[1]))
    equal = np.logical_and.reduce([_bits(array) == _bits(array)[first] for array in causes.values()])
    return same | (equal & (low >= most(np.where(equal, -np.inf, high))))


def _bits(array: Array) -> Array:
    """An array to compare bit by bit: both zeros are equal, but not what is made of them."""
    bits: Array = array.view(f"u{array.dtype.itemsize}")
    return bits
