"""Sums in an order that is not defined: those of the matrix unit, and atomic reductions."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from ..arithmetic.arrays import Array, dtype, largest, unit_roundoff
from ..graph.types import ElementType
from ..nodes import Reduce
from ..operators.declaration import Atomic
from .enclosure import Enclosure


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


def reduction(node: Reduce, operand: Enclosure, value: Array) -> Enclosure:
    """The enclosure of a reduction, joined to its identity."""
    assert node.operator is not None
    low, high = operand.ends
    if node.operator.atomic is not Atomic.ADD:
        if operand.exact:
            return Enclosure(value)
        ufunc = np.maximum if node.operator.atomic is Atomic.MAX else np.minimum
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
