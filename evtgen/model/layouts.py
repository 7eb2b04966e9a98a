"""Matrices as they lie in global memory: Catlass's layouts, with a leading dimension larger than the row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..graph.shapes import GEMM_A, GEMM_B, GEMM_B2, GEMM_GROUPS, WEIGHT_INDEX, Problem, TensorShape
from ..graph.types import ElementType, Layout
from ..kernels.groups import COUNTS
from ..operators.arrays import Array, dtype
from ..planner.plan import Plan

FRACTAL_ROWS = 16
"""Blocks of 32 bytes in a fractal (Catlass, ``C0_NUM_PER_FRACTAL``)."""

UNTOUCHED = 0xA5
"""The byte that fills gaps; the CPU model fills unwritten memory with the same one."""


class Place(NamedTuple):
    """How a tensor lies, in elements.

    Attributes:
        lines: from one row to the next, or from one column of a matrix that is ColumnMajor.
        parts: from the part of one matmul to that of the next; 0 where there is one part, or all share it.
        by_rows: elements of a row are neighbours, else those of a column.
    """

    lines: int
    parts: int
    by_rows: bool

    def span(self, parts: int, rows: int, columns: int) -> int:
        """The elements from the first of so many matrices to the last."""
        lines, length = (rows, columns) if self.by_rows else (columns, rows)
        return (parts - 1) * self.parts + (lines - 1) * self.lines + length

    def stored(self, matrices: Array) -> Array:
        """Matrices, (parts, rows, columns), as they lie: one axis, all gaps filled with :data:`UNTOUCHED`."""
        size = matrices.itemsize
        memory = np.full(self.span(*matrices.shape) * size, UNTOUCHED, np.uint8).view(matrices.dtype)
        by_rows = matrices if self.by_rows else matrices.swapaxes(1, 2)
        as_strided(memory, by_rows.shape, (self.parts * size, self.lines * size, size))[...] = by_rows
        return memory


def stored(array: Array, element: ElementType, layout: Layout, pad: int = 0) -> Array:
    """A matrix (rows, columns) as it lies in memory: one axis, all gaps filled with :data:`UNTOUCHED`.

    Rows, or columns of ``ColumnMajor``, are ``pad`` elements apart. A fractal matrix is filled up to whole fractals;
    there ``pad`` counts rows of ``zN``, or columns of ``nZ``, and is rounded up with them.
    """
    by_rows = array if layout.by_rows else array.T
    if layout.fractal:
        return _blocks(by_rows, element, pad).ravel()
    return _filled(by_rows, by_rows.shape[0], by_rows.shape[1] + pad, element).ravel()


def matrices(plan: Plan, problem: Problem, name: str) -> int:
    """How many matrices an operand is: one, or those of the matmuls."""
    return problem.parts(name) if name in plan.kernel.strides else 1


def between(plan: Plan, problem: Problem, name: str, pad: int) -> int:
    """How many elements lie behind each matrix of an operand of which every matmul has its own: ``pad``, or as many
    blocks of a fractal one."""
    if name not in plan.kernel.strides or name in problem.shared:
        return 0
    number = (GEMM_A, GEMM_B).index(name)
    element, layout = plan.operands[number], (plan.gemm.layout_a, plan.gemm.layout_b)[number]
    return pad * (element.per_block if layout.fractal else 1)


def elements(rows: int, columns: int, element: ElementType, layout: Layout, pad: int = 0) -> int:
    """How many elements :func:`stored` has for a matrix of (rows, columns)."""
    outer, inner = (rows, columns) if layout.by_rows else (columns, rows)
    if not layout.fractal:
        return outer * (inner + pad)
    block = element.per_block
    return _up(outer + pad, FRACTAL_ROWS) * _up(inner, block)


def each_b(plan: Plan, b: Array) -> dict[str, Array]:
    """The matrices that the columns of B are in, by their names."""
    if plan.gemm.accumulators == "separate":
        return dict(zip((GEMM_B, GEMM_B2), np.split(b, 2, axis=1), strict=True))
    return {GEMM_B: b}


def lists(plan: Plan, problem: Problem) -> Iterator[tuple[str, Array]]:
    """What a launch finds its matmuls by, by name: the list of groups, and of the B that each takes."""
    if plan.kernel.several == "groups":
        sizes = np.array(plan.kernel.matmuls(problem).groups, np.int64)
        numbers = sizes if plan.gemm.group_list == COUNTS else np.cumsum(sizes)
        yield GEMM_GROUPS, numbers.astype(plan.gemm.group_type.numpy)
    if problem.weights is not None:
        yield WEIGHT_INDEX, np.array(problem.weights, plan.gemm.group_type.numpy)


def operand_bytes(plan: Plan, problem: Problem, pad: int) -> int:
    """The bytes of A and B as they lie in memory."""
    a, b = plan.operands
    rows, parts = problem.size(GEMM_A, TensorShape.COLUMN)[0], problem.size(GEMM_B, TensorShape.ROW)[0]
    of_a, of_b = matrices(plan, problem, GEMM_A), matrices(plan, problem, GEMM_B)
    count_a = of_a * elements(rows // max(1, of_a) + problem.room, problem.k, a, plan.gemm.layout_a, pad)
    separate = plan.gemm.accumulators == "separate"
    columns = problem.n if separate else problem.n * plan.accumulators
    count_b = of_b * elements(parts * problem.k // max(1, of_b), columns, b, plan.gemm.layout_b, pad)
    count_a += of_a * between(plan, problem, GEMM_A, pad)
    count_b += of_b * between(plan, problem, GEMM_B, pad)
    return a.bytes(count_a) + b.bytes(count_b) * (2 if separate else 1)


def with_gaps(values: Array, parts: int, gap: int) -> Array:
    """The values with ``gap`` elements behind each of their parts, filled with :data:`UNTOUCHED`; one axis."""
    rows = values.reshape(parts, values.size // max(parts, 1))
    behind = np.full((parts, gap * values.itemsize), UNTOUCHED, np.uint8).view(values.dtype)
    return np.hstack([rows, behind]).ravel() if gap else values


def _blocks(array: Array, element: ElementType, pad: int) -> Array:
    """A matrix as zN: (columns of blocks, rows, elements of a block)."""
    block = element.per_block
    rows, columns = array.shape
    whole = _filled(array, _up(rows + pad, FRACTAL_ROWS), _up(columns, block), element)
    made: Array = whole.reshape(whole.shape[0], -1, block).transpose(1, 0, 2)
    return made


def _filled(array: Array, rows: int, columns: int, element: ElementType) -> Array:
    """The array in the corner of a larger one."""
    filled = np.full((rows, columns * element.size), UNTOUCHED, np.uint8).view(dtype(element))
    filled[: array.shape[0], : array.shape[1]] = array
    return filled


def _up(value: int, step: int) -> int:
    return -(-value // step) * step
