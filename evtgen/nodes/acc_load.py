"""AccLoad: the accumulator, read by local coordinates from a block of the GEMM's workspace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..graph.types import ElementType
from .base import Tensors, Traits, UbParts, VisitorNode, rounded


@dataclass(frozen=True)
class AccLoad(VisitorNode):
    """``VisitorAccLoad<Element>``: LOAD copies the tile of C from the workspace. Arguments ``{}``."""

    T: ElementType

    header = "visitor_acc_load.hpp"

    @property
    def element(self) -> ElementType:
        return self.T

    def alias(self, inputs: Sequence[str]) -> str:
        return "AccLoad"

    def subject(self, inputs: Sequence[str]) -> str:
        return "C"

    def cpp(self, fusion: str) -> str:
        return f"{fusion}VisitorAccLoad<{self.T.cpp}>"

    @property
    def traits(self) -> Traits:
        return Traits(loaded=True)

    def ub_parts(self, compute_length: int) -> UbParts:
        return UbParts(tile=compute_length * self.T.size)

    def formula(self, inputs: list[str]) -> str:
        return "C"

    def golden(self, inputs: list[str], suffixes: Mapping[str, str]) -> str:
        return rounded("acc", self.T)

    def evaluate(self, inputs: list[Any], tensors: Tensors) -> Any:
        return tensors.acc


@dataclass(frozen=True)
class ResidentAccLoad(AccLoad):
    """``VisitorAccLoad<Element, true>``: the tile is used where the cube core stored it in UB. The planner puts it in
    the place of an :class:`AccLoad`."""

    def cpp(self, fusion: str) -> str:
        return f"{fusion}VisitorAccLoad<{self.T.cpp}, true>"

    @property
    def traits(self) -> Traits:
        return Traits()

    def ub_parts(self, compute_length: int) -> UbParts:
        return UbParts()
