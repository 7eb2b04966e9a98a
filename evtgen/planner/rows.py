"""Whole rows: all phases of an epilogue in one visit of each row, where a row of C lies whole in a tile.

A reduction over columns is then complete in COMPUTE, so nothing crosses, and C is read once. Up to the columns of a
block a block has whole rows. Beyond that, a vector core takes rows of C from the workspace, which has the whole of it,
as soon as all their blocks are stored. N is not known here: the header has both ways, and the host takes this one
where a row fits. It is there if it takes no more time than the phases, by the formula of :mod:`.buffering`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..graph.ir import Epilogue, Gemm, Step, consumers, flatten
from ..graph.shapes import Columns
from ..kernels import kernel_of
from ..nodes import AuxScatter, ColReduced, Reduce, Reduced, TopK, VisitorNode, node_of
from ..passes.analysis.columns import columned
from ..passes.analysis.gemm import block_shape
from ..targets import Architecture
from .buffering import Taken
from .cut import SPLIT_LENGTH, cuts, grain
from .handoff import Placed, placed
from .parts import MAX_WHOLE_COLUMNS

BUFFERS = 2
"""Tiles in flight, if the user does not say: rows are long, and two of them hide what a tile waits for."""

COLUMNS = 4096
"""Of the rows for which the time is compared."""


def whole_rows(epilogue: Epilogue, gemm: Gemm, arch: Architecture) -> tuple[Epilogue, Placed] | None:
    """An epilogue with phases as a graph of whole rows, and its way; None if it cannot be one. ``gemm`` is chosen."""
    if not can_be_rows(epilogue, gemm):
        return None
    buffers = BUFFERS if isinstance(epilogue.buffers, str) else epilogue.buffers
    own = replace(epilogue, gemm=gemm, buffers=buffers)
    way = placed(own, arch)
    return (own, way) if way.fits and way.tiles.length >= block_shape(gemm)[1] else None


def in_rows(epilogue: Epilogue, arch: Architecture) -> tuple[Epilogue, Placed]:
    """An epilogue that has no other way, as a graph of whole rows, and its way."""
    gemm = replace(epilogue.gemm, handoff="gm", workspace_stages=epilogue.gemm.workspace_stages or 0)
    buffers = BUFFERS if isinstance(epilogue.buffers, str) else epilogue.buffers
    own = replace(epilogue, gemm=gemm, buffers=buffers)
    return own, placed(own, arch)


def needs_rows(steps: Iterable[Step]) -> bool:
    """Whether a graph has no phases in place of whole rows: it takes the largest of a row."""
    return any(isinstance(step.node, TopK) for step in steps)


def takes_long_rows(steps: Iterable[Step]) -> bool:
    """Whether such a graph may have several tiles of a row."""
    return any(isinstance(step.node, TopK) and step.node.long for step in steps)


def most_columns(nodes: Iterable[VisitorNode], length: int) -> int:
    """Of a graph that needs whole rows, the longest row that a tile of ``length`` elements has."""
    align = grain(nodes).columns
    return min(length, MAX_WHOLE_COLUMNS) // align * align


def taken_by_rows(way: Placed, arch: Architecture) -> Taken:
    """What whole rows of :data:`COLUMNS` take, or of as many as fit a tile."""
    work, tile = way.tiles.work, way.tiles.length // COLUMNS * COLUMNS or way.tiles.length
    moved = work.accumulator + work.loaded + work.stored
    return Taken(moved, work.start / tile + work.compute, work.cycles(tile, way.tiles.ub.buffers, arch) / tile)


def takes_rows(align: int, length: int, columns: int) -> bool:
    """Whether the kernel takes rows of so many columns from the workspace, in tiles of at most ``length`` elements: a
    row, which takes a multiple of ``align``, fits a tile, and tiles are not short (``FitsRows`` of
    block_epilogue_visitor.hpp)."""
    stride = -(-columns // align) * align
    return stride <= min(length, MAX_WHOLE_COLUMNS) and length // stride * stride >= SPLIT_LENGTH


def can_be_rows(epilogue: Epilogue, gemm: Gemm) -> bool:
    """Whether all reductions that are used again are over columns, and nothing else asks for other tiles."""
    nodes = [node_of(step) for step in flatten(epilogue.root)]
    others = (node for node in nodes if isinstance(node, Reduced) and not isinstance(node, ColReduced))
    joined = (node for node in nodes if isinstance(node, Reduce) and (epilogue.deterministic or 0 in node.axis))
    added = (node for node in nodes if isinstance(node, AuxScatter) and node.add and epilogue.deterministic)
    if any((*others, *joined, *added)) or not _has_whole_parts(flatten(epilogue.root)):
        return False
    return grain(nodes).rows == 1 and not kernel_of(gemm).adds


def _has_whole_parts(steps: Sequence[Step]) -> bool:
    """Whether a tile of a part of the rows has all that is reduced of it, and nothing else reads the result."""
    found, readers = columned(steps), consumers(steps)
    edges = cuts(map(node_of, steps))

    def is_within(index: int, columns: Columns) -> bool:
        """Whether all that reads a column is of these columns."""
        return all(
            is_within(reader, columns) if found.is_column[reader] else found.of[reader] == columns
            for reader in readers[index]
        )

    for index, step in enumerate(steps):
        if isinstance(step.node, ColReduced):
            columns = step.node.columns
            end = edges[-1] + 1 if columns.stop is None and edges else columns.stop or 0
            if any(columns.start < edge < end for edge in edges) or (edges and not is_within(index, columns)):
                return False
    return True
