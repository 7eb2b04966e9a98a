"""The gallery at 4096 x 4096 x 64 on the clock: how near each is to what limits it. Aim: 0.9 where that is memory.

Nothing is computed, so the operands are zeros. ``memory`` is the share of the kernel's time that its copies take at the
full bandwidths of global memory and the L2 cache, the profile's bound; ``V``, in which V works. The larger of the two
limits it.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterator

import numpy as np

from evtgen.frontend.load import load
from evtgen.graph.shapes import Shape
from evtgen.measure.timing import timing
from evtgen.model.data import Operands
from evtgen.model.execution import OBSERVE, run_once
from evtgen.model.programs import Compilation, require_programs
from evtgen.operators.arrays import dtype
from evtgen.planner.plan import Plan, lower

from .bench_cli import EXAMPLES

SHAPE: Shape = (4096, 4096, 64)
SPECS = sorted((EXAMPLES / "gallery").glob("*.py"))


def zeros(plan: Plan, shape: Shape = SHAPE) -> Operands:
    """Operands of the right sizes; the scalars too, since nothing is computed with them."""
    problem = plan.kernel.problem(shape)
    a, b = (dtype(element) for element in plan.operands)
    loads = [tensor for tensor in plan.tensors if not tensor.output]
    inputs = {t.name: np.zeros(problem.size(t.name, t.shape), dtype(t.element)) for t in loads}
    inputs |= {scalar.name: np.zeros((1, 1), dtype(scalar.T)) for scalar in plan.scalars}
    return Operands(np.zeros((problem.m, problem.k), a), np.zeros((problem.count * problem.k, problem.n), b), inputs)


def run() -> Iterator[str]:
    """The epilogues, and the medians of the two kinds."""
    plans = [lower(epilogue) for path in SPECS for epilogue in load([path])]
    programs = require_programs(plans, Compilation(batch=8))
    shares: dict[str, list[float]] = {"memory": [], "V": []}
    os.environ["EVTGEN_MODEL_EXECUTE"] = "off"
    try:
        for plan in plans:
            done = run_once(programs[plan.name], plan, plan.kernel.problem(SHAPE), zeros(plan), OBSERVE)
            assert done.trace is not None
            (launch,) = done.report["stats"]["launches"]
            found = timing(launch, done.trace)
            parts = {"memory": found.bandwidth_bound / found.cycles, "V": found.busy["AIV"]["V"]}
            limit = max(parts, key=lambda name: parts[name])
            shares[limit].append(parts[limit])
            yield (
                f"{plan.name:24} {plan.compute_length:6} elements  {plan.ub_used:7,} bytes  {found.cycles:8,} cycles  "
                f"memory {parts['memory']:.2f}  V {parts['V']:.2f}"
            )
    finally:
        del os.environ["EVTGEN_MODEL_EXECUTE"]
    for name, of in shares.items():
        yield f"{name} limits {len(of)}, median share {statistics.median(of):.2f}"
