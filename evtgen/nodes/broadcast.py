"""The base of the broadcasts: a tensor of one row, one column or one value, spread over the tile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..graph.shapes import TensorShape
from ..graph.types import ElementType, Layout, RowMajor
from .base import Tensor, Tensors, UbParts, VisitorNode, loaded, pascal


@dataclass(frozen=True)
class Broadcast(VisitorNode):
    """A load whose tensor is smaller than M×N in one or both extents; ``shape`` is its shape.

    Its template is ``Visitor<kind><Element, Layout>``, its arguments are ``{ptr, layout}``. With ``null_default`` a
    null pointer is allowed and stands for a tensor full of the default, as for an AuxLoad.
    """

    name: str
    T: ElementType
    layout: Layout = RowMajor
    null_default: float | int | None = None

    shape: ClassVar[TensorShape]

    @property
    def element(self) -> ElementType:
        return self.T

    @property
    def tensor(self) -> Tensor:
        return Tensor(self.name, self.T, self.shape, self.layout, output=False, null_default=self.null_default)

    def alias(self, inputs: Sequence[str]) -> str:
        return f"{self.template.removeprefix('Visitor')}{pascal(self.name)}"

    def cpp(self, fusion: str) -> str:
        opt_in = "" if self.null_default is None else ", true"
        return f"{fusion}{self.template}<{self.T.cpp}, {self.layout.cpp}{opt_in}>"

    def ub_parts(self, compute_length: int) -> UbParts:
        return UbParts(tile=compute_length * self.T.size)

    def calls(self) -> tuple[tuple[str, ElementType], ...]:
        return () if self.null_default is None else (("Duplicate", self.T),)

    def golden(self, inputs: list[str], suffixes: Mapping[str, str]) -> str:
        return f"static_cast<float>(host{suffixes[self.name]}[{self.shape.index}])"

    def evaluate(self, inputs: list[Any], tensors: Tensors) -> Any:
        return loaded(self.tensor, tensors)
