"""The clock that the benchmarks share: launches of epilogues at a shape, in modelled cycles.

Only the clock runs, so the operands are zeros. Memory keeps no contents then; an epilogue whose work depends on what is
in memory, the sizes of its groups or the numbers of its rows, is computed too.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from evtgen.graph.shapes import Shape
from evtgen.model.data import Operands
from evtgen.model.execution import Run, Settings, run_once
from evtgen.model.programs import Compilation, require_programs
from evtgen.model.toolchain import Program
from evtgen.operators.arrays import dtype
from evtgen.planner.plan import Plan
from evtgen.targets.tables import CALL_NAMES, MACHINE, read_table

CLOCK = Settings(checks=False, clock=True, timeout=300)
_NOT_COMPUTED = {"EVTGEN_MODEL_EXECUTE": "off"}
_SCALE = "EVTGEN_MODEL_SCALE"


def programs(plans: Iterable[Plan]) -> dict[str, Program]:
    """A program for each plan, by its name, a few to a compilation."""
    plans = list(plans)
    return require_programs(plans, Compilation(batch=min(len(plans), 8)))


def run(
    program: Program, plan: Plan, shape: Shape, *, trace: bool = False, environment: Mapping[str, str] | None = None
) -> Run:
    """One launch. Raises EvtgenError (EVT075) when it does not come to its end."""
    more = {**({} if _reads_its_work(plan) else _NOT_COMPUTED), **(environment or {})}
    settings = replace(CLOCK, trace=trace, environment=more)
    return run_once(program, plan, plan.kernel.problem(shape), _operands(plan, shape), settings)


def launch(program: Program, plan: Plan, shape: Shape, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What the model reports of one launch, its cycles as ``"makespan"``."""
    (found,) = run(program, plan, shape, environment=environment).report["stats"]["launches"]
    return dict(found)


def cycles(program: Program, plan: Plan, shape: Shape, environment: Mapping[str, str] | None = None) -> int:
    """The modelled cycles of one launch."""
    return int(launch(program, plan, shape, environment)["makespan"])


@contextmanager
def only_the_clock() -> Iterator[None]:
    """Programs that are started in this block compute nothing."""
    os.environ.update(_NOT_COMPUTED)
    try:
        yield
    finally:
        for name in _NOT_COMPUTED:
            del os.environ[name]


def assumed(calls: Container[str] = ()) -> list[str]:
    """The constants of the clock of Atlas A2, and the prices of these calls, for which there is no source."""
    table = read_table(MACHINE / "targets" / "atlas_a2.def", CALL_NAMES)
    constants = [name for name, (_, source) in table.costs.items() if source.startswith("assumed")]
    prices = [name for name, (*_, source) in table.prices.items() if name in calls and source.startswith("assumed")]
    return constants + prices


@contextmanager
def scaled(constant: str, factor: float) -> Iterator[None]:
    """In programs that are started in this block a constant is that many times as large."""
    os.environ[_SCALE] = f"{constant}:{factor}"
    try:
        yield
    finally:
        del os.environ[_SCALE]


def _reads_its_work(plan: Plan) -> bool:
    return plan.kernel.several == "groups" or any(tensor.indexes for tensor in plan.tensors)


def _operands(plan: Plan, shape: Shape) -> Operands:
    """Operands of the right sizes, all zero; numbers of rows name each row once."""
    problem = plan.kernel.problem(shape)
    a, b = (dtype(element) for element in plan.operands)
    loads = [tensor for tensor in plan.tensors if not tensor.output]
    inputs = {t.name: np.zeros(problem.size(t.name, t.shape), dtype(t.element)) for t in loads}
    inputs |= {t.name: np.arange(problem.m, dtype=np.int32).reshape(-1, 1) for t in loads if t.indexes}
    inputs |= {scalar.name: np.zeros((1, 1), dtype(scalar.T)) for scalar in plan.scalars}
    b_size = problem.count * problem.k, problem.n * plan.accumulators
    return Operands(np.zeros((problem.m, problem.k), a), np.zeros(b_size, b), inputs)
