"""ScalarBroadcast: a user's single value in GM, repeated over the whole tile."""

from __future__ import annotations

from dataclasses import dataclass

from ..graph.shapes import TensorShape
from ..graph.types import ElementType
from .base import Traits
from .broadcast import Broadcast


@dataclass(frozen=True)
class ScalarBroadcast(Broadcast):
    """``VisitorScalarBroadcast<Element, Layout>``: its buffers are filled with the value once, before the first tile.

    Arguments ``{ptr_scalar, layout}``, the layout of shape (1, 1).
    """

    header = "visitor_scalar_broadcast.hpp"
    shape = TensorShape.SINGLE
    by_rows = False

    @property
    def traits(self) -> Traits:
        return Traits(kept=True)

    def calls(self) -> tuple[tuple[str, ElementType], ...]:
        return (("Duplicate", self.T),)
