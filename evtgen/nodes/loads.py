"""Loads, which have no input: the accumulator, tensors of the user's, and positions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..graph.shapes import Columns, TensorShape
from ..graph.types import BLOCK_BYTES, ElementType, Layout, RowMajor, float32, int32
from .base import Calls, Tensor, VisitorNode, row_indices, transposing

ACCUMULATORS = ("C", "C2")
"""What formulas call the accumulators."""


@dataclass(frozen=True)
class AccLoad(VisitorNode):
    """``VisitorAccLoad<Element>``: LOAD copies the tile of C, by local coordinates, from a block of the workspace.
    Arguments ``{}``.

    Attributes:
        T: element type of the accumulator.
        index: 1 for the second one of a GEMM with two (``VisitorAccLoad<Element, false, 1>``).
    """

    T: ElementType
    index: int = 0

    header = "visitor_acc_load.hpp"


@dataclass(frozen=True)
class ResidentAccLoad(AccLoad):
    """``VisitorAccLoad<Element, true>``: the tile is used where the cube core stored it in UB. The planner puts it in
    the place of an :class:`AccLoad`."""


@dataclass(frozen=True)
class AccDigits(AccLoad):
    """``VisitorAccDigits<Element>``: LOAD copies the products of the digits of A, COMPUTE makes C of them. The planner
    puts it in the place of an :class:`AccLoad` where A is multiplied in digits."""

    header = "visitor_acc_digits.hpp"

    def calls(self) -> Calls:
        return ("Muls", self.T), ("Sub", self.T), ("Add", self.T)


@dataclass(frozen=True)
class AuxLoad(VisitorNode):
    """``VisitorAuxLoad<Element, Layout>``: LOAD copies the tile of ``name``, M×N, by global coordinates. Arguments
    ``{ptr_aux, layout}``.

    With ``null_default`` a null pointer is allowed and stands for a tensor full of the default; the arguments then
    have a third field, ``null_default``. The default is filled in by COMPUTE, since no vector instruction runs in LOAD.
    With ``ColumnMajor`` the tensor lies in GM as the transposed one does by rows, N×M: COMPUTE transposes the tile.
    """

    name: str
    T: ElementType
    layout: Layout = RowMajor
    null_default: float | int | None = None

    header = "visitor_aux_load.hpp"

    @property
    def tensor(self) -> Tensor:
        return Tensor(
            self.name, self.T, TensorShape.MATRIX, self.layout,
            output=False, null_default=self.null_default, columns=self.columns,
        )  # fmt: skip

    @property
    def transposes(self) -> bool:
        """Whether it reads columns."""
        return not self.layout.by_rows

    def calls(self) -> Calls:
        filling = () if self.null_default is None else (("Duplicate", self.T),)
        return (*(transposing(self.T) if self.transposes else ()), *filling)


@dataclass(frozen=True)
class AuxGather(VisitorNode):
    """``VisitorAuxGather<Element, Layout>``: row i of the tile is the row ``rows``[i] of ``name``, for each row i of C.

    Arguments ``{ptr_aux, layout, ptr_rows, layout_rows}``; ``rows`` is an M×1 tensor of int32. ``name`` may have any
    number of rows; where a number is that of none, the row is 0.
    """

    name: str
    T: ElementType
    rows: str
    layout: Layout = RowMajor

    header = "visitor_aux_gather.hpp"
    ranks = ""

    @property
    def tensor(self) -> Tensor:
        return Tensor(self.name, self.T, TensorShape.MATRIX, self.layout, output=False, columns=self.columns)

    @property
    def indices(self) -> tuple[Tensor, ...]:
        return (row_indices(self.rows),)

    def calls(self) -> Calls:
        return (("Duplicate", int32),)


@dataclass(frozen=True)
class Broadcast(VisitorNode):
    """A load whose tensor is smaller than M×N in one or both extents; ``shape`` is its shape.

    Its template is ``Visitor<kind><Element, Layout>``, its arguments are ``{ptr, layout}``, the layout of that shape.
    With ``null_default`` a null pointer is allowed and stands for a tensor full of the default, as for an AuxLoad.
    """

    name: str
    T: ElementType
    layout: Layout = RowMajor
    null_default: float | int | None = None

    shape: ClassVar[TensorShape]

    @property
    def tensor(self) -> Tensor:
        return Tensor(
            self.name, self.T, self.shape, self.layout,
            output=False, null_default=self.null_default, columns=self.columns,
        )  # fmt: skip

    def calls(self) -> Calls:
        return () if self.null_default is None else (("Duplicate", self.T),)


@dataclass(frozen=True)
class RowBroadcast(Broadcast):
    """LOAD copies the 1×N segment, COMPUTE repeats it over the tile's rows."""

    header = "visitor_row_broadcast.hpp"
    shape = TensorShape.ROW

    def calls(self) -> Calls:
        return ("Copy", self.T), *super().calls()


