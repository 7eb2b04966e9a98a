"""Reductions: as outputs, joined to a tensor in GM, and as values."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

from ..graph.shapes import TensorShape
from ..graph.types import ElementType, Layout, RowMajor
from ..operators.constants import limits
from ..operators.declaration import Atomic, Operator
from ..operators.table import BY_NAME, FIRST_APPLIED, MEAN, OPERATORS, REDUCTIONS, reduction_name
from .base import Calls, Tensor, VisitorNode
from .compute import Compute
from .loads import Broadcast, ColBroadcast, RowBroadcast, ScalarBroadcast


@dataclass(frozen=True)
class Reduce(VisitorNode):
    """A reduction over the rows, the columns or both: COMPUTE reduces the tile to the shape ``shape``, STORE joins that
    atomically to a user's tensor.

    Its template is ``Visitor<kind><ReduceFn, Element, Layout>``, its arguments are ``{ptr, layout, identity}``, the
    layout of that shape. The caller fills the output before the launch, with ``identity`` for a plain reduction.
    Returns its input.

    Attributes:
        op: the C++ name of an operator that has an atomic write, or ``"Mean"``; or what ``ops`` calls it, ``"add"``.
            ``"amax"`` and ``"sum_of_squares"`` stand for two nodes, which a pass writes in place of this one.
        function: name of its function in ``ops``.
        axis: the axes that numpy reduces.
        over: the reduced extents, in words.
        ordered_by: rows and columns of the kernel's blocks, if the parts of each are joined in a fixed order; None for
            atomics alone. The planner fills it in.
    """

    name: str
    op: str
    T: ElementType
    identity: float | int = 0
    layout: Layout = RowMajor
    ordered_by: tuple[int, int] | None = field(default=None, repr=False, kw_only=True)

    min_inputs = 1
    max_inputs = 1
    forwards = True
    writes = True
    shape: ClassVar[TensorShape]
    function: ClassVar[str]
    axis: ClassVar[tuple[int, ...]]
    over: ClassVar[str]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "op", reduction_name(self.op))

    @property
    def operator(self) -> Operator | None:
        """The operator that joins the values: the declaration of ``op``, which adds for a mean; None when there is no
        such operator."""
        return OPERATORS.get("Plus" if self.mean else REDUCTIONS[self.op] if self.op in FIRST_APPLIED else self.op)

    @property
    def first(self) -> Compute | None:
        """What is applied to each element before they are joined; None where they are joined as they are."""
        name = FIRST_APPLIED.get(self.op)
        return None if name is None else Compute(BY_NAME[name].cpp, self.T, location=self.location)

    @property
    def mean(self) -> bool:
        """Whether each tile's sum is taken times one over the number of all terms before it is joined to the others."""
        return self.op == MEAN

    @property
    def atomic(self) -> Atomic:
        """The write to GM that joins the values, of a reduction whose operator has one."""
        assert self.operator is not None and self.operator.atomic is not None
        return self.operator.atomic

    @property
    def noun(self) -> str:
        """What formulas call the result."""
        return "mean" if self.mean else self.atomic.noun if self.first is None else self.op

    @property
    def neutral(self) -> float | int:
        """The identity with which the result is that of the values alone."""
        if self.atomic is Atomic.ADD:
            return 0
        low, high = (-math.inf, math.inf) if self.T.kind == "float" else limits(self.T)
        return low if self.atomic is Atomic.MAX else high

    def takes(self, index: int) -> ElementType:
        return self.T

    @property
    def tensor(self) -> Tensor:
        return Tensor(
            self.name, self.T, self.shape, self.layout, output=True, initial=self.identity, columns=self.columns
        )

    def calls(self) -> Calls:
        calls = [call.name for call in self.operator.sequence] if self.operator else []
        first = self.first.calls() if self.first else ()
        return *first, *((call, self.T) for call in [*calls, *(["Muls"] if self.mean else [])])


@dataclass(frozen=True)
class RowReduce(Reduce):
    """The rows reduced to 1×N."""

    header = "visitor_row_reduce.hpp"
    shape = TensorShape.ROW
    function = "row_reduce"
    axis = (0,)
    over = "rows"


