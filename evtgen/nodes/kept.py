"""Nodes of a phase whose tensor is no argument: it lies in the workspace, where a later phase finds it.

The planner puts them in: at the end of a phase a reduction or a store, in later ones a broadcast or a load of the same
number. Otherwise they are what they derive from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..graph.shapes import TensorShape
from ..graph.types import RowMajor
from .aux_load import AuxLoad
from .aux_store import AuxStore
from .base import Tensor, Tensors, VisitorNode, bare, spread
from .col_broadcast import ColBroadcast
from .col_reduce import ColReduce
from .reduce import Reduce
from .row_broadcast import RowBroadcast
from .row_reduce import RowReduce
from .scalar_broadcast import ScalarBroadcast
from .scalar_reduce import ScalarReduce


@dataclass(frozen=True)
class Kept(VisitorNode):
    """``VisitorInWorkspace<NUMBER, Node>``. Arguments ``{}``.

    Attributes:
        number: of the value, the same for who writes and who reads it.
    """

    number: int = 0

    shape: ClassVar[TensorShape]

    @property
    def tensor(self) -> Any:
        """None: it is no argument."""
        return None

    @property
    def called(self) -> str:
        """The name of the value."""
        return str(getattr(self, "name"))  # noqa: B009 - a field of what it derives from

    @property
    def kept(self) -> Tensor:
        """The value as a tensor in the workspace."""
        return Tensor(f"kept{self.number}", self.element, self.shape, RowMajor, output=self.writes)

    def subject(self, inputs: Sequence[str]) -> str:
        return inputs[0] if self.forwards else self.called

    def assignment(self, value: str) -> str:
        reduced = f"{self.noun} of the {self.over} of " if isinstance(self, Reduce) else ""
        return f"{self.called} = {reduced}{bare(value)}"

    def formula(self, inputs: list[str]) -> str:
        return self.called

    def evaluate(self, inputs: list[Any], tensors: Tensors) -> Any:
        """As of the node it derives from; what is read is among the inputs under the name of the value."""
        return (
            super().evaluate(inputs, tensors)
            if self.writes
            else spread(self.kept, tensors.inputs[self.called], tensors)
        )

    def golden_element(self, suffixes: Mapping[str, str]) -> str:
        """C++ for its element on the host; ``suffixes`` has the name of the whole under the number."""
        return f"{suffixes[str(self.number)]}[{self.shape.index}]"

    def golden(self, inputs: list[str], suffixes: Mapping[str, str]) -> str:
        return self.golden_element(suffixes)

    def cpp(self, fusion: str) -> str:
        return f"{fusion}VisitorInWorkspace<{self.number}, {super().cpp(fusion)}>"


@dataclass(frozen=True)
class KeptRowReduce(Kept, RowReduce):
    """The rows reduced to one in the workspace, which the kernel fills before."""


@dataclass(frozen=True)
class KeptColReduce(Kept, ColReduce):
    """The columns reduced to one in the workspace, which the kernel fills before."""


@dataclass(frozen=True)
class KeptScalarReduce(Kept, ScalarReduce):
    """All elements reduced to one in the workspace, which the kernel fills before."""


@dataclass(frozen=True)
class KeptRowBroadcast(Kept, RowBroadcast):
    """A row of the workspace."""


@dataclass(frozen=True)
class KeptColBroadcast(Kept, ColBroadcast):
    """A column of the workspace."""


@dataclass(frozen=True)
class KeptScalarBroadcast(Kept, ScalarBroadcast):
    """A single value of the workspace."""


@dataclass(frozen=True)
class KeptStore(Kept, AuxStore):
    """A matrix, kept in the workspace."""

    def golden_write(self, value: str, suffixes: Mapping[str, str], extents: tuple[str, str] = ("m", "n")) -> str:
        return f"{self.golden_element(suffixes)} = {value};"


@dataclass(frozen=True)
class KeptLoad(Kept, AuxLoad):
    """A matrix of the workspace."""

    shape = TensorShape.MATRIX


KEPT: dict[type[VisitorNode], Any] = {
    RowReduce: KeptRowReduce, ColReduce: KeptColReduce, ScalarReduce: KeptScalarReduce,
    RowBroadcast: KeptRowBroadcast, ColBroadcast: KeptColBroadcast, ScalarBroadcast: KeptScalarBroadcast,
}  # fmt: skip
"""What stands for a reduction and for a broadcast where the tensor lies in the workspace."""
