"""Loading ahead: ``preload_async`` against ``pingpong`` for matmul + add, by K and blocks in the workspace."""

from __future__ import annotations

from collections.abc import Iterator

from evtgen import Epilogue, Gemm, TreeVisitor, half
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Compute
from evtgen.passes.analysis.gemm import PINGPONG, PRELOADING, WORKSPACE_STAGES
from evtgen.planner.plan import Plan, lower

from . import clock

DEPTHS = (64, 256, 1024, 4096)
STAGES = range(1, WORKSPACE_STAGES + 1)


def plan_of(policy: str, stages: int) -> Plan:
    """D = C + X in half."""
    total = TreeVisitor(Compute("Plus", half), AccLoad(half), AuxLoad("X", half))
    gemm = Gemm(policy=policy, workspace_stages=stages)
    return lower(Epilogue(f"{policy}_{stages}", TreeVisitor(AuxStore("D", half), total), gemm=gemm))


def run() -> Iterator[str]:
    """Each K: kilocycles of both policies and their ratio, for each number of blocks."""
    plans = {(policy, stages): plan_of(policy, stages) for policy in (PINGPONG, PRELOADING) for stages in STAGES}
    programs = clock.programs(plans.values())
    for k in DEPTHS:
        cells = []
        for stages in STAGES:
            both = (plans[policy, stages] for policy in (PINGPONG, PRELOADING))
            plain, ahead = (clock.cycles(programs[plan.name], plan, (4096, 4096, k)) for plan in both)
            cells.append(f"{stages}: {plain / 1000:8.1f} -> {ahead / 1000:8.1f}, {ahead / plain:.3f}")
        yield f"K {k:4}  blocks " + "   ".join(cells)
