"""Nodes of a phase whose tensor is no argument: it lies in the workspace, where a later phase finds it.

The planner puts them in: at the end of a phase a reduction or a store, in later ones a broadcast or a load of the same
number. Otherwise they are what they derive from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..graph.shapes import TensorShape
from ..graph.types import RowMajor
from .base import Tensor, VisitorNode
from .loads import AuxLoad, ColBroadcast, RowBroadcast, ScalarBroadcast
from .reductions import ColReduce, RowReduce, ScalarReduce
from .stores import AuxStore


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
        return Tensor(
            f"kept{self.number}", self.element, self.shape, RowMajor, output=self.writes, columns=self.columns
        )


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


@dataclass(frozen=True)
class KeptLoad(Kept, AuxLoad):
    """A matrix of the workspace."""

    shape = TensorShape.MATRIX


KEPT: dict[type[VisitorNode], Any] = {
    RowReduce: KeptRowReduce, ColReduce: KeptColReduce, ScalarReduce: KeptScalarReduce,
    RowBroadcast: KeptRowBroadcast, ColBroadcast: KeptColBroadcast, ScalarBroadcast: KeptScalarBroadcast,
}  # fmt: skip
"""What stands for a reduction and for a broadcast where the tensor lies in the workspace."""
