"""The GEMM in front with its element types chosen."""

from __future__ import annotations

from dataclasses import replace

from ..graph.ir import Gemm
from ..graph.types import ElementType, half
from ..targets import Architecture


def chosen(gemm: Gemm, reads: ElementType | None, arch: Architecture) -> Gemm:
    """The GEMM with the types that it leaves open; ``reads`` is what the AccLoad reads, None without one.

    The operands have one type: that of the one that is given, else the first whose products ``arch`` accumulates as
    the accumulator's kind: int8 for integers, half for floats. An accumulator that nobody says is half, int32 of int8.
    """
    given, c = gemm.a or gemm.b, gemm.c or reads
    kinds = (a for a, accumulated in arch.mmad.items() if accumulated.kind == (c or half).kind)
    operand = given or next(kinds, half)
    accumulated = arch.mmad.get(operand, half)
    c = c or (half if accumulated.kind == "float" else accumulated)
    return replace(gemm, a=gemm.a or operand, b=gemm.b or operand, c=c)
