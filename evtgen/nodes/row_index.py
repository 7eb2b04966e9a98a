"""RowIndex: the row that an element is in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..graph.shapes import Problem
from .base import Traits
from .position import Position


@dataclass(frozen=True)
class RowIndex(Position):
    """``VisitorRowIndex``: COMPUTE fills the tile's first row with its number, and adds to it for the others.

    Arguments ``{}``.
    """

    header = "visitor_row_index.hpp"
    function = "row_index"
    noun = "row"
    variable = "row"

    @property
    def traits(self) -> Traits:
        return Traits(pending=True)

    def counted(self, problem: Problem) -> Any:
        import numpy as np

        return np.concatenate([np.arange(rows) for rows in problem.rows])[:, None]
