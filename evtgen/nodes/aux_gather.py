"""AuxGather: rows of a user's tensor, which an index vector names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..graph.shapes import TensorShape
from ..graph.types import ElementType, Layout, RowMajor, int32
from .base import Tensor, Tensors, Traits, UbParts, VisitorNode, name_rows, pascal, row_indices


@dataclass(frozen=True)
class AuxGather(VisitorNode):
    """``VisitorAuxGather<Element, Layout>``: row i of the tile is the row ``rows``[i] of ``name``, for each row i of C.

    Arguments ``{ptr_aux, layout, ptr_rows, layout_rows}``; ``rows`` is an M×1 tensor of int32. ``name`` may have any
    number of rows; where a number is that of none, the row is 0.
    """

    name: str
    T: ElementType
    rows: str
    layout: Layout = RowMajor

    header = "visitor_aux_gather.hpp"

    @property
    def element(self) -> ElementType:
        return self.T

    @property
    def tensor(self) -> Tensor:
        return Tensor(self.name, self.T, TensorShape.MATRIX, self.layout, output=False)

    @property
    def indices(self) -> Tensor:
        return row_indices(self.rows)

    def alias(self, inputs: Sequence[str]) -> str:
        return f"AuxGather{pascal(self.name)}"

    def cpp(self, fusion: str) -> str:
        return f"{fusion}{self.template}<{self.T.cpp}, {self.layout.cpp}>"

    @property
    def traits(self) -> Traits:
        return Traits(loaded=True, pending=True)

    def ub_parts(self, compute_length: int) -> UbParts:
        return UbParts(tile=compute_length * self.T.size)

    def calls(self) -> tuple[tuple[str, ElementType], ...]:
        return (("Duplicate", int32),)

    def formula(self, inputs: list[str]) -> str:
        return f"{self.name}[{self.rows}]"

    def golden(self, inputs: list[str], suffixes: Mapping[str, str]) -> str:
        row = f"static_cast<size_t>(host{suffixes[self.rows]}[row])"
        return f"static_cast<float>(host{suffixes[self.name]}[{row} * n + column])"

    def evaluate(self, inputs: list[Any], tensors: Tensors) -> Any:
        tensor = tensors.inputs[self.name]
        rows = tensors.inputs[self.rows][:, 0].astype(int)  # a formula has all inputs in float64
        there = name_rows(rows, len(tensor))
        gathered = tensor[rows * there]
        gathered[~there] = 0
        return gathered
