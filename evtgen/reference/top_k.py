"""The largest values of rows: (M, 2k), the values and behind them their columns."""

from __future__ import annotations

import numpy as np

from ..graph.types import int32
from ..nodes import TopK, TopKResult
from ..operators.arrays import Array, largest_of_rows
from .enclosure import Enclosure


def largest(node: TopK, values: Array) -> Array:
    """Of (M, N) values, in their type."""
    assert node.stop is not None
    found: Array = np.concatenate(largest_of_rows(values, node.stop), axis=1, dtype=values.dtype, casting="unsafe")
    return found


def result(node: TopKResult, found: Array) -> Array:
    """The values, or the columns, of what :func:`largest` gives."""
    k = found.shape[1] // 2
    return found[:, k:].astype(np.int32) if int32 == node.T else found[:, :k]


def enclosed(node: TopK, operand: Enclosure) -> Enclosure:
    """The enclosure of what :func:`largest` gives. A column is certain if no other value can be at its place: all that
    come before are at least as large, and all behind at most; of values that are exact, equal ones have an order."""
    value = largest(node, operand.value)
    if operand.low is None or operand.high is None:
        return Enclosure(value)
    k = value.shape[1] // 2
    rows, n = operand.value.shape
    low, high = (largest(node, end) for end in operand.ends)
    order = largest_of_rows(operand.value, n)[1]
    least, most = (np.take_along_axis(end, order, 1).astype(np.float64) for end in operand.ends)
    floor = np.minimum.accumulate(least, axis=1)[:, :-1]
    ceiling = np.maximum.accumulate(most[:, ::-1], axis=1)[:, ::-1][:, 1:]
    meets = (floor <= ceiling) | np.isnan(floor) | np.isnan(ceiling)  # what is before a place, and what is behind it
    none = np.zeros((rows, 1), bool)
    open = np.hstack([none, meets])[:, :k] | np.hstack([meets, none])[:, :k]
    free = operand.free.any(axis=1, keepdims=True)  # a NaN may be anywhere in the row, and then comes first
    low[:, :k], high[:, :k] = np.where(free, -np.inf, low[:, :k]), np.where(free, np.inf, high[:, :k])
    open |= free
    low[:, k:] = np.where(open, 0, value[:, k:])
    high[:, k:] = np.where(open, n - 1, value[:, k:])
    return Enclosure(value, low, high)
