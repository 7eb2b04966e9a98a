"""The reference: an epilogue evaluated in numpy, with proved bounds on what the device may say instead.

One walk over the graph calls each node's ``evaluate``. Beside each value it carries an enclosure, the interval in which
the device's value must lie. It is the value itself as long as nothing rounds differently; it widens in two places:

1. An operator that is not bit for bit (``ulp`` > 0) widens it by that many neighbours.
2. A sum in an order that is not defined (an atomic reduction) has ``n`` additions, each off by at most the unit
   roundoff ``u``: the error is at most ``n·u·Σ|x|``, in any order (Jeannerod and Rump, 2013). It is zero where the
   terms are whole numbers whose sum of magnitudes the type holds exactly.

Every other operator maps enclosures to enclosures: all are monotone in each input between zero and the places where
they say that they turn, and so is rounding. Their extremes over a box are therefore at its corners, and at those places
where the box spans them. Comparisons change where their operands meet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from .ir import Epilogue, Step, flatten, visit_order
from .nodes import Compute, Reduce, Tensors, VisitorNode
from .numeric import Array, dtype, largest, neighbour, same, unit_roundoff
from .types import ElementType, mask

if TYPE_CHECKING:
    from .lower.plan import Plan

Graph = Union["Plan", Epilogue]


@dataclass(frozen=True)
class Enclosure:
    """A value and where the device's must lie.

    Attributes:
        value: the reference, of the tensor's dtype.
        low, high: least and greatest value that the device may have; infinite where nothing can be said, and then NaN
            is allowed too. None: the device has ``value`` bit for bit (zeros are equal, so are NaNs).
    """

    value: Array
    low: Array | None = None
    high: Array | None = None

    @property
    def exact(self) -> bool:
        return self.low is None

    @property
    def ends(self) -> tuple[Array, Array]:
        """Least and greatest value, also of one that is exact."""
        return (self.value, self.value) if self.low is None or self.high is None else (self.low, self.high)

    @property
    def free(self) -> Any:
        """Elementwise, whether nothing can be said."""
        if self.low is None or self.high is None:
            return np.zeros(self.value.shape, bool)
        return np.isneginf(self.low.astype(np.float64)) & np.isposinf(self.high.astype(np.float64))

    def contains(self, device: Array) -> Any:
        """Elementwise, whether the device's value is allowed."""
        equal = same(device, self.value)
        if self.low is None or self.high is None or equal.all():
            return equal
        wide = device.astype(np.float64)
        return equal | self.free | ((wide >= self.low.astype(np.float64)) & (wide <= self.high.astype(np.float64)))

    def bound(self) -> float:
        """Largest absolute error that is allowed anywhere; infinite if somewhere nothing can be said."""
        if self.low is None or self.high is None or not self.value.size:
            return 0.0
        value = self.value.astype(np.float64)
        with np.errstate(invalid="ignore"):
            widths = [np.where(end == value, 0.0, np.abs(end - value))
                      for end in (self.low.astype(np.float64), self.high.astype(np.float64))]  # fmt: skip
        return float(np.nan_to_num(np.maximum(*widths), nan=0.0, posinf=np.inf).max())


