"""The tiles of a problem: where the emitted block epilogue cuts C, and how a reduction adds within a tile.

Mirrors ``BlockEpilogue::operator()`` (block_epilogue_visitor.hpp) and the loops of reduce.hpp; that both cut alike is
tested on the CPU model.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..graph.types import BLOCK_BYTES, REPEAT_BYTES, ElementType, mask
from ..nodes import Cast, Outputs, ScalarBroadcast, VisitorNode
from ..nodes.base import MAX_TILE_ROWS
from ..planner.plan import Plan, node_of

MAX_TILE_COLUMNS = 2016
"""Columns of a tile at most (visitor_impl_base.hpp)."""

SPLIT_LENGTH = 4096
"""Elements of the tiles below which a sub-block is not split just to keep all buffers busy (visitor_impl_base.hpp)."""


class Tile(NamedTuple):
    """A rectangle of C that is visited at once."""

    rows: slice
    columns: slice


def tiles(plan: Plan, m: int, n: int) -> Iterator[Tile]:
    """The tiles of an M×N problem, those of one vector core next to each other."""
    align = max((_alignment(node_of(step)) for step in plan.steps), default=1)
    height, width, _ = plan.epilogue.gemm.l1
    for top in range(0, m, height):
        for left in range(0, n, width):
            bottom, right = min(top + height, m), min(left + width, n)
            share = _ceil_div(bottom - top, plan.arch.vector_cores)
            for first in range(top, bottom, share):
                part = Tile(slice(first, min(first + share, bottom)), slice(left, right))
                yield from _cut(part, plan.compute_length, plan.buffers, align)


def _cut(part: Tile, length: int, buffers: int, align: int) -> Iterator[Tile]:
    """One vector core's part of a block: as many whole rows as fit, in tiles of about equal height, and as many tiles
    as there are buffers unless they would be short."""
    first, last, left, right = part.rows.start, part.rows.stop, part.columns.start, part.columns.stop
    columns = min(right - left, min(length, MAX_TILE_COLUMNS) // align * align)
    stride = _ceil_div(columns, align) * align
    most = min(length // stride, MAX_TILE_ROWS)
    count = max(_ceil_div(last - first, most), min(buffers, (last - first) * stride // SPLIT_LENGTH))
    rows = _ceil_div(last - first, count)
    for row in range(first, last, rows):
        for column in range(left, right, columns):
            yield Tile(slice(row, min(row + rows, last)), slice(column, min(column + columns, right)))


def _alignment(node: VisitorNode) -> int:
    """Elements that the row stride of a tile is a multiple of, for a node that works by rows."""
    if isinstance(node, (Cast, Outputs, ScalarBroadcast)):
        return 1
    element: ElementType = getattr(node, "T", node.element)
    return 1 if element == mask else BLOCK_BYTES // element.size


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
    """The longest chain when columns are added (``ColumnReduction``): the lanes of each repeat by a binary tree
    (AscendC, WholeReduceSum), then the repeats' values by halves."""
    lanes = REPEAT_BYTES // element.size
    return (min(columns, lanes) - 1).bit_length() + halvings(_ceil_div(columns, lanes))


def depth(axis: tuple[int, ...], shape: tuple[int, ...], element: ElementType) -> int:
    """The longest chain of additions within a tile of ``shape`` of a reduction over ``axis``."""
    rows, columns = shape
    if axis == (0,):
        return halvings(rows)
    if axis == (1,):
        return across(columns, element)
    return across(columns, element) + across(rows, element)
