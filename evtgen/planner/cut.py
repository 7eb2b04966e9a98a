"""Where the emitted block epilogue cuts a sub-block into tiles.

Mirrors ``BlockEpilogue::operator()`` (block_epilogue_visitor.hpp); that both cut alike is tested on the CPU model.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..graph.types import BLOCK_BYTES, ElementType, mask
from ..nodes import Cast, Outputs, ScalarBroadcast, VisitorNode
from ..nodes.base import MAX_TILE_ROWS

MAX_TILE_COLUMNS = 2016
"""Columns of a tile at most (visitor_impl_base.hpp)."""

SPLIT_LENGTH = 4096
"""Elements of the tiles below which a sub-block is not split just to keep all buffers busy (visitor_impl_base.hpp)."""


def stride_align(nodes: Iterable[VisitorNode]) -> int:
    """Elements that the row stride of a tile is a multiple of: the most that a node asks for which works by rows."""
    return max(map(_alignment, nodes), default=1)


def tile_shape(rows: int, columns: int, length: int, buffers: int, align: int) -> tuple[int, int]:
    """Rows and columns of the tiles of a sub-block, the last of either may have fewer.

    As many whole rows as fit ``length`` elements, in tiles of about equal height; a row that is too long is split by
    columns; a few rows make as many tiles as there are buffers, unless they would be short.
    """
    width = min(columns, min(length, MAX_TILE_COLUMNS) // align * align)
    stride = -(-width // align) * align
    fewest = -(-rows // min(length // stride, MAX_TILE_ROWS))
    wanted = min(buffers, rows * stride // SPLIT_LENGTH)
    return -(-rows // max(fewest, wanted)), width


def _alignment(node: VisitorNode) -> int:
    if isinstance(node, (Cast, Outputs, ScalarBroadcast)):
        return 1
    element: ElementType = getattr(node, "T", node.element)
    return 1 if element == mask else BLOCK_BYTES // element.size
