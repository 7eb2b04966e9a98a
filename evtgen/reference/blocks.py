"""Reductions of blocks of columns: each is that of a matrix which has a row for each block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from ..graph.shapes import Problem
from ..nodes import BlockReduced
from ..operators.arrays import Array
from .enclosure import Enclosure
from .reductions import joined
from .stepwise import reduction_of
from .sums import as_value, reduction
from .tensors import Tensors
from .tiles import Tile


def stepwise(node: BlockReduced, values: Array, tensors: Tensors) -> Array:
    """The reduction of (M, N) values, in every column of its block, rounded as the device rounds."""
    return _each(node, values, lambda part, problem: _one(node, part, tensors))


def formula(node: BlockReduced, values: Array) -> Array:
    """The same in float64."""
    identity = float(node.reduce.identity)
    return _each(node, values, lambda part, problem: joined(node.reduce, part, problem, identity))


def enclosed(node: BlockReduced, operand: Enclosure, tensors: Tensors) -> Enclosure:
    """The enclosure of the same."""
    value = stepwise(node, operand.value, tensors)
    if operand.low is None or operand.high is None:
        found = [_enclosed(node, Enclosure(part), tensors) for part in _parts(node, operand.value)]
    else:
        each = zip(*(_parts(node, end) for end in (operand.value, operand.low, operand.high)), strict=True)
        found = [_enclosed(node, Enclosure(*part), tensors) for part in each]
    if all(one.exact for one in found):
        return Enclosure(value)
    low, high = (_spread(node, value.shape, [as_value(one.ends[i], node.T) for one in found]) for i in (0, 1))
    return Enclosure(value, low, high)


def _one(node: BlockReduced, part: Array, tensors: Tensors) -> Array:
    return reduction_of(node.reduce, part, replace(tensors, acc=part, given=None))


def _enclosed(node: BlockReduced, part: Enclosure, tensors: Tensors) -> Enclosure:
    rows, columns = part.value.shape
    tiling = [(0, Tile(slice(0, rows), slice(0, columns)))]
    return reduction(node.reduce, part, _one(node, part.value, tensors), Problem((rows,), columns, k=0), tiling)


def _each(node: BlockReduced, values: Array, reduce: Callable[[Array, Problem], Array]) -> Array:
    found = [reduce(part, Problem(part.shape[:1], part.shape[1], k=0)) for part in _parts(node, values)]
    return _spread(node, values.shape, found)


def _parts(node: BlockReduced, values: Array) -> Iterator[Array]:
    """Matrices with a row for each block of (M, N) values: of the whole blocks, and of the last ones if they have fewer
    columns."""
    rest = values.shape[1] % node.block
    whole = values.shape[1] - rest
    if whole:
        yield values[:, :whole].reshape(-1, node.block)
    if rest:
        yield values[:, whole:]


def _spread(node: BlockReduced, shape: tuple[int, ...], found: list[Array]) -> Array:
    """The reductions of such matrices, (blocks, 1) each, in every column of their blocks."""
    by_row = np.concatenate([one.reshape(shape[0], -1) for one in found], axis=1)
    spread: Array = np.repeat(by_row, node.block, axis=1)[:, : shape[1]]
    return spread
