"""Both operands as they are multiplied: widened, or with the scales of their MX formats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..graph.shapes import GEMM_A, GEMM_B, MX_GROUP, Problem
from ..operators.arrays import Array
from ..passes.analysis.gemm import MX
from ..planner.plan import Plan
from ..planner.scales import SCALE_OF_A, SCALE_OF_B
from .walk import Inputs
from .widening import multiplied


def factors(
    plan: Plan, a: Array, b: Array, inputs: Inputs, problem: Problem, *, meant: bool = False
) -> tuple[Array, Array, Problem]:
    """A and B as the cube multiplies them, or as they are ``meant``, and the problem with as many of them; with scales,
    in float64, which is exact."""
    if plan.gemm.scale != MX:
        return (a, *multiplied(plan, b, inputs, problem, meant=meant))
    rows, scale_rows = list(problem.segments()), problem.k // MX_GROUP
    of_b = [slice(part * problem.k, (part + 1) * problem.k) for part in range(problem.count)]
    of_scale = [slice(part * scale_rows, (part + 1) * scale_rows) for part in range(problem.count)]
    a, own_a = _scaled(problem, (GEMM_A, SCALE_OF_A), (a, inputs[SCALE_OF_A]), (rows, rows), axis=1)
    b, own_b = _scaled(problem, (GEMM_B, SCALE_OF_B), (b, inputs[SCALE_OF_B]), (of_b, of_scale), axis=0)
    own = own_a | own_b
    repeats = frozenset((name, times) for name, times in problem.repeats if name not in own)
    return a, b, replace(problem, shared=problem.shared - own, repeats=repeats)


def _scaled(
    problem: Problem, names: tuple[str, str], arrays: tuple[Array, Array], places: Sequence[Sequence[slice]], axis: int
) -> tuple[Array, frozenset[str]]:
    """An operand times its scales, and its name if each matmul now has one of its own: where they do not have both in
    common."""
    operand, scale = (array.astype(np.float64) for array in arrays)
    taken = [tuple(problem.part(name, matmul) for name in names) for matmul in range(problem.count)]
    if all(one == other for one, other in taken):
        return operand * np.repeat(scale, MX_GROUP, axis), frozenset()
    parts = [operand[places[0][one]] * np.repeat(scale[places[1][other]], MX_GROUP, axis) for one, other in taken]
    return np.vstack(parts), frozenset(names[:1])
