"""The tiles of a problem: where the emitted block epilogue cuts C, and how a reduction adds within a tile.

Mirrors ``BlockEpilogue::operator()`` (block_epilogue_visitor.hpp) and the loops of reduce.hpp; that both cut alike is
tested on the CPU model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ..graph.shapes import WHOLE, Columns, Problem
from ..graph.types import REPEAT_BYTES, ElementType
from ..nodes import ColReduced, TopK, node_of
from ..passes.analysis.gemm import block_shape
from ..planner.cut import Grain, cuts, grain, tile_shape
from ..planner.plan import Plan
from ..planner.rows import most_columns


class Tile(NamedTuple):
    """A rectangle of C that is visited at once."""

    rows: slice
    columns: slice


def tiles(plan: Plan, m: int, n: int) -> Iterator[Tile]:
    """The tiles of an M×N problem, those of one vector core next to each other."""
    cut = grain(map(node_of, plan.steps))
    edges = cuts(map(node_of, plan.steps))
    height, width = block_shape(plan.gemm)
    for top in range(0, m, height):
        for left in range(0, n, width):
            bottom, right = min(top + height, m), min(left + width, n)
            share = _ceil_div(bottom - top, plan.arch.vector_cores)
            for first in range(top, bottom, share):
                inner = [left, *(edge for edge in edges if left < edge < right), right]
                for begin, end in pairwise(inner):
                    part = Tile(slice(first, min(first + share, bottom)), slice(begin, end))
                    yield from _cut(part, plan.compute_length, plan.buffers, cut)


def tiles_of_each(plan: Plan, problem: Problem) -> Iterator[tuple[int, Tile]]:
    """The tiles of all matmuls of a problem, among the rows of all, each with the index of its matmul: no tile is of
    two. Of whole rows, the rows of a matmul stand for its tiles: only long ones are split, and nothing reduces rows."""
    nodes = [node_of(step) for step in plan.steps]
    if any(isinstance(node, ColReduced | TopK) for node in nodes):
        width = most_columns(nodes, plan.compute_length)
        for index, rows in enumerate(problem.segments()):
            for column in range(0, problem.n, width) if rows.stop > rows.start else ():
                yield index, Tile(rows, slice(column, min(column + width, problem.n)))
        return
    for index, rows in enumerate(problem.segments()):
        for tile in tiles(plan, problem.rows[index], problem.n):
            yield index, Tile(slice(rows.start + tile.rows.start, rows.start + tile.rows.stop), tile.columns)


def within(tiling: Sequence[tuple[int, Tile]] | None, columns: Columns) -> Sequence[tuple[int, Tile]] | None:
    """The tiles in which a part of the columns lies, by the numbers of its own columns. Each lies in it, or beside."""
    if tiling is None or columns == WHOLE:
        return tiling
    found = []
    for index, tile in tiling:
        begin, end = (len(range(columns.start, edge, columns.step)) for edge in (tile.columns.start, tile.columns.stop))
        if columns.stop is not None:
            most = len(columns.of(0))
            begin, end = min(begin, most), min(end, most)
        if begin < end:
            found.append((index, Tile(tile.rows, slice(begin, end))))
    return found


def _cut(part: Tile, length: int, buffers: int, cut: Grain) -> Iterator[Tile]:
    """The tiles of a sub-block."""
    first, last, left, right = part.rows.start, part.rows.stop, part.columns.start, part.columns.stop
    rows, columns = tile_shape(last - first, right - left, length, buffers, cut)
    for row in range(first, last, rows):
        for column in range(left, right, columns):
            yield Tile(slice(row, min(row + rows, last)), slice(column, min(column + columns, right)))


def _ceil_div(a: int, b: int) -> int:
    return -(-a // b)


def halvings(rows: int) -> int:
    """The longest chain of additions when rows are added by halves (``ReduceRows``): an odd last row is one more."""
    depth = 0
    while rows > 1:
        depth += 1 + rows % 2
        rows //= 2
    return depth


def across(columns: int, element: ElementType) -> int:
    """The longest chain when columns are added (``ColumnReduction``): neighbouring repeats, one or two that are left,
    and the pairs by a binary tree; then the lanes of a repeat by another (AscendC, WholeReduceSum)."""
    lanes = REPEAT_BYTES // element.size
    pairs, left = divmod(columns, 2 * lanes)
    if pairs == 0:
        return unfolded(columns, element)
    return 1 + _ceil_div(left, lanes) + (pairs - 1).bit_length() + (lanes - 1).bit_length()


def unfolded(columns: int, element: ElementType) -> int:
    """The same of a few columns: the lanes of each repeat by a tree, then the repeats' values by halves."""
    lanes = REPEAT_BYTES // element.size
    return (min(columns, lanes) - 1).bit_length() + halvings(_ceil_div(columns, lanes))


def depth(axis: tuple[int, ...], shape: tuple[int, ...], element: ElementType) -> int:
    """The longest chain of additions within a tile of ``shape`` of a reduction over ``axis``."""
    rows, columns = shape
    if axis == (0,):
        return halvings(rows)
    if axis == (1,):
        return across(columns, element)
    return across(columns, element) + unfolded(rows, element)
