"""ColIndex: the column that an element is in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..graph.shapes import Problem
from .base import Traits
from .position import Position


@dataclass(frozen=True)
class ColIndex(Position):
    """``VisitorColIndex``: COMPUTE counts along the tile's first row, which the others repeat.

    Arguments ``{}``.
    """

    header = "visitor_col_index.hpp"
    function = "col_index"
    noun = "column"
    variable = "column"

    @property
    def traits(self) -> Traits:
        return Traits(pending=True, has_barrier=True)

    def counted(self, problem: Problem) -> Any:
        import numpy as np

        return np.arange(problem.n)[None, :]
