"""Outputs: a root for stores and reductions that have no common root."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..graph.types import ElementType, float32
from .base import Tensors, Traits, VisitorNode


@dataclass(frozen=True)
class Outputs(VisitorNode):
    """``VisitorOutputs``: takes any number of inputs of any types, does nothing with them. Arguments ``{}``.

    It is the root of a graph whose outputs are unrelated; nothing can read it.
    """

    header = "visitor_outputs.hpp"
    min_inputs = 1
    max_inputs = None
    joins = True
    by_rows = False

    @property
    def element(self) -> ElementType:
        return float32

    @property
    def traits(self) -> Traits:
        return Traits()

    def alias(self, inputs: Sequence[str]) -> str:
        return "Outputs"

    def cpp(self, fusion: str) -> str:
        return f"{fusion}VisitorOutputs"

    def formula(self, inputs: list[str]) -> str:
        return ""

    def evaluate(self, inputs: list[Any], tensors: Tensors) -> Any:
        return None
