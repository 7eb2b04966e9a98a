"""RowReduce: the tile's rows reduced to one, which is combined atomically with a user's 1×N tensor."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..graph.shapes import TensorShape
from .base import Traits, UbParts
from .reduce import Reduce


@dataclass(frozen=True)
class RowReduce(Reduce):
    """``VisitorRowReduce<ReduceFn, Element, Layout>``: COMPUTE reduces the rows to 1×N, STORE combines that with GM.

    Arguments ``{ptr_row_out, layout, identity}``, the layout of shape (1, N). Returns its input.
    """

    header = "visitor_row_reduce.hpp"
    shape = TensorShape.ROW
    function = "row_reduce"
    axis = (0,)
    over = "rows"

    @property
    def traits(self) -> Traits:
        # A tile of one row is its own reduction; a mean is scaled elsewhere.
        return replace(super().traits, reads_in_store=not self.mean)

    def ub_parts(self, compute_length: int) -> UbParts:
        # Half a tile: the first halving of the rows leaves the input as it is and writes here; one row needs none, but
        # for a mean, which is scaled here.
        return UbParts(stored=(compute_length if self.mean else compute_length // 2) * self.T.size)
