"""AuxScatter: its input, written to the rows of a user's tensor that an index vector names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from ..graph.shapes import TensorShape
from ..graph.types import ElementType, Layout, RowMajor
from .base import Tensor, bare, row_indices
from .store import Store


@dataclass(frozen=True)
class AuxScatter(Store):
    """``VisitorAuxScatter<Element, Layout>``: row i of C goes to the row ``rows``[i] of ``name``.

    Arguments ``{ptr_aux, layout, ptr_rows, layout_rows}``; ``rows`` is an M×1 tensor of int32, in which no row is
    named twice. ``name`` may have any number of rows; those that no number names are left alone, and a number that
    is that of none is left out. Returns its input.
    """

    name: str
    T: ElementType
    layout: Layout = RowMajor
    rows: str = ""

    header = "visitor_aux_scatter.hpp"
    shape: ClassVar[TensorShape] = TensorShape.MATRIX

    @property
    def tensor(self) -> Tensor:
        return replace(super().tensor, rows=self.rows)

    @property
    def indices(self) -> Tensor:
        return row_indices(self.rows)

    def assignment(self, value: str) -> str:
        return f"{self.name}[{self.rows}] = {bare(value)}"

    def golden_write(self, value: str, suffixes: Mapping[str, str], extents: tuple[str, str] = ("m", "n")) -> str:
        row = f"static_cast<size_t>(host{suffixes[self.rows]}[row])"
        return f"golden{suffixes[self.name]}[{row} * n + column] = {value};"
