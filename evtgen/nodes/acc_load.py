"""AccLoad: an accumulator, read by local coordinates from a block of the GEMM's workspace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..graph.types import ElementType
from .base import Tensors, Traits, UbParts, VisitorNode, rounded

ACCUMULATORS = ("C", "C2")
"""What formulas call the accumulators."""


@dataclass(frozen=True)
class AccLoad(VisitorNode):
    """``VisitorAccLoad<Element>``: LOAD copies the tile of C from the workspace. Arguments ``{}``.

    Attributes:
        T: element type of the accumulator.
        index: 1 for the second one of a GEMM with two (``VisitorAccLoad<Element, false, 1>``).
    """

    T: ElementType
    index: int = 0

    header = "visitor_acc_load.hpp"

    @property
    def element(self) -> ElementType:
        return self.T

    def alias(self, inputs: Sequence[str]) -> str:
        return "AccLoad"

    def subject(self, inputs: Sequence[str]) -> str:
        return ACCUMULATORS[self.index]

    def cpp(self, fusion: str) -> str:
        return self._cpp(fusion, resident=False)

    def _cpp(self, fusion: str, resident: bool) -> str:
        more = [str(resident).lower()] * (resident or self.index > 0) + [str(self.index)] * (self.index > 0)
        return f"{fusion}VisitorAccLoad<{', '.join([self.T.cpp, *more])}>"

    @property
    def traits(self) -> Traits:
        return Traits(loaded=True)

    def ub_parts(self, compute_length: int) -> UbParts:
        return UbParts(tile=compute_length * self.T.size)

    def formula(self, inputs: list[str]) -> str:
        return ACCUMULATORS[self.index]

    def golden(self, inputs: list[str], suffixes: Mapping[str, str]) -> str:
        return rounded(("acc", "acc2")[self.index], self.T)

    def evaluate(self, inputs: list[Any], tensors: Tensors) -> Any:
        return tensors.accumulator(self.index)


@dataclass(frozen=True)
class ResidentAccLoad(AccLoad):
    """``VisitorAccLoad<Element, true>``: the tile is used where the cube core stored it in UB. The planner puts it in
    the place of an :class:`AccLoad`."""

    def cpp(self, fusion: str) -> str:
        return self._cpp(fusion, resident=True)

    @property
    def traits(self) -> Traits:
        return Traits()

    def ub_parts(self, compute_length: int) -> UbParts:
        return UbParts()
