"""ScalarReduce: the whole tile reduced to one value, which is combined atomically with a user's 1×1 tensor."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..graph.shapes import TensorShape
from ..graph.types import BLOCK_BYTES
from .base import Traits, UbParts
from .reduce import LaneReduce


@dataclass(frozen=True)
class ScalarReduce(LaneReduce):
    """``VisitorScalarReduce<ReduceFn, Element, Layout>``: COMPUTE reduces the tile to one value, STORE combines it with
    GM.

    Arguments ``{ptr_scalar_out, layout, identity}``, the layout of shape (1, 1). Returns its input.
    """

    header = "visitor_scalar_reduce.hpp"
    shape = TensorShape.SINGLE
    function = "scalar_reduce"
    axis = (0, 1)
    over = "elements"

    @property
    def traits(self) -> Traits:
        return replace(super().traits, has_barrier=True)

    def ub_parts(self, compute_length: int) -> UbParts:
        # The rows' values, and up to four data blocks in which these are reduced.
        return UbParts(scratch=self.lane_bytes(compute_length), stored=4 * BLOCK_BYTES)
