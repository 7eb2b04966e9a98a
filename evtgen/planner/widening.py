"""How vector cores widen B before the matmul: from the type that it is stored in to the type of A, which is multiplied.

The graph goes over the lines of B, which are its rows, or its columns if it is ``ColumnMajor``: ``(B - b_zero) *
b_scale``, computed in half, or for bfloat16 in float32, and rounded once at the end. No instruction casts int8 to
bfloat16; the casts on the way are exact.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..graph.ir import Epilogue, Gemm, Node, TopologicalVisitor
from ..graph.types import float32, half
from ..nodes import AuxLoad, AuxStore, Cast, ColBroadcast, Compute, RowBroadcast
from ..passes.analysis.gemm import casts_b

SCALE, ZERO = "b_scale", "b_zero"
"""The inputs that say how B is widened: 1 x N each, of A's type."""

STORED, WIDENED = "B", "WidenedB"
"""What the graph calls B, as it is stored and as it is multiplied."""

_SHARE = (256, 4096, 16)
"""A core's lines of B and their elements, about, for the length of tiles."""


def vectors(gemm: Gemm) -> Iterator[RowBroadcast]:
    """The loads of the inputs that say how the B of a chosen GEMM is widened."""
    assert gemm.a is not None
    if gemm.zero_point:
        yield RowBroadcast(ZERO, gemm.a)
    if gemm.scale is not None:
        yield RowBroadcast(SCALE, gemm.a)


def widening(name: str, gemm: Gemm, arch: str, *, by_rows: bool = True) -> Epilogue | None:
    """The graph that widens the B of a chosen GEMM; None if B is multiplied as it is stored. Its matrix is B, or if not
    ``by_rows`` the transposed one."""
    if not casts_b(gemm):
        return None
    assert gemm.a is not None and gemm.b is not None
    ops: list[Node] = [AuxLoad(STORED, gemm.b)]
    edges: list[tuple[int, ...]] = [()]

    def add(node: Node, *inputs: int) -> int:
        ops.append(node)
        edges.append(inputs)
        return len(ops) - 1

    wide = half if gemm.a == half else float32
    value = add(Cast(half, gemm.b), 0)
    if wide != half:
        value = add(Cast(wide, half), value)
    for vector in vectors(gemm):
        other = add(vector if by_rows else ColBroadcast(vector.name, vector.T))
        other = other if wide == vector.T else add(Cast(wide, vector.T), other)
        value = add(Compute("Minus" if vector.name == ZERO else "Multiplies", wide), value, other)
    if wide != gemm.a:
        value = add(Cast(gemm.a, wide, "CAST_RINT"), value)
    add(AuxStore(WIDENED, gemm.a), value)
    return Epilogue(name, TopologicalVisitor(edges, ops), arch=arch, gemm=Gemm(gemm.a, gemm.a, l1=_SHARE))