@dataclass(frozen=True)
class ColBroadcast(Broadcast):
    """LOAD copies the M×1 segment, COMPUTE spreads each value over its row."""

    header = "visitor_col_broadcast.hpp"
    shape = TensorShape.COLUMN

    def calls(self) -> Calls:
        return ("Brcb", self.T), ("Copy", self.T), *super().calls()


STATISTICS = {"a_sum": "SUM", "a_sum_of_squares": "SUM_OF_SQUARES"}
"""What there is of each row of A: the functions in ``ops``, and their names in C++."""


@dataclass(frozen=True)
class AStatistic(ColBroadcast):
    """``VisitorAStatistic<STATISTIC>``: an M×1 column of float32, which the vector cores compute from A before the
    epilogue and leave in the workspace. Arguments ``{}``.

    Attributes:
        name: one of :data:`STATISTICS`.
    """

    name: str
    T: ElementType = field(default=float32, init=False, repr=False)
    layout: Layout = field(default=RowMajor, init=False, repr=False)
    null_default: float | int | None = field(default=None, init=False, repr=False)

    header = "visitor_a_statistic.hpp"

    @property
    def tensor(self) -> Any:
        """None: it is no argument."""
        return None

    @property
    def squares(self) -> bool:
        """Whether it is the sum of the squares."""
        return self.name != "a_sum"


@dataclass(frozen=True)
class ScalarBroadcast(Broadcast):
    """Its buffers are filled with the 1×1 value once, before the first tile."""

    header = "visitor_scalar_broadcast.hpp"
    shape = TensorShape.SINGLE
    by_rows = False

    def calls(self) -> Calls:
        return (("Duplicate", self.T),)


@dataclass(frozen=True)
class BlockBroadcast(VisitorNode):
    """``VisitorBlockBroadcast<Element, Layout, ROWS, COLUMNS>``: each value for a block of rows and columns. Arguments
    ``{ptr, layout}``. The planner has it widen B, whose rows, or columns if it is ``ColumnMajor``, are the lines.

    Attributes:
        layout: ``ColumnMajor`` where the values of a line of blocks lie apart.
        block: rows and columns of a block.
    """

    name: str
    T: ElementType
    layout: Layout = RowMajor
    block: tuple[int, int] = (32, 1)

    header = "visitor_block_broadcast.hpp"

    @property
    def ends(self) -> int:
        return BLOCK_BYTES if self.block[1] > 1 else 1

    @property
    def spreads_columns(self) -> bool:
        """Whether LOAD brings columns of values, each of which COMPUTE spreads over a part of its row."""
        return self.block[0] == 1

    @property
    def tensor(self) -> Tensor:
        return Tensor(
            self.name, self.T, TensorShape.BLOCKS, RowMajor,
            output=False, columns=Columns(step=self.block[1]), depth=self.block[0],
        )  # fmt: skip

    def calls(self) -> Calls:
        if self.block[1] == 1:
            return (("Copy", self.T),)
        return ("Brcb" if self.spreads_columns else "Duplicate", self.T), ("Copy", self.T)


@dataclass(frozen=True)
class Position(VisitorNode):
    """No input, (M, N) of int32 out: the row or the column, counted from 0 in each matmul of a launch.

    Its template is ``Visitor<kind>``, its arguments are ``{}``.

    Attributes:
        function: its name in ``ops``.
        noun: what is counted.
    """

    function: ClassVar[str]
    noun: ClassVar[str]

    @property
    def element(self) -> ElementType:
        return int32

    def calls(self) -> Calls:
        return (("Duplicate", int32), ("Adds", int32))


@dataclass(frozen=True)
class RowIndex(Position):
    """COMPUTE fills the tile's first row with its number, and adds to it for the others."""

    header = "visitor_row_index.hpp"
    function = "row_index"
    noun = "row"


@dataclass(frozen=True)
class ColIndex(Position):
    """COMPUTE counts along the tile's first row, which the others repeat."""

    header = "visitor_col_index.hpp"
    function = "col_index"
    noun = "column"
