"""The reductions as values: the input reduced over all of M, N or both, and repeated, for whoever reads it.

The whole of a reduction is there only when every tile has been reduced, so an epilogue with one of these has phases
(:mod:`evtgen.planner.phases`): it ends one of them with a :class:`~evtgen.nodes.reduce.Reduce`, and begins a later one
with a :class:`~evtgen.nodes.broadcast.Broadcast` of the result. Only the graph has these nodes, no plan of a tile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..graph.shapes import TensorShape
from ..graph.types import ElementType
from ..operators.declaration import Operator
from ..operators.table import reduction_name
from .base import Tensors, VisitorNode, bare, spread
from .broadcast import Broadcast
from .col_broadcast import ColBroadcast
from .col_reduce import ColReduce
from .compute import Compute
from .reduce import Reduce
from .row_broadcast import RowBroadcast
from .row_reduce import RowReduce
from .scalar_broadcast import ScalarBroadcast
from .scalar_reduce import ScalarReduce


@dataclass(frozen=True)
class Reduced(VisitorNode):
    """A reduction whose result is an operand: (M, N) of ``T`` in, (M, N) of ``T`` out, the same wherever the same
    values were reduced.

    Attributes:
        op: as of a :class:`~evtgen.nodes.reduce.Reduce`.
        T: element type of the input and of the result; float32 or int32, so that what crosses is not rounded.
        reduce_kind, broadcast_kind: the nodes that end and begin a phase in its place.
    """

    op: str
    T: ElementType

    min_inputs = 1
    max_inputs = 1
    reduce_kind: ClassVar[type[Reduce]]
    broadcast_kind: ClassVar[type[Broadcast]]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "op", reduction_name(self.op))

    @property
    def operator(self) -> Operator | None:
        """As of a :class:`~evtgen.nodes.reduce.Reduce`."""
        return self._unnamed.operator

    @property
    def mean(self) -> bool:
        """As of a :class:`~evtgen.nodes.reduce.Reduce`."""
        return self._unnamed.mean

    @property
    def first(self) -> Compute | None:
        """As of a :class:`~evtgen.nodes.reduce.Reduce`."""
        return self._unnamed.first

    @property
    def element(self) -> ElementType:
        return self.T

    def takes(self, index: int) -> ElementType:
        return self.T

    @property
    def shape(self) -> TensorShape:
        """Of the values that there are, each of which is repeated."""
        return self.reduce_kind.shape

    @property
    def reduce(self) -> Reduce:
        """The reduction, to a tensor without a name that holds the identity before."""
        return replace(self._unnamed, identity=self._unnamed.neutral)

    @property
    def _unnamed(self) -> Reduce:
        return self.reduce_kind("", self.op, self.T, location=self.location)

    def alias(self, inputs: Sequence[str]) -> str:
        return f"{self._unnamed.noun.title()}Of{inputs[0]}"

    def calls(self) -> tuple[tuple[str, ElementType], ...]:
        return (*self._unnamed.calls(), *self.broadcast_kind("", self.T).calls())

    def formula(self, inputs: list[str]) -> str:
        return f"{self._unnamed.noun}({bare(inputs[0])} over {self.reduce_kind.over})"

    def golden(self, inputs: list[str], suffixes: Mapping[str, str]) -> str:
        raise NotImplementedError  # an example program has a loop for each phase, whose nodes have goldens

    def evaluate(self, inputs: list[Any], tensors: Tensors) -> Any:
        return self.repeated(self.result(inputs[0], tensors), tensors)

    def result(self, values: Any, tensors: Tensors) -> Any:
        """``values``, (M, N), reduced: an array with the rows and columns of the reduction's tensor."""
        reduce = self.reduce
        inner = Tensors(tensors.acc, {}, given=tensors.given)
        reduce.evaluate([values], inner)
        return inner.outputs[reduce.name]

    def repeated(self, array: Any, tensors: Tensors) -> Any:
        """An array with the rows and columns of the reduction's tensor, repeated to (M, N)."""
        return spread(self.reduce.tensor, array, tensors)


@dataclass(frozen=True)
class RowReduced(Reduced):
    """The rows reduced to one, which stands in every row."""

    header = RowReduce.header
    reduce_kind = RowReduce
    broadcast_kind = RowBroadcast


@dataclass(frozen=True)
class ColReduced(Reduced):
    """The columns reduced to one, which stands in every column."""

    header = ColReduce.header
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
