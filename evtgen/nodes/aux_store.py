"""AuxStore: its input, written to a user's M×N tensor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..graph.shapes import TensorShape
from ..graph.types import ElementType, Layout, RowMajor
from .base import Tensor, Tensors, Traits, VisitorNode, bare, pascal


@dataclass(frozen=True)
class AuxStore(VisitorNode):
    """``VisitorAuxStore<Element, Layout>``: STORE writes the tile to ``name`` straight from its input's buffer.

    Arguments ``{ptr_aux, layout}``. Returns its input, so it can sit anywhere in a graph.
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
    def traits(self) -> Traits:
        return Traits(forwards=True, reads_in_store=True)

    def alias(self, inputs: Sequence[str]) -> str:
        return f"AuxStore{pascal(self.name)}"

    def cpp(self, fusion: str) -> str:
        return f"{fusion}VisitorAuxStore<{self.T.cpp}, {self.layout.cpp}>"

    def assignment(self, value: str) -> str:
        return f"{self.name} = {bare(value)}"

    def golden_write(self, value: str, suffixes: Mapping[str, str], extents: tuple[str, str] = ("m", "n")) -> str:
        return f"golden{suffixes[self.name]}[row * n + column] = {value};"

    def evaluate(self, inputs: list[Any], tensors: Tensors) -> Any:
        tensors.outputs[self.name] = inputs[0]
        return inputs[0]
