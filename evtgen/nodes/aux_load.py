"""AuxLoad: a user's M×N tensor, read by global coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..graph.shapes import TensorShape
from ..graph.types import ElementType, Layout, RowMajor
from .base import Tensor, Tensors, Traits, UbParts, VisitorNode, loaded, pascal


@dataclass(frozen=True)
class AuxLoad(VisitorNode):
    """``VisitorAuxLoad<Element, Layout>``: LOAD copies the tile of ``name``. Arguments ``{ptr_aux, layout}``.

    With ``null_default`` a null pointer is allowed and stands for a tensor full of the default; the arguments then
    have a third field, ``null_default``. The default is filled in by COMPUTE, since no vector instruction runs in LOAD.
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
    def traits(self) -> Traits:
        return Traits(loaded=True, pending=self.null_default is not None)

    def ub_parts(self, compute_length: int) -> UbParts:
        return UbParts(tile=compute_length * self.T.size)

    def calls(self) -> tuple[tuple[str, ElementType], ...]:
        return () if self.null_default is None else (("Duplicate", self.T),)

    def golden(self, inputs: list[str], suffixes: Mapping[str, str]) -> str:
        return f"static_cast<float>(host{suffixes[self.name]}[row * n + column])"

    def evaluate(self, inputs: list[Any], tensors: Tensors) -> Any:
        return loaded(self.tensor, tensors)
