"""AuxStore: its input, written to a user's M×N tensor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..graph.shapes import TensorShape
from ..graph.types import BLOCK_BYTES, ElementType
from .base import Traits, UbParts, bare, transposed_lines, transposing
from .store import Store


@dataclass(frozen=True)
class AuxStore(Store):
    """``VisitorAuxStore<Element, Layout>``: STORE writes the tile to ``name`` straight from its input's buffer.

    With ``ColumnMajor`` the tensor lies in GM as the transposed one does by rows, N×M: COMPUTE transposes the tile
    first. Arguments ``{ptr_aux, layout}``. Returns its input, so it can sit anywhere in a graph.
    """

    header = "visitor_aux_store.hpp"
    shape = TensorShape.MATRIX

    @property
    def transposes(self) -> bool:
        """Whether it writes columns."""
        return not self.layout.by_rows

    @property
    def traits(self) -> Traits:
        return Traits(forwards=True, reads_in_compute=self.transposes, reads_in_store=not self.transposes)

    def ub_parts(self, compute_length: int) -> UbParts:
        return UbParts(stored=compute_length * self.T.size if self.transposes else 0)

    @property
    def row_align(self) -> int:
        return transposed_lines(self.T) if self.transposes else 1

    @property
    def granule(self) -> int:
        # So many rows, each of a data block of the smallest elements.
        return self.row_align * BLOCK_BYTES

    def calls(self) -> tuple[tuple[str, ElementType], ...]:
        return transposing(self.T) if self.transposes else ()

    def assignment(self, value: str) -> str:
        return super().assignment(f"transpose({bare(value)})" if self.transposes else value)

    def golden_write(self, value: str, suffixes: Mapping[str, str], extents: tuple[str, str] = ("m", "n")) -> str:
        if not self.transposes:
            return super().golden_write(value, suffixes, extents)
        return f"golden{suffixes[self.name]}[column * m + row] = {value};"
