"""One node: from the enclosures of its inputs to that of its output."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain, product

import numpy as np

from ..graph.types import mask
from ..nodes import Band, Compute, Part, TopK, TopKResult, VisitorNode
from ..operators.arrays import Array, neighbour, same
from . import compute, top_k
from .enclosure import Enclosure
from .pairs import Meeting
from .stepwise import stepwise, taken
from .tensors import Tensors


def propagate(
    node: VisitorNode, operands: list[Enclosure], tensors: Tensors, meeting: Meeting | None = None
) -> Enclosure:
    """The enclosure of a node's output; a node that writes leaves its value in ``tensors``. ``meeting`` makes the
    function that moves places of the operands to such as they can have at the same time; None: they can have any."""
    if isinstance(node, Part | TopKResult):
        return _moved(node, operands[0])
    operator = node.operator if isinstance(node, Compute) else None
    if operator is not None and len(operands) > operator.inputs:
        return _fold(node, operands, tensors)
    value = stepwise(node, [operand.value for operand in operands], tensors)
    if node.forwards:
        return operands[0]
    ulp = compute.ulp(node, tensors) if isinstance(node, Compute) else 0
    if all(operand.exact for operand in operands):
        inputs = [operand.value for operand in operands]
        low, high = _with_others(node, value, *_off(node, value, value, inputs, tensors), inputs, tensors)
        if ulp == 0 and low is value and high is value:
            return Enclosure(value)
        return _widened(value, low, high, ulp)
    low, high = _spread(node, value, operands, tensors, meeting)
    return _widened(value, low, high, ulp)


def _moved(node: Part | TopKResult, operand: Enclosure) -> Enclosure:
    """Of a node that puts values elsewhere."""
    if isinstance(node, TopK):
        return top_k.enclosed(node, operand)
    return operand.map(partial(taken, node) if isinstance(node, Part) else partial(top_k.result, node))


def _fold(node: VisitorNode, operands: list[Enclosure], tensors: Tensors) -> Enclosure:
    """A variadic operator on more inputs than two, from the left."""
    first, second, *rest = operands
    return propagate(node, [propagate(node, [first, second], tensors), *rest], tensors)


def _widened(value: Array, low: Array, high: Array, ulp: int) -> Enclosure:
    """An interval and so many neighbours at each of its ends: what the operator's own calls may be off."""
    return Enclosure(value, neighbour(low, -ulp), neighbour(high, ulp))


def _spread(
    node: VisitorNode, value: Array, operands: list[Enclosure], tensors: Tensors, meeting: Meeting | None
) -> tuple[Array, Array]:
    """The least and the greatest output while the inputs move within their enclosures."""
    low, high = _extremes(node, value, [operand.value for operand in operands], tensors)
    operator = node.operator if isinstance(node, Compute) else None
    turns = operator.turns(*compute.held(node, tensors)) if isinstance(node, Compute) and operator is not None else ()
    corners = [_corners(operand, turns) for operand in operands]
    places: Iterable[Sequence[Array]] = chain(product(*corners), _meetings(node, operands, corners))
    for corner in places if meeting is None else map(meeting(), places):
        below, above = _extremes(node, stepwise(node, corner, tensors), corner, tensors)
        low, high = np.minimum(low, below), np.maximum(high, above)
    return _freed(node, operands, low, high)


def _freed(node: VisitorNode, operands: list[Enclosure], low: Array, high: Array) -> tuple[Array, Array]:
    """The interval without ends where an input may be NaN: of that anything may be computed.

    A mask is no such input, nor is a band: what it chooses is one of the corners.
    """
    if node.element.kind == "int" or isinstance(node, Band) or any(node.takes(i) == mask for i in range(len(operands))):
        return low, high
    unknown = np.logical_or.reduce([operand.free for operand in operands])
    low, high = _open(node, low), _open(node, high)
    least, most = (False, True) if node.element == mask else (-np.inf, np.inf)
    return np.where(unknown, low.dtype.type(least), low), np.where(unknown, high.dtype.type(most), high)


def _open(node: VisitorNode, end: Array) -> Array:
    """An end that can be infinite: of a type that has no infinities, in float32."""
    return end if node.element.infinite and node.element.kind != "scale" else end.astype(np.float32)


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


def _with_others(  # noqa: PLR0917
    node: VisitorNode, result: Array, low: Array, high: Array, inputs: Sequence[Array], tensors: Tensors
) -> tuple[Array, Array]:
    """The ends ``low`` and ``high`` of ``result``, and beyond where the device may leave out a rounding, or flush a
    subnormal.

    Where a rounding that is left out makes a difference, its sum may be rounded to float32 first, hence the neighbour.
    """
    if not isinstance(node, Compute):
        return low, high
    for other in (compute.fused(node, inputs, tensors), compute.flushed(node, inputs, tensors, result)):
        if other is None:
            continue
        differs = ~same(other, result)
        if not differs.any():
            continue
        undefined = differs & (np.isnan(other) | np.isnan(result))
        least, most = (result.dtype.type(end) for end in (-np.inf, np.inf))
        low = np.where(differs, neighbour(np.minimum(low, other), -1), low)
        high = np.where(differs, neighbour(np.maximum(high, other), 1), high)
        low, high = np.where(undefined, least, low), np.where(undefined, most, high)
    return low, high


def _extremes(node: VisitorNode, result: Array, corner: Sequence[Array], tensors: Tensors) -> tuple[Array, Array]:
    """``result`` as a lower and an upper end: without limit where it is undefined or wrapped around."""
    low, high = _off(node, *_defined(node, result, corner, tensors), corner, tensors)
    return _with_others(node, result, low, high, corner, tensors)


def _off(node: VisitorNode, low: Array, high: Array, inputs: Sequence[Array], tensors: Tensors) -> tuple[Array, Array]:
    """The ends ``low`` and ``high`` of a result, and what an operator makes of it that is off before it is rounded."""
    off = compute.off(node, inputs, tensors) if isinstance(node, Compute) else None
    return (low, high) if off is None else (np.fmin(low, off[0]), np.fmax(high, off[1]))


def _defined(node: VisitorNode, result: Array, corner: Sequence[Array], tensors: Tensors) -> tuple[Array, Array]:
    if node.element == mask:
        return result, result
    if node.element.kind != "int":
        result = _open(node, result)
        inf = result.dtype.type(np.inf)
        unknown = np.isnan(result)
    else:
        inf = np.iinfo(result.dtype).max
        exact = stepwise(node, [c.astype(np.float64) for c in corner], tensors) if isinstance(node, Compute) else result
        unknown = exact != result
    if not unknown.any():
        return result, result
    floor = -inf if node.element.kind != "int" else np.iinfo(result.dtype).min
    return np.where(unknown, floor, result), np.where(unknown, inf, result)
