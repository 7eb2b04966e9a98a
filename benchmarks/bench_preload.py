"""Loading ahead: ``preload_async`` against ``pingpong`` for matmul + add, by K and blocks in the workspace."""

from __future__ import annotations

from collections.abc import Iterator

from evtgen import Epilogue, Gemm, TreeVisitor, half
from evtgen.graph.shapes import Shape
from evtgen.model.execution import Settings, run_once
from evtgen.model.programs import Compilation, require_programs
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Compute
from evtgen.passes.analysis.gemm import PINGPONG, PRELOADING, WORKSPACE_STAGES
from evtgen.planner.plan import Plan, lower

from .bench_gallery import zeros

DEPTHS = (64, 256, 1024, 4096)
STAGES = range(1, WORKSPACE_STAGES + 1)
CLOCK = Settings(checks=False, clock=True, environment={"EVTGEN_MODEL_EXECUTE": "off"})


def plan_of(policy: str, stages: int) -> Plan:
    """D = C + X in half."""
    total = TreeVisitor(Compute("Plus", half), AccLoad(half), AuxLoad("X", half))
    gemm = Gemm(policy=policy, workspace_stages=stages)
    return lower(Epilogue(f"{policy}_{stages}", TreeVisitor(AuxStore("D", half), total), gemm=gemm))


def run() -> Iterator[str]:
    """Each K: kilocycles of both policies and their ratio, for each number of blocks."""
    plans = {(policy, stages): plan_of(policy, stages) for policy in (PINGPONG, PRELOADING) for stages in STAGES}
    programs = require_programs(list(plans.values()), Compilation(batch=len(plans)))

    def cycles(plan: Plan, shape: Shape) -> int:
        (launch,) = run_once(programs[plan.name], plan, shape, zeros(plan, shape), CLOCK).report["stats"]["launches"]
        return int(launch["makespan"])

    for k in DEPTHS:
        cells = []
        for stages in STAGES:
            plain, ahead = (cycles(plans[policy, stages], (4096, 4096, k)) for policy in (PINGPONG, PRELOADING))
            cells.append(f"{stages}: {plain / 1000:8.1f} -> {ahead / 1000:8.1f}, {ahead / plain:.3f}")
        yield f"K {k:4}  blocks " + "   ".join(cells)
