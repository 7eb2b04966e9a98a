"""RowBroadcast: a user's 1×N row, repeated over the rows of the tile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..types import ElementType, Layout, RowMajor
from .base import Tensor, Tensors, VisitorNode, pascal


@dataclass(frozen=True)
class RowBroadcast(VisitorNode):
    """``VisitorRowBroadcast<Element, Layout>``: LOAD copies the 1×N segment, COMPUTE repeats it over the tile's rows.

    Arguments ``{ptr_row, layout}``, the layout of shape (1, N).
    """

    name: str
    T: ElementType
    layout: Layout = RowMajor

    header = "visitor_row_broadcast.hpp"

    @property
    def element(self) -> ElementType:
        return self.T

    @property
    def tensor(self) -> Tensor:
        return Tensor(self.name, self.T, ("1", "N"), self.layout, output=False)

    @property
    def alias(self) -> str:
        return f"RowBroadcast{pascal(self.name)}"

    def cpp(self, fusion: str, functor: str | None = None) -> str:
        return f"{fusion}VisitorRowBroadcast<{self.T.cpp}, {self.layout.cpp}>"

    def ub_bytes(self, compute_length: int) -> int:
        return compute_length * self.T.size

    def calls(self) -> tuple[tuple[str, ElementType], ...]:
        return (("Copy", self.T),)

    def golden(self, inputs: list[str]) -> str:
        return f"static_cast<float>(host{pascal(self.name)}[column])"

    def evaluate(self, inputs: list[Any], tensors: Tensors) -> Any:
        import numpy as np

        return np.broadcast_to(tensors.inputs[self.name], tensors.acc.shape)
