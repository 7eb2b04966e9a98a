"""The GEMM before the epilogue, with all that was left open chosen, and the workspace that its product takes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...diagnostics.files import WITHIN_FRACTAL
from ...graph.ir import Gemm
from ...graph.location import Location
from ...graph.shapes import Problem
from ...graph.types import ColumnMajor, ElementType, RowMajor, float8_e4m3fn, float8_e5m2, float32, half, int4, int8
from ...targets import Architecture
from ...targets.architecture import WEIGHTS
from .tiles import SIDE, MmadTypes, chosen_tiles, mmad_types

WORKSPACE_STAGES = 3
"""Blocks per cube core of an accumulator of which nothing needs the whole; the template's default, too.

The vector cores read one while the cube core writes the next. With a third, it need not wait before it loads its
operands: with two, the modelled time of matmul + add at 4096 x 4096 x 256 is 1.27 times that with three."""

PRELOADING, PINGPONG = "preload_async", "pingpong"
"""How the cube core goes from one block to the next."""

MX = "mx"
"""What ``Gemm.scale`` says of operands in MX formats."""

COLUMN = "column"
"""The same of a B with a scale for each column, or of such a product."""

DEQUANTISED = frozenset({(int8, int8), (int4, int4)})
"""The operands whose product may have a scale for each column: the cube core then stores it as half."""

DIGITS = 3
"""Rows of digits of int4 for each row of an A of int8: the high digits, the low ones, and -8 in every place."""

SLICED = frozenset(
    {(int8, int8), *((a, b) for a in (float8_e4m3fn, float8_e5m2) for b in (float8_e4m3fn, float8_e5m2))}
)
"""The operands that may both have scales of groups of K."""

PRELOADING_STAGES = 2
"""The same with blocks that are loaded ahead: a core that waits has loaded what it needs when the wait is over, so two
take as long as three (``python -m benchmarks preload``)."""

MAX_WORKSPACE_STAGES = 15
"""How often a cross-core flag can be set before it is waited for (AscendC API reference, CrossCoreSetFlag): so many
blocks may a cube core be ahead of its vector cores, however large the workspace."""


def chosen(gemm: Gemm, reads: ElementType | None, arch: Architecture) -> Gemm:
    """The GEMM with its open fields filled in; ``reads`` is the type that the AccLoad reads, None without an AccLoad.

    An operand has the type of the one that is given, or else the first type whose products ``arch`` accumulates in
    the accumulator's kind: int8 for integers, half for floats. The default accumulator is half, or int32 for int8
    operands.
    """
    given, c = gemm.a or gemm.b, gemm.c or reads
    kinds = (a for (a, _), accumulated in arch.mmad.items() if accumulated.kind == (c or half).kind)
    operand = given or next(kinds, half)
    a, b = gemm.a or operand, gemm.b or operand
    accumulated = arch.mmad.get((a, b), half)
    gemm = replace(gemm, a=a, b=b)
    c = c or (float32 if adds_slices(gemm) else half if _stores_half(gemm, accumulated) else accumulated)
    stages = 0 if gemm.split_k > 1 or adds_slices(gemm) else gemm.workspace_stages
    if stages is None:
        # Without an AccLoad the cube core would overwrite what nobody has read, which the CPU model warns of.
        stages = 0 if reads is None else PRELOADING_STAGES if gemm.policy == PRELOADING else WORKSPACE_STAGES
    gemm = replace(gemm, c=c, workspace_stages=stages, policy=gemm.policy or _policy(stages, gemm))
    l1, l0 = chosen_tiles(gemm, types_of(gemm, arch))
    return replace(gemm, l1=l1, l0=l0)


def _stores_half(gemm: Gemm, accumulated: ElementType) -> bool:
    return accumulated.kind == "float" or dequantises(gemm)


def types_of(gemm: Gemm, arch: Architecture) -> MmadTypes:
    """The types that the tiles of a GEMM with known operands depend on."""
    assert gemm.a is not None and gemm.b is not None
    a = gemm.b if in_digits(gemm) else gemm.a
    return mmad_types(a, gemm.b, arch, mx=gemm.scale == MX, dequantises=dequantises(gemm))


def _policy(stages: int, gemm: Gemm) -> str:
    """The policy by the numbers of docs/decisions.md: a core loads ahead where it would wait otherwise. With scales,
    there is one."""
    scaled = gemm.scale == MX or dequantises(gemm)
    return PRELOADING if 0 < stages < WORKSPACE_STAGES and not scaled else PINGPONG


def block_shape(gemm: Gemm) -> tuple[int, int]:
    """Rows and columns of a whole block of a chosen GEMM."""
    assert gemm.l1 is not None
    rows, columns, _ = gemm.l1
    return rows // DIGITS if in_digits(gemm) else rows, columns


def casts_b(gemm: Gemm) -> bool:
    """Whether vector cores cast the B of a chosen GEMM to the type of its A before the cube core multiplies it."""
    return (gemm.a, gemm.b) in WEIGHTS and not in_digits(gemm)


def in_digits(gemm: Gemm) -> bool:
    """Whether the A of a chosen GEMM is multiplied in digits of B's type, which vector cores make of it."""
    return gemm.msd is True and (gemm.a, gemm.b) == (int8, int4)


