"""The base of the positions: where an element stands in the product, a whole number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..graph.shapes import Problem
from ..graph.types import ElementType, int32
from .base import Tensors, UbParts, VisitorNode


@dataclass(frozen=True)
class Position(VisitorNode):
    """No input, (M, N) of int32 out: the row or the column, counted from 0 in each matmul of a launch.

    Its template is ``Visitor<kind>``, its arguments are ``{}``.

    Attributes:
        function: its name in ``ops``.
        noun: what is counted.
        variable: the number in the loops of an example program.
    """

    function: ClassVar[str]
    noun: ClassVar[str]
    variable: ClassVar[str]

    @property
    def element(self) -> ElementType:
        return int32

    def alias(self, inputs: Sequence[str]) -> str:
        return type(self).__name__

    def cpp(self, fusion: str) -> str:
        return f"{fusion}{self.template}"

    def ub_parts(self, compute_length: int) -> UbParts:
        return UbParts(tile=compute_length * int32.size)

    def calls(self) -> tuple[tuple[str, ElementType], ...]:
        return (("Duplicate", int32), ("Adds", int32))

    def formula(self, inputs: list[str]) -> str:
        return f"{self.function}()"

    def golden(self, inputs: list[str], suffixes: Mapping[str, str]) -> str:
        return f"static_cast<float>({self.variable})"

    def evaluate(self, inputs: list[Any], tensors: Tensors) -> Any:
        import numpy as np

        return np.broadcast_to(self.counted(tensors.problem).astype(np.int32), tensors.acc.shape)

    def counted(self, problem: Problem) -> Any:
        """The positions in each row of a problem, (M, 1), or in each column, (1, N)."""
        raise NotImplementedError
