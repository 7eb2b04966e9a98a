"""Wins on the clock of Atlas A2 with half and double of each assumed constant, one at a time. Aim: none is lost.

A win is the time of one kernel over the time of another, or of two. The constants are those without a source, and the
prices without one of calls that the kernels make. Printed are those that change the ratio by 0.5 % or more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from typing import Any

from evtgen import Acc, Epilogue, epilogue, float32, half, ops
from evtgen.frontend.load import load
from evtgen.graph.shapes import Shape
from evtgen.measure.clock import assumed
from evtgen.model.toolchain import Program
from evtgen.planner.plan import Plan, lower

from . import bench_phases, clock
from .bench_gallery import SPECS

SHAPE: Shape = (4096, 4096, 64)
FACTORS = (0.5, 2.0)
CHANGE = 0.005


@epilogue
def by_total(acc: Acc[float32]) -> Any:
    weights = ops.exp(acc)
    return {"D": (weights / ops.col_reduce(weights, "add")).cast(half)}


@epilogue
def by_inverse(acc: Acc[float32]) -> Any:
    weights = ops.exp(acc)
    return {"D": (weights * (1.0 / ops.col_reduce(weights, "add"))).cast(half)}


def wins() -> Iterator[tuple[str, Epilogue, tuple[Epilogue, ...]]]:
    """Each with its kernel, and those that it is compared with."""
    gallery = {one.name: one for path in SPECS for one in load([path])}
    yield "causal_softmax / softmax", gallery["causal_softmax"], (gallery["softmax"],)
    yield "1.0 / total, total", by_inverse, (by_total,)
    for fused, alone in bench_phases.PAIRS:
        yield f"{fused.name} / two kernels", fused, (bench_phases.stored, alone)


def run() -> Iterator[str]:
    """A line for each win: the ratio, and each constant with the ratio at its half and its double."""
    for title, one, others in wins():
        plans = [lower(each) for each in (one, *others)]
        programs = clock.programs(plans)
        plain, calls = _ratio(plans, programs)
        changed = []
        for constant in assumed("AtlasA2", calls):
            ratios = [_ratio(plans, programs, constant, factor)[0] for factor in FACTORS]
            if any(abs(ratio - plain) >= CHANGE for ratio in ratios):
                changed.append(f"{constant} {' '.join(f'{ratio:.3f}' for ratio in ratios)}")
        yield f"{title:26} {plain:.3f}   {'   '.join(changed) or 'no constant changes it'}"


def _ratio(
    plans: list[Plan], programs: Mapping[str, Program], constant: str = "", factor: float = 1.0
) -> tuple[float, set[str]]:
    """Of the first to the others, and the calls of all. Two kernels have the fixed cost of a launch each."""
    with clock.scaled(constant, factor) if constant else nullcontext():
        launches = [clock.launch(programs[plan.name], plan, SHAPE) for plan in plans]
    fixed = launches[0]["launch"] if len(plans) > 2 else 0
    first, *others = (launch["makespan"] + fixed for launch in launches)
    return first / sum(others), {call["call"] for launch in launches for call in launch["calls"]}
