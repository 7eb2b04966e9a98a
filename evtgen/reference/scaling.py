"""Both operands as they are multiplied: widened, or with the scales of both; B also with those of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..graph.shapes import GEMM_A, GEMM_B, MX_GROUP, Problem
from ..operators.arrays import Array
from ..passes.analysis.gemm import dequantises
from ..planner.plan import Plan
from ..planner.scales import SCALE_OF_A, SCALE_OF_B, scales
from .dequantised import scales_of
from .walk import Inputs
from .widening import multiplied


def factors(
    plan: Plan, a: Array, b: Array, inputs: Inputs, problem: Problem, *, meant: bool = False
) -> tuple[Array, Array, Problem]:
    """A and B as the cube multiplies them, or as they are ``meant``, and the problem with as many of them; with scales,
    in float64, which is exact."""
    of = list(scales(plan.gemm))
    if not of:
        return (a, *multiplied(plan, b, inputs, problem, meant=meant))
    of_columns, own_a, scale = dequantises(plan.gemm), frozenset[str](), inputs[SCALE_OF_B]
    scale = scales_of(scale, meant=meant) if of_columns else scale
    depth, width = (problem.k, 1) if of_columns else of[0].block or (MX_GROUP, 1)
    rows, scale_rows = list(problem.segments()), -(-problem.k // depth)
    of_b = [slice(part * problem.k, (part + 1) * problem.k) for part in range(problem.count)]
    of_scale = [slice(part * scale_rows, (part + 1) * scale_rows) for part in range(problem.count)]
    sides = (0, problem.k, depth), (1, problem.n, width)
    if not of_columns:
        a, own_a = _scaled(problem, (GEMM_A, SCALE_OF_A), (a, inputs[SCALE_OF_A]), (rows, rows), ((1, *sides[0][1:]),))
    b, own_b = _scaled(problem, (GEMM_B, SCALE_OF_B), (b, scale), (of_b, of_scale), sides)
    own = own_a | own_b
    repeats = frozenset((name, times) for name, times in problem.repeats if name not in own)
    return a, b, replace(problem, shared=problem.shared - own, repeats=repeats)


def _scaled(
    problem: Problem,
    names: tuple[str, str],
    arrays: tuple[Array, Array],
    places: Sequence[Sequence[slice]],
    sides: Sequence[tuple[int, int, int]],
) -> tuple[Array, frozenset[str]]:
    """An operand times its scales, and its name if each matmul now has one of its own: where they do not have both in
    common. ``sides`` are the axes along which elements share a scale, how long they are, and how many do."""
    operand, scale = (array.astype(np.float64) for array in arrays)

    def spread(scale: Array) -> Array:
        for axis, length, step in sides:
            scale = np.repeat(scale, step, axis).take(range(length), axis)
        return scale

    taken = [tuple(problem.part(name, matmul) for name in names) for matmul in range(problem.count)]
    is_one = len(sides) == 1 or not any(map(any, taken))
    if is_one and all(one == other for one, other in taken):
        return operand * spread(scale), frozenset()
    parts = [operand[places[0][one]] * spread(scale[places[1][other]]) for one, other in taken]
    return np.vstack(parts), frozenset(names[:1])
