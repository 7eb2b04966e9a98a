"""The largest values of each row, and their columns."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..graph.shapes import Columns
from ..graph.types import ElementType, float32, int32
from .base import Calls, VisitorNode
from .parts import Part

MOST_OF_A_ROW = 32
"""Values that AscendC sorts at once (Sort32 page): as many are taken of a row at most."""


@dataclass(frozen=True)
class TopK(Part):
    """``VisitorTopK<Element, K, LONG_ROWS>``: the first ``stop`` columns of each row as it is sorted, the largest
    first, of equal ones the first, NaN before all. A tile has whole rows, or a row several tiles. Arguments ``{}``.

    Values and columns lie in its tile as AscendC sorts them: :class:`TopKResult` alone reads it.

    Attributes:
        T: element type, float32.
        start: 0.
        stop: how many are taken, 1 to 32.
        long: whether a row may have several tiles. The planner fills it in.
    """

    start: int = 0
    long: bool = field(default=False, repr=False, kw_only=True)

    header = "visitor_top_k.hpp"
    by_rows = True

    @property
    def taken(self) -> Columns:
        return Columns(self.start, self.stop, sorted=True)

    @property
    def ends(self) -> int:
        return MOST_OF_A_ROW

    def calls(self) -> Calls:
        named = (("Sort32", self.T), ("MrgSort", self.T), ("GatherMask", self.T), ("Copy", self.T))
        return *named, ("Duplicate", self.T), ("Duplicate", int32), ("Adds", int32)


@dataclass(frozen=True)
class TopKResult(VisitorNode):
    """``VisitorTopKResult<Element>``: the values of a :class:`TopK`, or with int32 their columns. Arguments ``{}``."""

    T: ElementType

    header = "visitor_top_k_result.hpp"
    min_inputs = 1
    max_inputs = 1

    def takes(self, index: int) -> ElementType:
        return float32

    def calls(self) -> Calls:
        return (("Copy", self.T),)