class LaneReduce(Reduce):
    """A reduction across the columns: V folds the repeats of a row onto each other, then reduces the lanes of one
    to one value, only in half and float."""

    def calls(self) -> Calls:
        if self.operator is None or self.operator.lanes is None:
            return super().calls()
        return *super().calls(), (self.operator.lanes, self.T)


@dataclass(frozen=True)
class ColReduce(LaneReduce):
    """The columns reduced to M×1."""

    header = "visitor_col_reduce.hpp"
    shape = TensorShape.COLUMN
    function = "col_reduce"
    axis = (1,)
    over = "columns"


@dataclass(frozen=True)
class ScalarReduce(LaneReduce):
    """All elements reduced to one value."""

    header = "visitor_scalar_reduce.hpp"
    shape = TensorShape.SINGLE
    function = "scalar_reduce"
    axis = (0, 1)
    over = "elements"


@dataclass(frozen=True)
class Reducing(VisitorNode):
    """A reduction whose result is an operand: (M, N) of ``T`` in, (M, N) of ``T`` out, the same wherever the same
    values were reduced.

    Attributes:
        op: as of a :class:`Reduce`.
        T: element type of the input and of the result.
    """

    op: str
    T: ElementType

    min_inputs = 1
    max_inputs = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "op", reduction_name(self.op))

    @property
    def operator(self) -> Operator | None:
        """As of a :class:`Reduce`."""
        return self._unnamed.operator

    @property
    def mean(self) -> bool:
        """As of a :class:`Reduce`."""
        return self._unnamed.mean

    @property
    def first(self) -> Compute | None:
        """As of a :class:`Reduce`."""
        return self._unnamed.first

    @property
    def noun(self) -> str:
        """As of a :class:`Reduce`."""
        return self._unnamed.noun

    def takes(self, index: int) -> ElementType:
        return self.T

    @property
    def reduce(self) -> Reduce:
        """The reduction, to a tensor without a name that holds the identity before."""
        return replace(self._unnamed, identity=self._unnamed.neutral)

    @property
    def _unnamed(self) -> Reduce:
        raise NotImplementedError


@dataclass(frozen=True)
class Reduced(Reducing):
    """One over the rows, the columns or both, of float32 or int32, so that what crosses is not rounded.

    The whole of a reduction is there only when every tile has been reduced, so an epilogue with one of these has
    phases (:mod:`evtgen.planner.phases`): ``reduce_kind`` ends one of them in its place, ``broadcast_kind`` begins a
    later one. Only the graph has these nodes, and of whole rows the plan of a tile (:mod:`evtgen.planner.rows`).
    """

    reduce_kind: ClassVar[type[Reduce]]
    broadcast_kind: ClassVar[type[Broadcast]]

    @property
    def shape(self) -> TensorShape:
        """Of the values that there are, each of which is repeated."""
        return self.reduce_kind.shape

    @property
    def _unnamed(self) -> Reduce:
        return self.reduce_kind("", self.op, self.T, location=self.location, columns=self.columns)

    def calls(self) -> Calls:
        return (*self._unnamed.calls(), *self.broadcast_kind("", self.T).calls())


@dataclass(frozen=True)
class RowReduced(Reduced):
    """The rows reduced to one, which stands in every row."""

    header = RowReduce.header
    reduce_kind = RowReduce
    broadcast_kind = RowBroadcast


@dataclass(frozen=True)
class ColReduced(Reduced):
    """The columns reduced to one, which stands in every column. The plan of a tile has it, too, where tiles have whole
    rows."""

    header = "visitor_col_reduced.hpp"
    reduce_kind = ColReduce
    broadcast_kind = ColBroadcast


@dataclass(frozen=True)
class ScalarReduced(Reduced):
    """All elements reduced to one value, which stands in every place."""

    header = ScalarReduce.header
    reduce_kind = ScalarReduce
    broadcast_kind = ScalarBroadcast


REDUCED: dict[type[Reduce], type[Reduced]] = {
    kind.reduce_kind: kind for kind in (RowReduced, ColReduced, ScalarReduced)
}
"""The value that is what a reduction as an output writes."""
