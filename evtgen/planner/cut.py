"""Where the emitted block epilogue cuts a sub-block into tiles.

Mirrors ``BlockEpilogue::operator()`` (block_epilogue_visitor.hpp); that both cut alike is tested on the CPU model.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..nodes import ResidentAccLoad, VisitorNode
from .parts import MAX_TILE_COLUMNS, MAX_TILE_ROWS, row_align, stride_align

SPLIT_LENGTH = 4096
"""Elements of the tiles below which a sub-block is not split just to keep all buffers busy (visitor_impl_base.hpp)."""


class Grain(NamedTuple):
    """What the nodes of an epilogue ask of the shape of a tile.

    Attributes:
        columns: elements that the row stride is a multiple of: the most that a node asks for which works by rows.
        rows: rows that come together: the most that a node asks for.
        tall: whether tiles have all rows and some of the columns.
    """

    columns: int = 1
    rows: int = 1
    tall: bool = False

    def shortest(self, columns: int) -> int:
        """Elements of the shortest tile of a sub-block of so many columns: where rows that come together cannot be
        split, they are whole."""
        return 0 if self.rows == 1 or self.tall else self.rows * _rounded(columns, self.columns)


def grain(nodes: Iterable[VisitorNode]) -> Grain:
    """What these nodes ask of the shape of a tile. One that writes columns asks for long ones, unless rows must be as
    long as those of the accumulator in UB."""
    nodes = list(nodes)
    rows = max(map(row_align, nodes), default=1)
    resident = any(isinstance(node, ResidentAccLoad) for node in nodes)
    return Grain(max(map(stride_align, nodes), default=1), rows, rows > 1 and not resident)


def cuts(nodes: Iterable[VisitorNode]) -> list[int]:
    """The columns at which parts of rows begin or end: no tile has columns on both sides of one."""
    parts = [node.columns for node in nodes if not node.columns.sorted]
    ends = {edge for columns in parts for edge in (columns.start, columns.stop) if edge}
    return sorted(ends)


def tile_shape(rows: int, columns: int, length: int, buffers: int, grain: Grain) -> tuple[int, int]:
    """Rows and columns of the tiles of a sub-block, the last of either may have fewer.

    As many whole rows as fit ``length`` elements, in tiles of about equal height; a row that is too long is split by
    columns; a few rows make as many tiles as there are buffers, unless they would be short. Of tall tiles the same
    holds with rows and columns exchanged.
    """
    if grain.tall:
        height = min(rows, min(length // grain.columns, MAX_TILE_ROWS) // grain.rows * grain.rows)
        padded = _rounded(height, grain.rows)
        return height, _split(columns, min(length // padded, MAX_TILE_COLUMNS), padded, buffers, grain.columns)
    width = min(columns, min(length // grain.rows, MAX_TILE_COLUMNS) // grain.columns * grain.columns)
    stride = _rounded(width, grain.columns)
    return _split(rows, min(length // stride, MAX_TILE_ROWS), stride, buffers, grain.rows), width


def _split(extent: int, most: int, other: int, buffers: int, align: int) -> int:
    """Into what an extent of a sub-block is split, of which ``most`` at most fit a tile with ``other`` of the other."""
    fewest = -(-extent // (most // align * align))
    wanted = min(buffers, extent * other // SPLIT_LENGTH)
    return _rounded(-(-extent // max(fewest, wanted)), align)


def _rounded(extent: int, align: int) -> int:
    return -(-extent // align) * align
