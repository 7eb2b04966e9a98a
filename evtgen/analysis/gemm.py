"""The GEMM before the epilogue, with its element types chosen."""

from __future__ import annotations

from dataclasses import replace

from ..graph.ir import Gemm
from ..graph.types import ElementType, half
from ..targets import Architecture


def chosen(gemm: Gemm, reads: ElementType | None, arch: Architecture) -> Gemm:
    """The GEMM with its open types filled in; ``reads`` is the type that the AccLoad reads, None without an AccLoad.

    Both operands have the type of the one that is given, or else the first type whose products ``arch`` accumulates in
    the accumulator's kind: int8 for integers, half for floats. The default accumulator is half, or int32 for int8
    operands.
    """
    given, c = gemm.a or gemm.b, gemm.c or reads
    kinds = (a for a, accumulated in arch.mmad.items() if accumulated.kind == (c or half).kind)
    operand = given or next(kinds, half)
    accumulated = arch.mmad.get(operand, half)
    c = c or (half if accumulated.kind == "float" else accumulated)
    return replace(gemm, a=gemm.a or operand, b=gemm.b or operand, c=c)
