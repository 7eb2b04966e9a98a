"""ColBroadcast: a user's M×1 column, repeated over the columns of the tile."""

from __future__ import annotations

from dataclasses import dataclass

from ..graph.shapes import TensorShape
from ..graph.types import BLOCK_BYTES, ElementType
from .base import MAX_TILE_ROWS, Traits, UbParts
from .broadcast import Broadcast


@dataclass(frozen=True)
class ColBroadcast(Broadcast):
    """``VisitorColBroadcast<Element, Layout>``: LOAD copies the M×1 segment, COMPUTE spreads each value over its row.

    Arguments ``{ptr_col, layout}``, the layout of shape (M, 1).
    """

    header = "visitor_col_broadcast.hpp"
    shape = TensorShape.COLUMN

    @property
    def traits(self) -> Traits:
        # A null pointer's COMPUTE has no barrier.
        return Traits(pending=True, has_barrier=self.null_default is None)

    def ub_parts(self, compute_length: int) -> UbParts:
        # The tile, the values of its rows, and a data block for each of the last few rows.
        blocks = BLOCK_BYTES // self.T.size * BLOCK_BYTES
        return UbParts(compute_length * self.T.size, loaded=MAX_TILE_ROWS * self.T.size, scratch=blocks)

    def calls(self) -> tuple[tuple[str, ElementType], ...]:
        return ("Brcb", self.T), ("Copy", self.T), *super().calls()
