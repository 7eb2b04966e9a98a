"""Stores: what a node was given is written to a user's tensor, as it is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from ..graph.shapes import TensorShape
from ..graph.types import ElementType, Layout, RowMajor, float32, int16
from .base import Calls, Tensor, VisitorNode, row_indices, transposing


@dataclass(frozen=True)
class Store(VisitorNode):
    """A store whose tensor has the shape ``shape``: where that is smaller than M×N, it gets the first column, the first
    row or the first value of what is stored.

    Its template is ``Visitor<kind><Element, Layout>``, its arguments are ``{ptr, layout}``, the layout of that shape.
    STORE writes straight from the input's buffer. Returns its input, so it can sit anywhere in a graph.
    """

    name: str
    T: ElementType
    layout: Layout = RowMajor

    min_inputs = 1
    max_inputs = 1
    forwards = True
    writes = True
    narrows = True
    shape: ClassVar[TensorShape]

    def takes(self, index: int) -> ElementType:
        return self.T

    @property
    def tensor(self) -> Tensor:
        return Tensor(self.name, self.T, self.shape, self.layout, output=True, columns=self.columns)


@dataclass(frozen=True)
class AuxStore(Store):
    """The whole of its input.

    With ``ColumnMajor`` the tensor lies in GM as the transposed one does by rows, N×M: COMPUTE transposes the tile
    first.
    """

    header = "visitor_aux_store.hpp"
    shape = TensorShape.MATRIX

    @property
    def transposes(self) -> bool:
        """Whether it writes columns."""
        return not self.layout.by_rows

    def calls(self) -> Calls:
        return transposing(self.T) if self.transposes else ()


@dataclass(frozen=True)
class WideStore(AuxStore):
    """``VisitorWideStore<Element, LINES, LENGTH>``: stores B as it is multiplied, in GM or in the L1 of the cube core,
    in whose tiles there are at most ``lines`` of ``length`` elements. The planner makes it, and the kernel says where
    it stores."""

    lines: int = 0
    length: int = 0

    header = "visitor_wide_store.hpp"

    def calls(self) -> Calls:
        return (("Copy", int16),)


@dataclass(frozen=True)
class AuxScatter(Store):
    """``VisitorAuxScatter<Element, Layout>``: row i of C goes to the row ``rows``[i] of ``name``.

    Arguments ``{ptr_aux, layout, ptr_rows, layout_rows}``; ``rows`` is an M×1 tensor of int32, in which no row is
    named twice. ``name`` may have any number of rows; those that no number names are left alone, and a number that
    is that of none is left out. With ``add`` numbers may repeat: what goes to one row is added up, with what is there;
    if ``ordered``, in the order of the rows of C. The planner fills that in.
    """

    name: str
    T: ElementType
    layout: Layout = RowMajor
    rows: str = ""
    add: bool = False
    ordered: bool = field(default=False, repr=False, kw_only=True)

    header = "visitor_aux_scatter.hpp"
    shape: ClassVar[TensorShape] = TensorShape.MATRIX
    ranks = ""

    @property
    def tensor(self) -> Tensor:
        tensor = replace(super().tensor, ranks=self.ranks)
        return replace(tensor, initial=0) if self.add else replace(tensor, rows=self.rows)

    @property
    def indices(self) -> tuple[Tensor, ...]:
        return (row_indices(self.rows),)


@dataclass(frozen=True)
class RankScatter(AuxScatter):
    """``VisitorRankScatter<Element, Layout>``: row i of C goes to row ``rows``[i] in the memory of rank ``ranks``[i].

    Arguments ``{ptr_aux, layout, ptr_rows, layout_rows, ptr_ranks, layout_ranks, rank_count}``: first a table in GM of
    so many addresses, one for each rank, and the layout of what lies at each of them. ``ranks`` is another M×1 tensor
    of int32; a number that is that of no rank is left out.
    """

    ranks: str = ""

    header = "visitor_rank_scatter.hpp"

    @property
    def indices(self) -> tuple[Tensor, ...]:
        return row_indices(self.rows), row_indices(self.ranks)


@dataclass(frozen=True)
class RowStore(Store):
    """The first row of its input."""

    header = "visitor_row_store.hpp"
    shape = TensorShape.ROW


@dataclass(frozen=True)
class ColStore(Store):
    """The first column of its input."""

    header = "visitor_col_store.hpp"
    shape = TensorShape.COLUMN


@dataclass(frozen=True)
class ScalarStore(Store):
    """The first value of its input."""

    header = "visitor_scalar_store.hpp"
    shape = TensorShape.SINGLE


@dataclass(frozen=True)
class Outputs(VisitorNode):
    """``VisitorOutputs``: the root of a graph whose outputs are unrelated. It takes any number of inputs of any types
    and does nothing with them; nothing can read it. Arguments ``{}``.
    """

    header = "visitor_outputs.hpp"
    min_inputs = 1
    max_inputs = None
    joins = True
    by_rows = False

    @property
    def element(self) -> ElementType:
        return float32
