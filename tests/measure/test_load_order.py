"""Vector cores load in different orders, so that the L2 cache and global memory work at the same time."""

from __future__ import annotations

from collections import defaultdict

import pytest

from benchmarks import clock
from benchmarks.bench_gallery import SPECS
from evtgen.frontend.load import load
from evtgen.graph.ir import Epilogue
from evtgen.measure.timing import timing
from evtgen.model.programs import Compilation, require_programs
from evtgen.planner.plan import lower

pytestmark = pytest.mark.cxx


def of_gallery(name: str) -> Epilogue:
    return next(e for path in SPECS for e in load([path]) if e.name == name)


def test_orders_are_opposite_within_a_group_and_change_at_another_pace_in_each() -> None:
    plan = lower(of_gallery("alpha_beta"))
    program = require_programs([plan], Compilation(observe=True))[plan.name]
    done = clock.run(program, plan, (2048, 2048, 64), trace=True)
    assert done.trace is not None
    loads: dict[str, list[str]] = defaultdict(list)
    for event in sorted(done.trace.work, key=lambda event: event["ts"]):
        if done.trace.pipe(event) == "MTE2":
            loads[done.trace.core(event)].append(event["args"]["node"])
    first = {core: nodes[::2] for core, nodes in loads.items()}  # of each tile, the node that is loaded first
    assert {name for nodes in first.values() for name in nodes} == {"AccLoad", "AuxLoadX"}
    groups = range(min(4, len(first) // 2))
    for group in groups:
        one, other = first[f"AIV {group}.0"], first[f"AIV {group}.1"]
        assert all(a != b for a, b in zip(one, other, strict=True))
    assert len({tuple(first[f"AIV {group}.0"]) for group in groups}) == len(groups)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["alpha_beta", "relu_gradient", "gradient_step", "attention_scores"])
def test_memory_works_most_of_the_time(name: str) -> None:
    plan = lower(of_gallery(name))
    done = clock.run(clock.programs([plan])[name], plan, (4096, 4096, 64), trace=True)
    assert done.trace is not None
    (launch,) = done.report["stats"]["launches"]
    found = timing(launch, done.trace)
    assert found.bandwidth_bound >= 0.85 * found.cycles
