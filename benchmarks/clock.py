"""The clock that the benchmarks share: launches of epilogues at a shape, in modelled cycles.

Only the clock runs, so the operands are zeros. Memory keeps no contents then; an epilogue whose work depends on what is
in memory, the sizes of its groups or the numbers of its rows, is computed too.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from evtgen.graph.shapes import Shape
from evtgen.kernels import DEFAULTS, Matmuls
from evtgen.measure.clock import CLOCK, NOT_COMPUTED, SCALE, uncomputed, zeros
from evtgen.model.execution import Run, run_once
from evtgen.model.programs import Compilation, require_programs
from evtgen.model.toolchain import Program
from evtgen.planner.plan import Plan

SETTINGS = replace(CLOCK, timeout=300)


def programs(plans: Iterable[Plan]) -> dict[str, Program]:
    """A program for each plan, by its name, a few to a compilation."""
    plans = list(plans)
    return require_programs(plans, Compilation(batch=min(len(plans), 8)))


def run(
    program: Program,
    plan: Plan,
    shape: Shape,
    *,
    trace: bool = False,
    environment: Mapping[str, str] | None = None,
    asked: Matmuls = DEFAULTS,
) -> Run:
    """One launch. Raises EvtgenError (EVT075) when it does not come to its end."""
    problem = plan.kernel.problem(shape, asked)
    settings = uncomputed(plan, replace(SETTINGS, trace=trace, environment=environment or {}))
    return run_once(program, plan, problem, zeros(plan, problem), settings)


def launch(
    program: Program,
    plan: Plan,
    shape: Shape,
    environment: Mapping[str, str] | None = None,
    asked: Matmuls = DEFAULTS,
) -> dict[str, Any]:
    """What the model reports of one launch, its cycles as ``"makespan"``."""
    (found,) = run(program, plan, shape, environment=environment, asked=asked).report["stats"]["launches"]
    return dict(found)


def cycles(
    program: Program,
    plan: Plan,
    shape: Shape,
    environment: Mapping[str, str] | None = None,
    asked: Matmuls = DEFAULTS,
) -> int:
    """The modelled cycles of one launch, of the matmuls that are ``asked`` for."""
    return int(launch(program, plan, shape, environment, asked)["makespan"])


@contextmanager
def only_the_clock() -> Iterator[None]:
    """Programs that are started in this block compute nothing."""
    os.environ.update(NOT_COMPUTED)
    try:
        yield
    finally:
        for name in NOT_COMPUTED:
            del os.environ[name]


@contextmanager
def scaled(constant: str, factor: float) -> Iterator[None]:
    """In programs that are started in this block a constant is that many times as large."""
    os.environ[SCALE] = f"{constant}:{factor}"
    try:
        yield
    finally:
        del os.environ[SCALE]
