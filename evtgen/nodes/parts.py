"""Parts of the columns of a value."""

from __future__ import annotations

from dataclasses import dataclass

from ..graph.shapes import Columns
from ..graph.types import ElementType
from .base import Calls, VisitorNode


@dataclass(frozen=True)
class Part(VisitorNode):
    """``VisitorPart<Element, FIRST, END>``: columns ``start`` to ``stop`` - 1 of its input, without any work: no tile
    has columns on both sides of where it begins or ends. Arguments ``{}``.

    Attributes:
        T: element type.
        start, stop: its columns among those of its input; None is their end.
    """

    T: ElementType
    start: int
    stop: int | None = None

    header = "visitor_part.hpp"
    min_inputs = 1
    max_inputs = 1
    by_rows = False

    @property
    def taken(self) -> Columns:
        """Its columns among those of its input."""
        return Columns(self.start, self.stop)

    def takes(self, index: int) -> ElementType:
        return self.T


@dataclass(frozen=True)
class Alternate(Part):
    """``VisitorAlternate<Element, FIRST>``: every second column of its input, from ``start`` on, 0 or 1, side by side.

    Its input has all columns of C. What is computed of it has N / 2, and so have the tensors that it meets. Arguments
    ``{}``.
    """

    header = "visitor_alternate.hpp"

    @property
    def taken(self) -> Columns:
        return Columns(self.start, self.stop, 2)

    def calls(self) -> Calls:
        return (("GatherMask", self.T),)
