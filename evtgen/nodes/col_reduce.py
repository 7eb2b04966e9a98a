"""ColReduce: the tile's columns reduced to one, which is combined atomically with a user's M×1 tensor."""

from __future__ import annotations

from dataclasses import dataclass

from ..graph.shapes import TensorShape
from .base import UbParts
from .reduce import LaneReduce


@dataclass(frozen=True)
class ColReduce(LaneReduce):
    """``VisitorColReduce<ReduceFn, Element, Layout>``: COMPUTE reduces the columns to M×1, STORE combines that with GM.

    Arguments ``{ptr_col_out, layout, identity}``, the layout of shape (M, 1). Returns its input.
    """

    header = "visitor_col_reduce.hpp"
    shape = TensorShape.COLUMN
    function = "col_reduce"
    axis = (1,)
    over = "columns"

    def ub_parts(self, compute_length: int) -> UbParts:
        return UbParts(stored=self.lane_bytes(compute_length))