def evaluate(graph: Graph, acc: Array, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """The outputs of an epilogue, by tensor name.

    ``acc`` is the accumulator (M, N) in its element type; ``inputs`` holds arrays of their tensors' shapes and
    types. A tensor that is left out is a null pointer: its load must have a ``null_default``.
    """
    return {name: enclosure.value for name, enclosure in enclose(graph, acc, inputs).items()}


def enclose(graph: Graph, acc: Array, inputs: Mapping[str, Array]) -> dict[str, Enclosure]:
    """As :func:`evaluate`, with the enclosure of each output."""
    steps: Sequence[Step] = flatten(graph.root) if isinstance(graph, Epilogue) else graph.steps
    tensors = Tensors(acc, dict(inputs))
    values: dict[int, Enclosure] = {}
    outputs: dict[str, Enclosure] = {}
    # Infinities and NaNs are values like any other: the device does not stop for them.
    with np.errstate(all="ignore"):
        for index in visit_order([step.inputs for step in steps]):
            node = steps[index].node
            assert isinstance(node, VisitorNode)
            operands = [values[i] for i in steps[index].inputs]
            values[index] = _visit(node, operands, tensors)
            if node.writes and node.tensor is not None:
                value = tensors.outputs[node.tensor.name]
                outputs[node.tensor.name] = (
                    _reduction(node, operands[0], value) if isinstance(node, Reduce) else values[index]
                )
    return outputs


def accumulator(a: Array, b: Array, element: ElementType, rows: int = 256) -> Iterator[tuple[slice, Enclosure]]:
    """The enclosure of ``a @ b`` as the matrix unit leaves it in the workspace, ``rows`` rows at a time.

    Floats are multiplied and added in float32, in an order that is not defined, and rounded once to ``element``.
    Integers are exact.
    """
    k = a.shape[1]
    floating = element.kind == "float"
    wide = np.float64 if floating else np.int64
    right = b.astype(wide)
    magnitude_right = np.abs(right)
    whole = not floating or (_whole(a) and _whole(b))
    for start in range(0, a.shape[0], rows):
        block = slice(start, min(start + rows, a.shape[0]))
        left = a[block].astype(wide)
        exact = left @ right
        value = exact.astype(dtype(element))
        if not floating:
            yield block, Enclosure(value)
            continue
        magnitude = np.abs(left) @ magnitude_right
        error = k * (2.0**-24 + 2.0**-53) * magnitude + k * 2.0**-149
        if whole:
            error[magnitude <= 2.0**24] = 0.0
        with np.errstate(over="ignore"):
            low, high = ((exact + e).astype(np.float32).astype(dtype(element)) for e in (-error, error))
        # The sums' own rounding to float32 is within the error; a whole one is exact.
        yield block, Enclosure(value, low, high) if error.any() else Enclosure(value)


def _visit(node: VisitorNode, operands: list[Enclosure], tensors: Tensors) -> Enclosure:
    """One node: its value, and the enclosure of it."""
    operator = node.operator if isinstance(node, Compute) else None
    if operator is not None and len(operands) > operator.inputs:
        first, second, *rest = operands
        head = _visit(node, [first, second], tensors)
        return _visit(node, [head, *rest], tensors)
    value = node.evaluate([operand.value for operand in operands], tensors)
    if node.forwards:
        return operands[0]
    ulp = operator.error(node.T) if isinstance(node, Compute) and operator is not None else 0
    uncertain = any(not operand.exact for operand in operands)
    if value is None or (ulp == 0 and not uncertain):
        return Enclosure(value)
    low = high = value
    if uncertain:
        low, high = _extremes(node, value, [operand.value for operand in operands], tensors)
        turns = operator.turns(*node.held(tensors)) if isinstance(node, Compute) and operator is not None else ()
        corners = [_corners(operand, turns) for operand in operands]
        for corner in (*product(*corners), *_meetings(node, operands, corners)):
            below, above = _extremes(node, node.evaluate(list(corner), tensors), corner, tensors)
            low, high = np.minimum(low, below), np.maximum(high, above)
        # Of what may be NaN anything may be computed; what a mask chooses is one of the corners.
        if node.element.kind != "int" and all(node.takes(i) != mask for i in range(len(operands))):
            unknown = np.logical_or.reduce([operand.free for operand in operands])
            least, most = (False, True) if node.element == mask else (-np.inf, np.inf)
            low, high = np.where(unknown, low.dtype.type(least), low), np.where(unknown, high.dtype.type(most), high)
    return Enclosure(value, neighbour(low, -ulp), neighbour(high, ulp))


def _corners(operand: Enclosure, turns: Sequence[float]) -> list[Array]:
    """The places where an operator has its extremes: the ends of an enclosure, both zeros where it spans zero, and the
    inputs within it where the operator turns."""
    low, high = operand.low, operand.high
    if low is None or high is None:
        return [operand.value]
    corners = [low, high]
    for turn in (-0.0, 0.0, *turns):
        place = low.dtype.type(turn)
        spans = (low <= place) & (high >= place)
        if spans.any():
            corners.append(np.where(spans, place, low))
    return corners


def _meetings(node: VisitorNode, operands: list[Enclosure], corners: list[list[Array]]) -> list[tuple[Array, Array]]:
    """For a comparison of two values: where they are as near to each other as their enclosures allow."""
    if node.element != mask or len(operands) != 2 or node.takes(0) == mask:
        return []
    first, second = operands
    near = [(a, np.clip(a, *second.ends)) for a in corners[0]]
    return near + [(np.clip(b, *first.ends), b) for b in corners[1]]


def _extremes(node: VisitorNode, result: Array, corner: Sequence[Array], tensors: Tensors) -> tuple[Array, Array]:
    """``result`` as a lower and an upper end: without limit where it is undefined or wrapped around."""
    if node.element == mask:
        return result, result
    if node.element.kind == "float":
        inf = result.dtype.type(np.inf)
        unknown = np.isnan(result)
    else:
        inf = np.iinfo(result.dtype).max
        exact = node.evaluate([c.astype(np.float64) for c in corner], tensors) if isinstance(node, Compute) else result
        unknown = exact != result
    if not unknown.any():
        return result, result
    floor = -inf if node.element.kind == "float" else np.iinfo(result.dtype).min
    return np.where(unknown, floor, result), np.where(unknown, inf, result)


def _reduction(node: Reduce, operand: Enclosure, value: Array) -> Enclosure:
    """The enclosure of a reduction, joined to its identity."""
    assert node.operator is not None
    low, high = operand.ends
    if node.operator.atomic != "Add":
        if operand.exact:
            return Enclosure(value)
        ufunc = np.maximum if node.operator.atomic == "Max" else np.minimum
        identity = low.dtype.type(node.identity)
        ends = (ufunc(ufunc.reduce(end, axis=node.axis, keepdims=True), identity) for end in (low, high))
        return Enclosure(value, *ends)
    if operand.exact and node.T.kind == "int":
        return Enclosure(value)

    def total(array: Array) -> Array:
        return np.add.reduce(array, axis=node.axis, keepdims=True, dtype=np.float64)

    magnitude = total(np.maximum(np.abs(low), np.abs(high))) + abs(float(node.identity))
    # As many additions as elements: those and the identity are the terms. The reference's own are in float64.
    error = prod(low.shape[i] for i in node.axis) * (unit_roundoff(node.T) + 2.0**-53) * magnitude
    if _whole(operand.value) and float(node.identity).is_integer() and operand.exact:
        error[magnitude <= 2.0**node.T.precision] = 0.0
        if not error.any():
            return Enclosure(value)
    below, above = total(low) + node.identity - error, total(high) + node.identity + error
    overflow = ~(magnitude + error <= largest(node.T))
    return Enclosure(value, np.where(overflow, -np.inf, below), np.where(overflow, np.inf, above))


def _whole(array: Array) -> bool:
    """Whether all values are whole numbers."""
    if array.dtype.kind in "iu":
        return True
    wide = array if array.dtype.itemsize > 2 else array.astype(np.float32)
    return bool((np.trunc(wide) == wide).all())
