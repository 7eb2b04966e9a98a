"""Blocks of neighbouring columns: what is reduced within each, the same in each, or moved within each. Every tile
begins and ends where blocks do."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..graph.shapes import Columns, TensorShape
from ..graph.types import ElementType, Layout, RowMajor, int32
from .base import Calls, Tensor, VisitorNode
from .reductions import ColReduce, Reducing
from .stores import Store

BLOCKS = (32, 64, 128)
"""Columns that a block may have: whole data blocks of any type."""


@dataclass(frozen=True)
class BlockReduced(Reducing):
    """``VisitorBlockReduced<ReduceFn, Element, BLOCK>``: the columns of each block reduced to one, which stands in
    every column of the block. The last block may have fewer columns. Arguments ``{}``.

    Attributes:
        op: as of a :class:`~evtgen.nodes.Reduce`.
        T: element type of the input and of the result.
        block: columns of a block.
        spreads: whether somebody reads more of a block than its first column. The planner fills it in.
    """

    block: int
    spreads: bool = field(default=True, repr=False, kw_only=True)

    header = "visitor_block_reduced.hpp"

    @property
    def ends(self) -> int:
        return self.block

    @property
    def _unnamed(self) -> ColReduce:
        return ColReduce("", self.op, self.T, location=self.location)

    def calls(self) -> Calls:
        return *self._unnamed.calls(), ("Brcb", self.T), ("Copy", self.T)


@dataclass(frozen=True)
class BlockStore(Store):
    """``VisitorBlockStore<Element, Layout, BLOCK>``: the first column of each block of its input."""

    block: int = 128

    header = "visitor_block_store.hpp"
    shape = TensorShape.MATRIX

    @property
    def ends(self) -> int:
        return self.block

    @property
    def tensor(self) -> Tensor:
        columns = replace(self.columns, step=self.block)
        return Tensor(self.name, self.T, self.shape, self.layout, output=True, columns=columns)


@dataclass(frozen=True)
class HeadBroadcast(VisitorNode):
    """``VisitorHeadBroadcast<Element, Layout, HEAD>``: an M x ``head`` tensor, the same for each head of columns.
    Arguments ``{ptr, layout}``."""

    name: str
    T: ElementType
    layout: Layout = RowMajor
    head: int = 128

    header = "visitor_head_broadcast.hpp"

    @property
    def ends(self) -> int:
        return self.head

    @property
    def tensor(self) -> Tensor:
        shape = TensorShape.MATRIX
        return Tensor(self.name, self.T, shape, self.layout, output=False, columns=Columns(0, self.head))


@dataclass(frozen=True)
class Rotate(VisitorNode):
    """``VisitorRotate<Element, HEAD, INTERLEAVED>``: the halves of each head exchanged, or with ``interleaved`` its
    neighbours, and what comes first of each two negated. It has whole heads. Arguments ``{}``."""

    T: ElementType
    head: int = 128
    interleaved: bool = False

    header = "visitor_rotate.hpp"
    min_inputs = 1
    max_inputs = 1

    @property
    def ends(self) -> int:
        return self.head

    @property
    def divides_n(self) -> int:
        return self.head if self.columns.stop is None else 1

    def takes(self, index: int) -> ElementType:
        return self.T

    def calls(self) -> Calls:
        gathers = (("Gather", self.T), ("Duplicate", int32), ("Adds", int32)) if self.interleaved else ()
        return ("Muls", self.T), *gathers

    def partners(self, n: int) -> list[int]:
        """The column that each of N columns is made of."""
        apart = 1 if self.interleaved else self.head // 2
        return [column ^ apart for column in range(n)]
