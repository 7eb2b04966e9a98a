"""The scales of operands in MX formats: 32 elements along K share one.

One is a power of two in a byte (float8_e8m0fnu). Those of a row of A, or of a column of B, are neighbours: A is
``RowMajor`` and B is ``ColumnMajor`` (Catlass, examples 53, 55 and 58).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..graph.ir import Gemm
from ..graph.shapes import MX_GROUP, TensorShape
from ..graph.types import ColumnMajor, ElementType, Layout, RowMajor, float8_e8m0fnu
from ..nodes import Tensor, VisitorNode
from ..passes.analysis.gemm import MX
from .widening import SCALE

SCALE_OF_A, SCALE_OF_B = "a_scale", SCALE
"""The inputs that have them: M x K/32 and K/32 x N."""


@dataclass(frozen=True)
class OperandScale(VisitorNode):
    """``Scaled``'s arguments of an operand; no node of a graph.

    Attributes:
        of_a: whether they are A's.
    """

    name: str
    of_a: bool
    T: ElementType = float8_e8m0fnu

    header = "scaled.hpp"

    @property
    def layout(self) -> Layout:
        return RowMajor if self.of_a else ColumnMajor

    @property
    def tensor(self) -> Tensor:
        shape = TensorShape.GROUPS_OF_A if self.of_a else TensorShape.BLOCKS
        return Tensor(self.name, self.T, shape, self.layout, output=False, depth=MX_GROUP)


def scales(gemm: Gemm) -> Iterator[OperandScale]:
    """The inputs with the scales of the operands of a GEMM, if these are in MX formats."""
    if gemm.scale == MX:
        yield OperandScale(SCALE_OF_A, of_a=True)
        yield OperandScale(SCALE_OF_B, of_a=False)
