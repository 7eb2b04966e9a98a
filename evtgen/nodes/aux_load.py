"""AuxLoad: a user's M×N tensor, read by global coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..graph.shapes import TensorShape
from ..graph.types import BLOCK_BYTES, ElementType, Layout, RowMajor
from .base import Tensor, Tensors, Traits, UbParts, VisitorNode, loaded, pascal, transposed_lines, transposing


@dataclass(frozen=True)
class AuxLoad(VisitorNode):
    """``VisitorAuxLoad<Element, Layout>``: LOAD copies the tile of ``name``. Arguments ``{ptr_aux, layout}``.

    With ``null_default`` a null pointer is allowed and stands for a tensor full of the default; the arguments then
    have a third field, ``null_default``. The default is filled in by COMPUTE, since no vector instruction runs in LOAD.
    With ``ColumnMajor`` the tensor lies in GM as the transposed one does by rows, N×M: COMPUTE transposes the tile.
    """

    name: str
    T: ElementType
    layout: Layout = RowMajor
    null_default: float | int | None = None

    header = "visitor_aux_load.hpp"

    @property
    def element(self) -> ElementType:
        return self.T

    @property
    def tensor(self) -> Tensor:
        return Tensor(self.name, self.T, TensorShape.MATRIX, self.layout, output=False, null_default=self.null_default)

    def alias(self, inputs: Sequence[str]) -> str:
        return f"AuxLoad{pascal(self.name)}"

    def cpp(self, fusion: str) -> str:
        opt_in = "" if self.null_default is None else ", true"
        return f"{fusion}VisitorAuxLoad<{self.T.cpp}, {self.layout.cpp}{opt_in}>"

    @property
    def transposes(self) -> bool:
        """Whether it reads columns."""
        return not self.layout.by_rows

    @property
    def traits(self) -> Traits:
        return Traits(loaded=not self.transposes, pending=self.transposes or self.null_default is not None)

    def ub_parts(self, compute_length: int) -> UbParts:
        tile = compute_length * self.T.size
        return UbParts(tile=tile, loaded=tile if self.transposes else 0)

    @property
    def stride_align(self) -> int:
        return transposed_lines(self.T) if self.transposes else super().stride_align

    @property
    def row_align(self) -> int:
        return BLOCK_BYTES // self.T.size if self.transposes else 1

    @property
    def granule(self) -> int:
        # So many rows, each of a data block of the smallest elements.
        return self.row_align * BLOCK_BYTES

    def calls(self) -> tuple[tuple[str, ElementType], ...]:
        filling = () if self.null_default is None else (("Duplicate", self.T),)
        return (*(transposing(self.T) if self.transposes else ()), *filling)

    def golden(self, inputs: list[str], suffixes: Mapping[str, str]) -> str:
        place = "column * m + row" if self.transposes else "row * n + column"
        return f"static_cast<float>(host{suffixes[self.name]}[{place}])"

    def evaluate(self, inputs: list[Any], tensors: Tensors) -> Any:
        return loaded(self.tensor, tensors)
