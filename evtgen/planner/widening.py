"""How vector cores widen B before the matmul: from the type that it is stored in to the type of A, which is multiplied.

The graph goes over the lines of B, which are its rows, or its columns if it is ``ColumnMajor``: ``(B - b_zero) *
b_scale``, computed in half, or for bfloat16 and float32 in float32, and rounded once at the end. No instruction casts
int8 to bfloat16, nor int4 to int8, nor float4 to floats of 8 bits; the casts on the way are exact. Nor does any take
floats of 8 bits on Atlas A2, where their bits are loaded as int8 and decoded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..graph.ir import Epilogue, Gemm, Node, TopologicalVisitor
from ..graph.types import ColumnMajor, ElementType, bfloat16, float32, half, int8, int16
from ..nodes import (
    AuxLoad,
    AuxStore,
    BlockBroadcast,
    Cast,
    ColBroadcast,
    Compute,
    DecodeFloat8,
    RowBroadcast,
    WideStore,
)
from ..passes.analysis.gemm import MX, casts_b
from ..passes.analysis.tiles import feeds
from ..targets import Architecture

SCALE, ZERO = "b_scale", "b_zero"
"""The inputs that say how B is widened."""

STORED, WIDENED = "B", "WidenedB"
"""What the graph calls B, as it is stored and as it is multiplied."""

_SHARE = (256, 4096, 16)
"""A core's lines of B and their elements, about, for the length of tiles."""

_SCALES = re.compile(r"group:(\d+)|block:(\d+)x(\d+)")


def block_of(gemm: Gemm) -> tuple[int, int] | None:
    """The rows and columns of B that share a scale and a zero point: ``(128, 1)`` of ``"group:128"``, ``(128, 64)`` of
    ``"block:128x64"``; None where a column has its own, or it is no such text."""
    found = _SCALES.fullmatch(gemm.scale) if isinstance(gemm.scale, str) else None
    return None if found is None else (int(found[1] or found[2]), int(found[3] or 1))


def scale_text(rows: int | None, columns: int | None) -> str:
    """What ``Gemm.scale`` says of such a block."""
    return f"group:{rows}" if columns == 1 else f"block:{rows}x{columns}"


def loads_of(gemm: Gemm) -> Iterator[RowBroadcast | BlockBroadcast]:
    """The loads of the inputs that say how the B of a chosen GEMM is widened, over its rows: of A's type, but of
    float32 for blocks of rows and columns."""
    assert gemm.a is not None
    if not casts_b(gemm):
        return
    block = block_of(gemm)
    scaled = gemm.scale not in (None, MX)
    for name in (*((ZERO,) if gemm.zero_point else ()), *((SCALE,) if scaled else ())):
        if block is None:
            yield RowBroadcast(name, gemm.a)
        else:
            yield BlockBroadcast(name, gemm.a if block[1] == 1 else float32, block=block)


def _over_columns(load: RowBroadcast | BlockBroadcast) -> ColBroadcast | BlockBroadcast:
    """The same where the lines of B are its columns."""
    if isinstance(load, RowBroadcast):
        return ColBroadcast(load.name, load.T)
    return BlockBroadcast(load.name, load.T, ColumnMajor, load.block[::-1])


def loaded_as(gemm: Gemm, arch: Architecture) -> ElementType:
    """The type that vector cores load the B of a chosen GEMM as: its own, or of floats that they do not have, int8."""
    assert gemm.b is not None
    return gemm.b if arch.has(gemm.b) else int8


def _cast_from(gemm: Gemm, wide: ElementType, arch: Architecture | None) -> list[Node]:
    """What makes the B of a chosen GEMM ``wide``, exactly, one node after the other; where there is no architecture, a
    cast that it may not have."""
    assert gemm.b is not None
    if arch is not None and not arch.has(gemm.b):
        first: list[Node] = [Cast(half, int8), Cast(int16, half, "CAST_RINT"), DecodeFloat8(gemm.b)]
    elif arch is not None and gemm.b.minifloat:
        first = [Cast(float32, gemm.b)]
        return first if wide == float32 else [*first, Cast(half, float32, "CAST_RINT")]
    elif gemm.b.kind == "float" and gemm.b.packed > 1:
        return [Cast(bfloat16, gemm.b), Cast(float32, bfloat16)]
    else:
        first = [Cast(half, gemm.b)]
    return first if wide == half else [*first, Cast(wide, half)]


def widening(
    name: str, gemm: Gemm, arch: Architecture, *, by_rows: bool = True, meant: bool = False
) -> Epilogue | None:
    """The graph that widens the B of a chosen GEMM; None if B is multiplied as it is stored. Its matrix is B, or if not
    ``by_rows`` the transposed one. Where it is ``meant`` for a reference, B is cast and not decoded."""
    if not casts_b(gemm):
        return None
    assert gemm.a is not None and gemm.b is not None
    ops: list[Node] = [AuxLoad(STORED, gemm.b if meant else loaded_as(gemm, arch))]
    edges: list[tuple[int, ...]] = [()]

    def add(node: Node, *inputs: int) -> int:
        ops.append(node)
        edges.append(inputs)
        return len(ops) - 1

    loads = list(loads_of(gemm))
    wide = half if all(T in (half, int8) for T in (gemm.a, *(load.T for load in loads))) else float32
    value = 0
    for cast in _cast_from(gemm, wide, None if meant else arch):
        value = add(cast, value)
    for load in loads:
        other = add(load if by_rows else _over_columns(load))
        other = other if wide == load.T else add(Cast(wide, load.T), other)
        value = add(Compute("Minus" if load.name == ZERO else "Multiplies", wide), value, other)
    if wide != gemm.a:
        value = add(Cast(gemm.a, wide, "CAST_RINT"), value)
    store, share = AuxStore(WIDENED, gemm.a), _SHARE
    if feeds(gemm, arch) and not meant:
        assert gemm.l1 is not None
        lines, length = gemm.l1[2:0:-1] if by_rows else gemm.l1[1:]
        store, share = WideStore(WIDENED, gemm.a, lines=lines, length=length), (lines, length, _SHARE[2])
    add(store, value)
    return Epilogue(name, TopologicalVisitor(edges, ops), arch=arch.name, gemm=Gemm(gemm.a, gemm.a, l1=share))