def adds_slices(gemm: Gemm) -> bool:
    """Whether both operands of a chosen GEMM have scales of groups of K: vector cores then multiply the product of each
    slice of K by them, and add the products up."""
    return isinstance(gemm.scale, str) and gemm.scale not in (COLUMN, MX) and (gemm.a, gemm.b) in SLICED


def dequantises(gemm: Gemm) -> bool:
    """Whether the cube core multiplies each column of the product of a chosen GEMM by a scale while it stores it."""
    return gemm.scale == COLUMN and (gemm.a, gemm.b) in DEQUANTISED


def half_step(gemm: Gemm) -> int:
    """What N of a chosen GEMM is a multiple of: the second half of one B of fractals begins with one of these."""
    if gemm.accumulators != "halves" or not gemm.layout_b.fractal:
        return 1
    assert gemm.b is not None
    return gemm.b.per_block if gemm.layout_b.by_rows else SIDE


def whole_bytes(gemm: Gemm) -> tuple[int, int]:
    """What N and K of a chosen GEMM are multiples of: lines of A and of B are whole bytes."""
    assert gemm.a is not None and gemm.b is not None
    of_n = gemm.b.packed if gemm.layout_b == RowMajor else 1
    of_a = (gemm.b if in_digits(gemm) else gemm.a).packed if gemm.layout_a == RowMajor else 1
    return of_n, max(of_a, gemm.b.packed if gemm.layout_b == ColumnMajor else 1)


def require_halves(name: str, gemm: Gemm, columns: Iterable[int], location: Location | None = None) -> None:
    """Raises EvtgenError (EVT241) if one of these N has the second half of B begin within a fractal."""
    step = half_step(gemm)
    for n in columns:
        if n % step:
            fields: dict[str, Any] = {"name": name, "layout": gemm.layout_b, "T": gemm.b, "step": step, "n": n}
            raise WITHIN_FRACTAL.refusal(at=location, **fields)


def subblock_rows(gemm: Gemm, arch: Architecture) -> int:
    """Rows of a whole block that one vector core has; the last one may have fewer."""
    return -(-block_shape(gemm)[0] // arch.vector_cores)


def exceeds_stages(gemm: Gemm, problem: Problem, cores: int) -> bool:
    """Whether a problem has so many blocks that some of ``cores`` cube cores wait for their vector cores: to
    read what the next block replaces, or to catch up."""
    rows, columns = block_shape(gemm)
    assert gemm.l1 is not None
    slices = min(gemm.split_k, -(-problem.k // gemm.l1[2]))
    blocks = sum(-(-m // rows) for m in problem.rows) * -(-problem.n // columns) * slices
    return blocks > cores * (gemm.workspace_stages or MAX_WORKSPACE_STAGES)


def workspace_bytes(gemm: Gemm, m: int, n: int, arch: Architecture, cores: int, *, products_in_ub: bool = False) -> int:
    """Bytes of the workspace that the product of a chosen GEMM takes, of (m, n) on ``cores`` cube cores, or both
    products; of one whose K is split, also those of its slices, which are not rounded; of one that adds up slices with
    scales, also the blocks of those in flight, unless these are in UB."""
    assert gemm.a is not None and gemm.b is not None and gemm.c is not None
    accumulators = DIGITS if in_digits(gemm) else 1 if gemm.accumulators is None else 2
    if adds_slices(gemm):  # as many in flight as the kernel has places for
        places = 0 if products_in_ub else cores * WORKSPACE_STAGES
        return (m * n + places * math.prod(block_shape(gemm))) * gemm.c.size
    if not gemm.workspace_stages:
        slices = gemm.split_k * arch.mmad[gemm.a, gemm.b].size if gemm.split_k > 1 else 0
        return m * n * (accumulators * gemm.c.size + slices)
    assert gemm.l1 is not None
    rows = gemm.l1[0] if in_digits(gemm) else accumulators * gemm.l1[0]
    return cores * gemm.workspace_stages * rows * gemm.l1[1] * gemm.c.size
