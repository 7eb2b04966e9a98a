"""What a node kind declares: its inputs, element types, tensors and the AscendC calls that it makes.

A declaration is data. Each back end has a table by kind: :mod:`evtgen.planner.parts` (how it works on a tile, and
in how much memory), :mod:`evtgen.planner.aliases` (its name), :mod:`evtgen.emit.types` (its C++ type),
:mod:`evtgen.emit.formula` (its text) and :mod:`evtgen.reference.stepwise` (its result in numpy).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeVar

from ..graph.ir import Node, Scalar, Step
from ..graph.shapes import WHOLE, Columns, Problem, TensorShape
from ..graph.types import ElementType, Layout, RowMajor, float32, half, int8, int32
from ..targets import Architecture

Calls = tuple[tuple[str, ElementType], ...]
"""AscendC calls, each with its element type."""


def transposing(T: ElementType) -> Calls:
    """The call that transposes elements, which it tells by their size alone."""
    return (("TransDataTo5HD", {1: int8, 2: half, 4: float32}[T.size]),)


class Places(Protocol):
    """What names rows: the names of the tensor that has them, and of those with their numbers and with their ranks, if
    any."""

    @property
    def name(self) -> str: ...
    @property
    def rows(self) -> str: ...
    @property
    def ranks(self) -> str: ...


@dataclass(frozen=True)
class Tensor:
    """A tensor in GM that a node reads or writes.

    One that is ``ColumnMajor`` lies there as the transposed one does by rows, and so callers have it.

    Attributes:
        name: field of the arguments struct, unique in the epilogue.
        element: element type.
        shape: its rows and columns in the extents of the problem.
        layout: layout in GM.
        output: whether the epilogue writes it.
        initial: what the caller fills it with before the launch (the identity of a reduction); None when unneeded.
        null_default: what a null pointer stands for, in every element; None where the pointer must not be null.
        indexes: whether its values are numbers of rows.
        rows: the name of the tensor with the numbers of the rows that are written; empty where row i is written as i.
        ranks: the name of the tensor with the ranks that own them; empty where there is one memory. A caller has it as
            one part of M×N for each rank, in GM it is a table of their addresses.
        columns: of C, whose values it has, where its shape has N columns.
        depth: elements of K that share one of its values, where it has values of blocks or groups.
    """

    name: str
    element: ElementType
    shape: TensorShape
    layout: Layout
    output: bool
    initial: float | int | None = None
    null_default: float | int | None = None
    indexes: bool = False
    rows: str = ""
    ranks: str = ""
    columns: Columns = WHOLE
    depth: int = 1

    @property
    def extents(self) -> tuple[str, str]:
        """Its rows and columns, in letters: those of its shape, or the count of its part of the columns, or of blocks
        of K."""
        rows, columns = (Columns(step=self.depth).count.replace("N", "K") if s == "K" else s for s in self.shape.value)
        return rows, self.columns.count if columns == "N" else columns

    @property
    def size_text(self) -> str:
        """Its extents as a product."""
        return " x ".join(f"({extent})" if "/" in extent else extent for extent in self.extents)

    @property
    def paired(self) -> bool:
        """Whether its values are copied two by two, so that no gaps lie between them."""
        return self.element.kind == "scale" and "K" in self.shape.value

    def sizes(self, n: int, k: int) -> dict[str, int]:
        """Its extents in a problem of so many columns and terms, by their letters, other than M and 1."""
        known = {"N": len(self.columns.of(n)), "K": -(-k // self.depth)}
        return {letters: known[s] for letters, s in zip(self.extents, self.shape.value, strict=True) if s in known}

    @property
    def by_columns(self) -> bool:
        """Whether elements of a column are neighbours."""
        return not self.layout.by_rows

    def turned(self, array: Any, parts: int) -> Any:
        """An array of it, its so many parts stacked, as callers have it: each part transposed if it is
        :attr:`by_columns`. Done twice, it is undone."""
        if not self.by_columns:
            return array
        return array.reshape(parts, -1, array.shape[1]).swapaxes(1, 2).reshape(parts * array.shape[1], -1)

    def size(self, problem: Problem) -> tuple[int, int]:
        """(rows, columns) of an array of it, the parts of all matmuls, or of all ranks, stacked."""
        rows, columns = problem.size(self.name, self.shape, self.columns)
        deep = -(-problem.k // self.depth)
        rows, columns = (rows * deep, columns) if self.shape.rows == "K" else (rows, columns)
        columns = deep if self.shape.columns == "K" else columns
        return rows * (problem.ranks if self.ranks else 1), columns


def row_indices(name: str) -> Tensor:
    """A tensor of the numbers of rows, or of ranks, one for each row of C."""
    return Tensor(name, int32, TensorShape.COLUMN, RowMajor, output=False, indexes=True)


def name_rows(numbers: Any, count: int) -> Any:
    """Which of these numbers are those of rows of a tensor that has so many: a gather gives 0 for the others, and a
    scatter leaves them out."""
    return (numbers >= 0) & (numbers < count)


def destinations(places: Places, inputs: Mapping[str, Any], count: int, problem: Problem) -> tuple[Any, Any]:
    """Which rows of C name a row, where they go to or come from, and the rows that they name: of so many in the memory
    of each rank, or of a batch, among those of all its parts. Numbers are as they are given, or float64 in a
    formula."""
    if problem.batch:
        return _in_batch(places.name, places.rows, inputs, problem)
    numbers = inputs[places.rows][:, 0].astype("int64")
    there = name_rows(numbers, count)
    if places.ranks:
        owners = inputs[places.ranks][:, 0].astype("int64")
        there &= name_rows(owners, problem.ranks)
        numbers += owners * count
    return there, numbers[there]


def _in_batch(name: str, rows: str, inputs: Mapping[str, Any], problem: Problem) -> tuple[Any, Any]:
    """Of a batch, which rows of C name a row of a tensor, and which, counted among those of all its parts."""
    m = problem.rows[0]
    taken = [problem.part(rows, matmul) for matmul in range(problem.count)]
    numbers = inputs[rows][:, 0].astype("int64").reshape(-1, m)[taken]
    there = name_rows(numbers, m)
    for matmul in range(problem.count):
        numbers[matmul] += problem.part(name, matmul) * m
    return there.ravel(), numbers[there]


def named(tensor: Tensor, inputs: Mapping[str, Any], problem: Problem) -> tuple[Any, Any]:
    """Of an output whose rows are named, which rows of C go there, and the rows that they are written to."""
    return destinations(tensor, inputs, problem.size(tensor.name, tensor.shape)[0], problem)


@dataclass(frozen=True)
class Vector:
    """How a node holds a row or a column of a tile, or reads one.

    Attributes:
        shape: ``ROW`` or ``COLUMN``.
        spreads: whether its tile is filled with it at the end; otherwise the tile is the vector.
    """

    shape: TensorShape
    spreads: bool

    @property
    def noun(self) -> str:
        """``"row"`` or ``"column"``."""
        return "row" if self.shape is TensorShape.ROW else "column"


@dataclass(frozen=True)
class VisitorNode(Node):
    """A visitor node, mirrored by one class template of the framework.

    Attributes:
        vector: how it holds a vector; None where it works on whole tiles. The planner fills it in.
        columns: of C, for which it loads, stores, reduces or hands on values. A pass fills it in.
        header: the emitted header that holds the template.
        min_inputs, max_inputs: how many inputs it takes; None is any number.
        forwards: its output is its (first) input itself, in the same buffer.
        writes: it writes GM, so its visit is an effect.
        narrows: ``auto_cast`` may round its input to its own type; any other node would compute in fewer bits.
        joins: it has no output of its own and only holds a graph together.
        by_rows: it works row by row, so that every row of a tile starts on a data block.
    """

    vector: Vector | None = field(default=None, repr=False, kw_only=True)
    columns: Columns = field(default=WHOLE, repr=False, kw_only=True)

    header: ClassVar[str]
    min_inputs: ClassVar[int] = 0
    max_inputs: ClassVar[int | None] = 0
    forwards: ClassVar[bool] = False
    writes: ClassVar[bool] = False
    narrows: ClassVar[bool] = False
    joins: ClassVar[bool] = False
    by_rows: ClassVar[bool] = True

    @property
    def template(self) -> str:
        """The name of its class template, after which the header is called."""
        return pascal(self.header.removesuffix(".hpp"))

    @property
    def element(self) -> ElementType:
        """Element type of the output: by default the field ``T``."""
        T: ElementType = getattr(self, "T")  # noqa: B009 - most kinds have it
        return T

    def takes(self, index: int) -> ElementType | None:
        """Element type that an input must have; None takes any."""
        return None

    @property
    def tensor(self) -> Tensor | None:
        """The tensor in GM that its arguments name."""
        return None

    @property
    def indices(self) -> tuple[Tensor, ...]:
        """The tensors of the numbers of the rows of :attr:`tensor` that it reads or writes, and of the ranks that own
        them, where it names them."""
        return ()

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """All tensors in GM that its arguments name."""
        return () if self.tensor is None else (self.tensor, *self.indices)

    @property
    def ends(self) -> int:
        """Columns of which a tile has a multiple, though the last few may not be there."""
        return 1

    @property
    def divides_n(self) -> int:
        """What N is a multiple of."""
        return 1

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """The numbers that its arguments name."""
        return ()

    def calls(self) -> Calls:
        """The AscendC calls it makes and the element type of each, for the checker; casts are checked apart."""
        return ()

    def unsupported(self, arch: Architecture) -> tuple[str, ElementType] | None:
        """The first of :meth:`calls` that ``arch`` does not have."""
        for call, element in self.calls():
            if element not in arch.calls.get(call, ()):
                return call, element
        return None


def node_of(step: Step) -> VisitorNode:
    """The step's node, which after the check is one of :data:`evtgen.nodes.NODE_KINDS`."""
    assert isinstance(step.node, VisitorNode)
    return step.node


Entry = TypeVar("Entry")


def of_kind(table: Mapping[type[Any], Entry], node: VisitorNode) -> Entry:
    """The entry of a table for a node: that of its class, or of the first it derives from that has one."""
    return next(table[kind] for kind in type(node).__mro__ if kind in table)


def pascal(name: str) -> str:
    """``row_out`` → ``RowOut``; a name that is one capital or already mixed stays as it is."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_") if part)
