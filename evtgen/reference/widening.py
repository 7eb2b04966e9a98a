"""B as it is multiplied: widened by its graph, as the device does and as it is meant."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..graph.shapes import GEMM_B, Problem
from ..graph.types import float32
from ..nodes import Cast
from ..operators.arrays import Array
from ..planner.plan import Plan
from ..planner.widening import STORED, WIDENED, loads_of, widening
from .roundings import rounded
from .walk import Inputs, formulas, values


def multiplied(plan: Plan, b: Array, inputs: Inputs, problem: Problem, *, meant: bool = False) -> tuple[Array, Problem]:
    """B as the cube multiplies it, or as it is ``meant``: computed in float64 and rounded once, to the type of A. And
    the problem with as many Bs: there is one for each matmul unless all share B and all that it is widened by."""
    names = [load.name for load in loads_of(plan.gemm)]
    graph = widening(plan.name, plan.gemm, plan.arch, meant=True) if names else None
    if graph is None:
        return b, problem  # the cast alone is exact
    called = {GEMM_B: STORED, **{name: name for name in names}}
    shared = problem.shared if problem.shared >= called.keys() else problem.shared - {GEMM_B}
    count = 1 if GEMM_B in shared else problem.count
    lines = Problem(
        (problem.k,) * count, problem.n, 0,
        frozenset(called[name] for name in problem.shared if name in called),
        repeats=frozenset((called[name], times) for name, times in problem.repeats if name in called),
    )  # fmt: skip
    given = {STORED: b, **{name: inputs[name] for name in names}}
    size = np.broadcast_to(np.zeros((), np.float64), (problem.k * count, problem.n))
    wide = (formulas(graph, given, size, lines) if meant else values(graph, size, given, lines))[WIDENED]
    if meant:
        with np.errstate(all="ignore"):
            wide = rounded(Cast(plan.operands[0], float32, "CAST_RINT"), wide)
    repeats = frozenset((name, times) for name, times in problem.repeats if name != GEMM_B)
    return wide, replace(problem, shared=shared, repeats=repeats)
