"""AuxStore: its input, written to a user's M×N tensor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..graph.shapes import TensorShape
from ..graph.types import BLOCK_BYTES, ElementType, Layout, RowMajor
from .base import Tensor, Tensors, Traits, UbParts, VisitorNode, bare, pascal, transposed_lines, transposing


@dataclass(frozen=True)
class AuxStore(VisitorNode):
    """``VisitorAuxStore<Element, Layout>``: STORE writes the tile to ``name`` straight from its input's buffer.

    With ``ColumnMajor`` the tensor lies in GM as the transposed one does by rows, N×M: COMPUTE transposes the tile
    first. Arguments ``{ptr_aux, layout}``. Returns its input, so it can sit anywhere in a graph.
    """

    name: str
    T: ElementType
    layout: Layout = RowMajor

    header = "visitor_aux_store.hpp"
    min_inputs = 1
    max_inputs = 1
    forwards = True
    writes = True
    narrows = True

    @property
    def element(self) -> ElementType:
        return self.T

    def takes(self, index: int) -> ElementType:
        return self.T

    @property
    def tensor(self) -> Tensor:
        return Tensor(self.name, self.T, TensorShape.MATRIX, self.layout, output=True)

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

    def alias(self, inputs: Sequence[str]) -> str:
        return f"AuxStore{pascal(self.name)}"

    def cpp(self, fusion: str) -> str:
        return f"{fusion}VisitorAuxStore<{self.T.cpp}, {self.layout.cpp}>"

    def assignment(self, value: str) -> str:
        return f"{self.name} = {f'transpose({bare(value)})' if self.transposes else bare(value)}"

    def golden_write(self, value: str, suffixes: Mapping[str, str], extents: tuple[str, str] = ("m", "n")) -> str:
        place = "column * m + row" if self.transposes else "row * n + column"
        return f"golden{suffixes[self.name]}[{place}] = {value};"

    def evaluate(self, inputs: list[Any], tensors: Tensors) -> Any:
        tensors.outputs[self.name] = inputs[0]
        return inputs[0]
