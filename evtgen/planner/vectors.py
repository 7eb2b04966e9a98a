"""Vectors stay vectors: what depends on the row or on the column alone is computed once for each, and then broadcast.

Each value has an extent: its rows and columns. An operator or a cast of row vectors works on one row of a tile, one of
column vectors on the values of the tile's rows. An operator of two tiles that is one call reads a vector where it lies.
Only if another node reads the whole tile is it filled. A filled tile of a row vector still has the vector in its first
row, and other vectors are computed from that; a column vector is either packed or spread. Single values have tiles of
their own, in which every row, every column and the whole are alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..graph.ir import Step, visit_order
from ..graph.shapes import TensorShape
from ..graph.types import mask
from ..nodes import (
    Alternate,
    Band,
    BlockReduced,
    BlockStore,
    Broadcast,
    Cast,
    ColIndex,
    ColReduced,
    ColStore,
    Compute,
    Part,
    Reduced,
    Rotate,
    RowIndex,
    RowStore,
    TopK,
    Vector,
    VisitorNode,
    node_of,
)
from ..targets import Architecture

_VECTORS = (TensorShape.ROW, TensorShape.COLUMN)
_TILES = (TensorShape.MATRIX, TensorShape.MATRIX)


def extents(steps: Sequence[Step]) -> tuple[TensorShape, ...]:
    """The extent of each value of an acyclic graph: of how many rows and columns it has values of its own."""
    found = [TensorShape.MATRIX] * len(steps)
    for index in visit_order([step.inputs for step in steps]):
        found[index] = _extent(node_of(steps[index]), [found[i] for i in steps[index].inputs])
    return tuple(found)


def _extent(node: VisitorNode, inputs: Sequence[TensorShape]) -> TensorShape:
    if isinstance(node, (Broadcast, Reduced)):
        return node.shape
    if isinstance(node, RowIndex):
        return TensorShape.COLUMN
    if isinstance(node, ColIndex):
        return TensorShape.ROW
    if not inputs or node.joins or isinstance(node, Band | BlockReduced | Rotate | TopK):
        return TensorShape.MATRIX
    rows = max(shape.rows for shape in inputs)
    columns = max(shape.columns for shape in inputs)
    return TensorShape((rows, columns))


def with_vectors(steps: Sequence[Step], arch: Architecture) -> tuple[Step, ...]:
    """The steps of an acyclic graph, of which those that compute vectors or load them say so."""
    graph = _Vectors(steps, arch)
    return tuple(replace(step, node=graph.held(index)) for index, step in enumerate(steps))


def on_whole_tiles(node: VisitorNode) -> VisitorNode:
    """The node as a framework has it whose nodes know no vectors."""
    whole = replace(node, vector=None)
    return replace(whole, reads=()) if isinstance(whole, Compute) else whole


def _is_free(node: VisitorNode) -> bool:
    """Whether a node hands on a part of its input as it lies."""
    return isinstance(node, Part) and not isinstance(node, Alternate | TopK)


class _Vectors:
    """Which steps work on vectors. At first all that could; then those cannot whose inputs or readers are otherwise."""

    def __init__(self, steps: Sequence[Step], arch: Architecture) -> None:
        self._arch = arch
        self._nodes = [node_of(step) for step in steps]
        self._extents = extents(steps)
        # Whole rows are longer than the tile of a row vector.
        has_rows = any(isinstance(node, ColReduced | TopK) for node in self._nodes)
        self._shapes = (TensorShape.COLUMN,) if has_rows else _VECTORS
        sources = list(range(len(steps)))
        self._inputs: list[list[int]] = [[] for _ in steps]
        self._readers: list[list[int]] = [[] for _ in steps]
        for index in visit_order([step.inputs for step in steps]):
            self._inputs[index] = [sources[i] for i in steps[index].inputs]
            if self._forwards(index):
                sources[index] = self._inputs[index][0]
            joins = self._nodes[index].joins or _is_free(self._nodes[index])
            for source in () if joins else self._inputs[index]:
                self._readers[source].append(index)
        self._computes = {index for index in range(len(steps)) if self._may_compute(index)}
        while refused := {index for index in self._computes if not self._can_compute(index)}:
            self._computes -= refused

    def held(self, index: int) -> VisitorNode:
        """A node, which says how it holds a vector."""
        node = self._nodes[index]
        if index in self._computes:
            return replace(node, vector=Vector(self._extents[index], self._is_spread(index)))
        holds = isinstance(node, (Broadcast, ColIndex, ColReduced)) and self._is_vector(index)
        if holds and not self._is_spread(index):
            return replace(node, vector=Vector(self._extents[index], spreads=False))
        if isinstance(node, Compute) and self._takes_vectors(index) and (reads := self._reads(index)) != _TILES:
            return replace(node, reads=reads)
        if isinstance(node, ColStore) and self._is_packed(self._inputs[index][0]):
            return replace(node, vector=Vector(TensorShape.COLUMN, spreads=False))
        if isinstance(node, BlockReduced):
            spreads = not all(isinstance(self._nodes[reader], BlockStore) for reader in self._readers[index])
            return replace(node, spreads=spreads)
        return node

    def _forwards(self, index: int) -> bool:
        node = self._nodes[index]
        return node.forwards or _is_free(node) or (isinstance(node, Cast) and node.to == node.from_)

    def _may_compute(self, index: int) -> bool:
        return isinstance(self._nodes[index], (Compute, Cast)) and not self._forwards(index) and self._is_vector(index)

    def _can_compute(self, index: int) -> bool:
        packs = self._extents[index] is TensorShape.COLUMN
        if packs and not all(self._is_packed(source) for source in self._inputs[index] if self._is_vector(source)):
            return False
        return not self._is_spread(index) or self._can_spread(index)

    def _is_vector(self, index: int) -> bool:
        return self._extents[index] in self._shapes

    def _is_packed(self, index: int) -> bool:
        """Whether a value lies as a packed column."""
        return self._may_lie(index) and self._extents[index] is TensorShape.COLUMN and not self._is_spread(index)

    def _is_spread(self, index: int) -> bool:
        """Whether somebody reads the whole tile of a vector. A parameter that nobody reads stays as it is."""
        readers = self._readers[index]
        return not readers or not all(self._reads_vector(reader, index) for reader in readers)

    def _reads_vector(self, reader: int, source: int) -> bool:
        """Whether a step needs of a vector no more than that."""
        stores = RowStore if self._extents[source] is TensorShape.ROW else ColStore
        return (
            reader in self._computes
            or isinstance(self._nodes[reader], stores)
            or (self._takes_vectors(reader) and self._may_lie(source))
        )

    def _takes_vectors(self, index: int) -> bool:
        """Whether a step of whole tiles may read one or both of its inputs where a vector lies. It makes a call for
        each repeat of a row; a column that is stored is in the first of them alone."""
        node = self._nodes[index]
        return (
            isinstance(node, Compute)
            and self._extents[index] is TensorShape.MATRIX
            and len(self._inputs[index]) == 2
            and not all(isinstance(self._nodes[reader], ColStore) for reader in self._readers[index])
            and node.operator is not None
            and node.operator.repeats
            and node.T.size > 1
            and node.T in self._arch.calls.get("Brcb", ())
        )

    def _may_lie(self, index: int) -> bool:
        """Whether a vector may have a tile of its own."""
        return index in self._computes or isinstance(self._nodes[index], (Broadcast, ColReduced))

    def _reads(self, index: int) -> tuple[TensorShape, ...]:
        """Of each input of such a step, the vector that it is."""
        return tuple(
            self._extents[source]
            if self._is_vector(source) and self._may_lie(source) and not self._is_spread(source)
            else TensorShape.MATRIX
            for source in self._inputs[index]
        )

    def _can_spread(self, index: int) -> bool:
        element = self._nodes[index].element
        calls = ("Copy",) if self._extents[index] is TensorShape.ROW else ("Copy", "Brcb")
        return element != mask and all(element in self._arch.calls.get(call, ()) for call in calls)
