"""Reductions in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.shapes import Problem
from ..nodes import Reduce, Reduced
from ..operators.arrays import Array, dtype
from ..operators.declaration import Atomic
from .tensors import Tensors


def extents(node: Reduce, problem: Problem) -> tuple[Array, int]:
    """How many rows become one, (rows of the tensor or 1, 1), and how many columns."""
    shared, columns = node.name in problem.shared, problem.n if 1 in node.axis else 1
    if 0 not in node.axis:
        return np.full((1, 1), problem.count if shared else 1), columns
    return np.reshape(problem.m if shared else problem.rows, (-1, 1)), columns


def terms_of(node: Reduce, problem: Problem) -> Array:
    """How many values become one, (rows of the tensor or 1, 1)."""
    rows, columns = extents(node, problem)
    return rows * columns


def scale_of(node: Reduce, problem: Problem) -> Array:
    """What the device takes a tile's sum times, (rows of the tensor or 1, 1): 1, or one over the count in float32,
    rounded once to the type. It is 1 where there is nothing to sum up."""
    rows, columns = extents(node, problem)
    if not node.mean:
        return np.ones(rows.shape)
    count = rows.astype(np.float32) * np.float32(columns)
    scaled: Array = (np.float32(1) / np.maximum(count, np.float32(1))).astype(dtype(node.T)).astype(np.float64)
    return scaled


def folded(node: Reduce, ufunc: Any, values: Array, problem: Problem, empty: float) -> Any:
    """``values``, (M, N), reduced by a ufunc of numpy to the rows of the tensor: those of each matmul on their own, or
    all together if the tensor is shared. Where there are no rows, it is ``empty``."""
    shared = node.name in problem.shared
    if 0 not in node.axis:
        each = ufunc.reduce(values, axis=node.axis, keepdims=True)
        return (
            ufunc.reduce(each.reshape(problem.count, problem.rows[0], 1), axis=0) if shared and problem.rows else each
        )
    parts = [values] if shared else [values[rows] for rows in problem.segments()]
    nothing = np.full((1, 1 if 1 in node.axis else problem.n), empty, values.dtype)
    each = [ufunc.reduce(part, axis=node.axis, keepdims=True) if len(part) else nothing for part in parts]
    return np.concatenate([nothing[:0], *each])


def joined(node: Reduce, values: Array, problem: Problem, identity: Any) -> Any:
    """The reduction of ``values``, (M, N), joined to ``identity`` as its tensor has it before the launch."""
    ufunc = {Atomic.ADD: np.add, Atomic.MAX: np.maximum, Atomic.MIN: np.minimum}[node.atomic]
    reduced = folded(node, ufunc, values, problem, 0 if node.atomic is Atomic.ADD else identity)
    return ufunc(reduced / np.maximum(terms_of(node, problem), 1) if node.mean else reduced, identity)


def repeated(node: Reduced, array: Any, tensors: Tensors) -> Any:
    """An array with the rows and columns of a reduction's tensor, repeated to (M, N)."""
    return tensors.spread(node.reduce.tensor, array)
