"""How a node works on a tile: what the plan rests on, by the node's kind.

Everything here says in Python what the node's template says in C++, by the same name; a test compares the two for every
kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..graph.shapes import TensorShape
from ..graph.types import BANK_PERIOD, BLOCK_BYTES, REPEAT_BYTES, ElementType, float32, mask
from ..nodes import (
    MOST_OF_A_ROW,
    AccDigits,
    AccLoad,
    Alternate,
    AuxGather,
    AuxLoad,
    AuxStore,
    Band,
    BlockBroadcast,
    BlockReduced,
    Broadcast,
    Cast,
    ColBroadcast,
    ColIndex,
    ColReduce,
    ColReduced,
    Compute,
    DecodeFloat8,
    HeadBroadcast,
    Outputs,
    Part,
    Position,
    Reduce,
    Reducing,
    ResidentAccLoad,
    Rotate,
    RowBroadcast,
    RowReduce,
    ScalarBroadcast,
    ScalarReduce,
    Store,
    TopK,
    TopKResult,
    VisitorNode,
    WideStore,
)
from ..nodes.base import of_kind
from ..passes.analysis.gemm import DIGITS

MAX_TILE_COLUMNS = 2016
"""Columns of a tile at most (visitor_impl_base.hpp)."""

MAX_WHOLE_COLUMNS = 8192
"""The same where nodes need whole rows."""

MAX_TILE_ROWS = 240
"""The most rows of a tile: a vector instruction repeats up to 255 times, and the rows fill whole blocks of any type."""

TRANSPOSED = 16
"""Data blocks of as many lines that one instruction transposes (AscendC API reference, TransDataTo5HD)."""

OFFSETS = 1024
"""Elements whose partners one Gather takes (visitor_rotate.hpp)."""

ALL_INPUTS = 0xFFFFFFFF
"""Of :attr:`Traits.in_place`: any input."""


@dataclass(frozen=True)
class Traits:
    """When a node reads and writes tiles; ``visitor_impl_base.hpp`` has the same by the same names.

    Attributes:
        loaded: LOAD fills the tile that the node returns.
        pending: V fills it, in COMPUTE.
        forwards: the node returns its first input.
        reads_in_compute, reads_in_store: the stages in which it reads its inputs.
        has_barrier: its COMPUTE issues a barrier of V.
        kept: the tile is filled before the first tile of all, and nothing else ever takes its place.
        in_place: bit i is set if its tile may be that of input i, wherever nothing else reads that any more.
    """

    loaded: bool = False
    pending: bool = False
    forwards: bool = False
    reads_in_compute: bool = False
    reads_in_store: bool = False
    has_barrier: bool = False
    kept: bool = False
    in_place: int = 0


@dataclass(frozen=True)
class UbParts:
    """Bytes of UB that a node needs in each buffer, by how long it needs them; or where each of these begins.

    ``UbParts`` of the framework's ``visitor_impl_base.hpp`` is the same.

    Attributes:
        tile: the output, until its last reader is done; from LOAD on where the node loads it, else from its COMPUTE on.
        loaded: what LOAD copies for the node's own COMPUTE.
        scratch: for the node's own COMPUTE alone.
        stored: what the node's COMPUTE makes for its STORE.
    """

    tile: int = 0
    loaded: int = 0
    scratch: int = 0
    stored: int = 0

    def __iter__(self) -> Iterator[int]:
        return iter((self.tile, self.loaded, self.scratch, self.stored))


def traits_of(node: VisitorNode) -> Traits:
    """When a node reads and writes tiles."""
    traits = of_kind(_TRAITS, node)(node)
    if isinstance(node, Compute) and node.reads:
        tiles = sum(1 << i for i, shape in enumerate(node.reads) if shape is TensorShape.MATRIX)
        return replace(traits, has_barrier=TensorShape.COLUMN in node.reads, in_place=tiles)
    if node.vector is None or not isinstance(node, (Compute, Cast)):
        return traits
    moves = node.vector.spreads and node.vector.shape is TensorShape.COLUMN
    return replace(
        traits,
        has_barrier=traits.has_barrier or node.vector.spreads,
        in_place=0 if moves else traits.in_place,
    )


def ub_parts(node: VisitorNode, length: int) -> UbParts:
    """Bytes of UB of one buffer for tiles of up to ``length`` elements of C."""
    length //= _halves(node)
    vector = node.vector
    if vector is None or isinstance(node, (Store, ColReduced)):
        return of_kind(_PARTS, node)(node, length)
    most = MAX_TILE_COLUMNS if vector.shape is TensorShape.ROW else MAX_TILE_ROWS
    short = _shortened(most, length)
    if isinstance(node, Broadcast):
        return UbParts(tile=short * node.T.size)
    parts = of_kind(_PARTS, node)(node, short)
    if not vector.spreads:
        return parts
    if vector.shape is TensorShape.ROW:
        return replace(parts, tile=length * node.element.size)
    # The column lies in scratch, before the data blocks of the last few rows.
    return UbParts(tile=length * node.element.size, scratch=parts.scratch + parts.tile + _last_blocks(node.element))


def _halves(node: VisitorNode) -> int:
    """How many elements of a tile of C come on one of its own."""
    return 1 if isinstance(node, Alternate) else node.columns.step


def stride_align(node: VisitorNode) -> int:
    """Elements that the row stride of a tile of C is a multiple of, as a node asks for which works by rows."""
    if isinstance(node, Alternate):
        return 2 * node.T.per_block
    return _own_align(node) * _halves(node)


def _own_align(node: VisitorNode) -> int:
    if isinstance(node, AuxLoad) and node.transposes:
        return _transposed_lines(node.T)
    element: ElementType = getattr(node, "T", node.element)
    align = element.per_block if node.by_rows and element != mask else 1
    spreads = node.vector is not None and node.vector.spreads
    return max(node.ends, align, node.element.per_block if spreads else 1)


def row_align(node: VisitorNode) -> int:
    """Rows of which a tile has a multiple, though the last few may not be there."""
    if isinstance(node, AuxLoad) and node.transposes:
        return node.T.per_block
    return _transposed_lines(node.T) if isinstance(node, AuxStore) and node.transposes else 1


def granule(nodes: Iterable[VisitorNode]) -> int:
    """The number of elements of which a compute length must be a multiple, for all nodes: tiles of any type then end on
    a data block."""
    return max(map(_granule, nodes), default=BLOCK_BYTES)


def _granule(node: VisitorNode) -> int:
    return _halves(node) * _own_granule(node) if not isinstance(node, Alternate) else 2 * BLOCK_BYTES


def _own_granule(node: VisitorNode) -> int:
    if isinstance(node, Compute) and any(call == "Compare" for call, _ in node.calls()):
        return REPEAT_BYTES // node.T.size  # Compare takes whole repeats (AscendC, Compare).
    # So many rows, each of a data block of the smallest elements.
    return row_align(node) * BLOCK_BYTES * (node.T.packed if isinstance(node, AuxLoad | AuxStore) else 1)


def scratch_step(tile: int) -> int:
    """Bytes from one tile of scratch to the next, for tiles of so many bytes: neighbours start in different halves of
    the groups of banks, 256 bytes apart modulo 512 (AscendC's guide, bank conflicts of architecture 2201)."""
    return -(-tile // BANK_PERIOD) * BANK_PERIOD + REPEAT_BYTES


def _transposed_lines(T: ElementType) -> int:
    """Lines of elements, rows or columns, that transposed fill whole data blocks (``Transposition`` of
    transpose.hpp)."""
    return max(TRANSPOSED, T.per_block)


def _of_column(node: ColBroadcast) -> Traits:
    if node.vector is not None:
        return Traits(loaded=True, pending=node.null_default is not None)
    # A null pointer's COMPUTE has no barrier.
    return Traits(pending=True, has_barrier=node.null_default is None)


def _of_compute(node: Compute) -> Traits:
    operator = node.operator
    if operator is None:
        return Traits(pending=True, reads_in_compute=True)
    barrier, in_place = node.casts or any(operator.barriers()), ALL_INPUTS if node.casts else operator.in_place
    return Traits(pending=True, reads_in_compute=True, has_barrier=barrier, in_place=in_place)


_TRAITS: dict[type[VisitorNode], Callable[[Any], Traits]] = {
    AccLoad: lambda node: Traits(loaded=True),
    AccDigits: lambda node: Traits(loaded=True, pending=True, has_barrier=True),
    ResidentAccLoad: lambda node: Traits(),
    AuxLoad: lambda node: Traits(
        loaded=not node.transposes, pending=node.transposes or node.null_default is not None
    ),
    AuxGather: lambda node: Traits(loaded=True, pending=True),
    RowBroadcast: lambda node: Traits(loaded=True, pending=node.vector is None or node.null_default is not None),
    ColBroadcast: _of_column,
    ScalarBroadcast: lambda node: Traits(kept=True),
    Position: lambda node: Traits(pending=True),
    ColIndex: lambda node: Traits(pending=True, has_barrier=True),
    Compute: _of_compute,
    Band: lambda node: Traits(pending=True, reads_in_compute=True, in_place=1),
    Cast: lambda node: Traits(
        forwards=node.to == node.from_,
        pending=node.to != node.from_,
        reads_in_compute=node.to != node.from_,
        has_barrier=node.shifts,
    ),
    Part: lambda node: Traits(forwards=True),
    Alternate: lambda node: Traits(pending=True, reads_in_compute=True),
    TopK: lambda node: Traits(pending=True, reads_in_compute=True, has_barrier=True, kept=node.long),
    TopKResult: lambda node: Traits(pending=True, reads_in_compute=True),
    Store: lambda node: Traits(forwards=True, reads_in_store=True),
    AuxStore: lambda node: Traits(
        forwards=True, reads_in_compute=node.transposes, reads_in_store=not node.transposes
    ),
    WideStore: lambda node: Traits(forwards=True, reads_in_compute=True, reads_in_store=True),
    Reduce: lambda node: Traits(forwards=True, reads_in_compute=True),
    # A tile of one row is its own reduction; a mean is scaled elsewhere.
    RowReduce: lambda node: Traits(forwards=True, reads_in_compute=True, reads_in_store=not node.mean),
    ScalarReduce: lambda node: Traits(forwards=True, reads_in_compute=True, has_barrier=True),
    ColReduced: lambda node: Traits(pending=True, reads_in_compute=True, has_barrier=node.vector is None),
    BlockReduced: lambda node: Traits(pending=True, reads_in_compute=True, has_barrier=True),
    HeadBroadcast: lambda node: Traits(loaded=True),
    BlockBroadcast: lambda node: Traits(loaded=node.block[1] == 1, pending=True),
    DecodeFloat8: lambda node: Traits(
        pending=True, reads_in_compute=True, has_barrier=node.exponent_bits == 4, in_place=1
    ),
    Rotate: lambda node: Traits(pending=True, reads_in_compute=True, has_barrier=node.interleaved),
    Outputs: lambda node: Traits(),
}  # fmt: skip


def _tile(node: VisitorNode, length: int) -> UbParts:
    return UbParts(tile=length * node.element.size)


def _nothing(node: VisitorNode, length: int) -> UbParts:
    return UbParts()


def _load(node: AuxLoad, length: int) -> UbParts:
    tile = node.T.bytes(length)
    return UbParts(tile=tile, loaded=tile if node.transposes else 0)


def _column(node: ColBroadcast, length: int) -> UbParts:
    # The tile, the values of its rows, and a data block for each of the last few rows.
    return UbParts(length * node.T.size, loaded=MAX_TILE_ROWS * node.T.size, scratch=_last_blocks(node.T))


def _blocks(node: BlockBroadcast, length: int) -> UbParts:
    tile = length * node.T.size
    if not node.spreads_columns:
        return UbParts(tile)
    # A column of values for each column of blocks (``LoadedLength`` of visitor_block_broadcast.hpp).
    columns, block = node.block[1], BLOCK_BYTES // node.T.size
    values = length // columns + 2 * MAX_TILE_ROWS + block * (MAX_TILE_COLUMNS // columns + 2)
    return UbParts(tile, loaded=-(-values // block) * BLOCK_BYTES, scratch=_last_blocks(node.T))


def _shortened(most: int, length: int) -> int:
    """Elements of a vector's tile, which has at most so many values (``VectorLength`` of broadcast.hpp)."""
    return min(-(-most // REPEAT_BYTES) * REPEAT_BYTES, length)


def _last_blocks(element: ElementType) -> int:
    return element.per_block * BLOCK_BYTES


def _compute(node: Compute, length: int) -> UbParts:
    masks = -(-length // (8 * BLOCK_BYTES)) * BLOCK_BYTES
    tile = masks if node.element == mask else length * node.T.size
    if node.operator is None:
        return UbParts(tile=tile)
    if TensorShape.COLUMN in node.reads:
        # A data block for each row (``VisitorByRepeats``).
        return UbParts(tile=tile, scratch=_shortened(MAX_TILE_ROWS, length) * BLOCK_BYTES)
    step = scratch_step(length * node.element_constant.size)
    return UbParts(tile=tile, scratch=node.operator.scratch_tiles(node.T) * step)


def _cast(node: Cast, length: int) -> UbParts:
    # The bits of float32 that are shifted.
    if node.to == node.from_:
        return UbParts()
    return UbParts(node.to.bytes(length), scratch=length * float32.size if node.shifts else 0)


def _row_reduce(node: RowReduce, length: int) -> UbParts:
    # Half a tile: the first halving of the rows leaves the input as it is and writes here; one row needs none, but for
    # a mean, which is scaled here.
    return UbParts(stored=(length if node.mean else length // 2) * node.T.size)


def _col_reduced(node: ColReduced, length: int) -> UbParts:
    if node.vector is not None:
        return UbParts(tile=_rows(node), scratch=_folds(node, length))
    return UbParts(length * node.T.size, scratch=_folds(node, length) + _rows(node) + _last_blocks(node.T))


def _block_reduced(node: BlockReduced, length: int) -> UbParts:
    # Blocks of two repeats are folded.
    folds = _folds(node, length) if node.block * node.T.size > REPEAT_BYTES else 0
    return UbParts(length * node.T.size, scratch=folds + _rows(node) + _last_blocks(node.T))


def _folds(node: Reduce | Reducing, length: int) -> int:
    """Bytes in which the repeats of a row are joined, half of them at once."""
    return length // 2 * node.T.size


def _sorted(node: TopK, length: int) -> int:
    """Bytes of a value and a column for each element, in long rows of a list before them, and as many as lie before the
    next address for a Sort32."""
    return 8 * (length + node.long * MOST_OF_A_ROW) + REPEAT_BYTES


def _rows(node: Reduce | Reducing) -> int:
    """Bytes for the values of the rows, two for each (``ColumnReduction`` of reduce.hpp)."""
    return 2 * MAX_TILE_ROWS * node.T.size


_PARTS: dict[type[VisitorNode], Callable[[Any, int], UbParts]] = {
    AccLoad: _tile,
    AccDigits: lambda node, length: UbParts(length * node.T.size, loaded=(DIGITS - 1) * length * node.T.size),
    ResidentAccLoad: _nothing,
    AuxLoad: _load,
    AuxGather: _tile,
    Broadcast: _tile,
    ColBroadcast: _column,
    HeadBroadcast: _tile,
    BlockBroadcast: _blocks,
    DecodeFloat8: lambda node, length: UbParts(
        length * 2, scratch=2 * REPEAT_BYTES + length * 2 if node.exponent_bits == 4 else 0
    ),
    Rotate: lambda node, length: UbParts(length * node.T.size, scratch=OFFSETS * 4 if node.interleaved else 0),
    Position: _tile,
    Compute: _compute,
    Band: _tile,
    Cast: _cast,
    Store: _nothing,
    AuxStore: lambda node, length: UbParts(stored=length * node.T.size if node.transposes else 0),
    WideStore: lambda node, length: UbParts(stored=(length + node.length) * node.T.size),
    RowReduce: _row_reduce,
    ColReduce: lambda node, length: UbParts(scratch=_folds(node, length), stored=_rows(node)),
    ColReduced: _col_reduced,
    BlockReduced: _block_reduced,
    # Up to four data blocks, in which the rows' values are reduced.
    ScalarReduce: lambda node, length: UbParts(scratch=_rows(node) + _folds(node, length), stored=4 * BLOCK_BYTES),
    Outputs: _nothing,
    Part: _nothing,
    Alternate: lambda node, length: UbParts(tile=length // 2 * node.T.size),
    TopK: lambda node, length: UbParts(tile=_sorted(node, length), scratch=_sorted(node, length)),
    TopKResult: _tile,
}
