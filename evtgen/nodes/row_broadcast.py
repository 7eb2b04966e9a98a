"""RowBroadcast: a user's 1×N row, repeated over the rows of the tile."""

from __future__ import annotations

from dataclasses import dataclass

from ..graph.shapes import TensorShape
from ..graph.types import ElementType
from .base import Traits
from .broadcast import Broadcast


@dataclass(frozen=True)
class RowBroadcast(Broadcast):
    """``VisitorRowBroadcast<Element, Layout>``: LOAD copies the 1×N segment, COMPUTE repeats it over the tile's rows.

    Arguments ``{ptr_row, layout}``, the layout of shape (1, N).
    """

    header = "visitor_row_broadcast.hpp"
    shape = TensorShape.ROW

    @property
    def traits(self) -> Traits:
        return Traits(loaded=True, pending=True)

    def calls(self) -> tuple[tuple[str, ElementType], ...]:
        return ("Copy", self.T), *super().calls()
