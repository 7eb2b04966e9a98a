"""Launches on the clock alone: modelled cycles of a plan at a problem, computed from nothing.

The operands are zeros, and memory keeps no contents; only an epilogue whose work depends on what is in memory, the
sizes of its groups or the numbers of its rows, is computed too.
"""

from __future__ import annotations

import os
from collections.abc import Container
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..graph.ir import Epilogue
from ..graph.shapes import GEMM_A, GEMM_B, Problem, Shape, TensorShape
from ..kernels import DEFAULTS, Matmuls
from ..model.data import Operands
from ..model.execution import Prepared, Settings, run_once
from ..model.journal import Journal, size_of
from ..model.programs import Compilation, build_programs
from ..model.toolchain import Program
from ..operators.arrays import dtype
from ..planner.plan import Plan, lower
from ..system.limits import TIMEOUT
from ..targets.tables import CALL_NAMES, MACHINE, read_table

CLOCK = Settings(checks=False, clock=True)
NOT_COMPUTED = {"EVTGEN_MODEL_EXECUTE": "off"}
SCALE = "EVTGEN_MODEL_SCALE"

Scale = tuple[str, float]
"""A constant of the clock, or a call, and how many times as much it is."""


@dataclass(frozen=True)
class Job:
    """Launches to be timed: plain data, for any process.

    Attributes:
        epilogues: one, or several kernels of one, as they are to be built, without its function.
        scale: a constant of the clock that is not as in its table.
        cores: cube cores of the device; None: as many as the architecture has.
    """

    epilogues: tuple[Epilogue, ...]
    shape: Shape
    matmuls: Matmuls = DEFAULTS
    scale: Scale | None = None
    cores: int | None = None
    cxx: str | None = None
    timeout: float = TIMEOUT


@dataclass(frozen=True)
class Timed:
    """The cycles of a launch, None where there is no such kernel or it does not come to its end; and the calls that
    it makes."""

    cycles: int | None
    calls: tuple[str, ...] = ()


def timed(job: Job) -> list[Timed]:
    """Compile the kernels of a job into one program, and time each. Raises EvtgenError where the machine lacks
    something, never for the kernels' faults."""
    several = len(job.epilogues) > 1
    named = [replace(one, name=f"{one.name}_{i}") if several else one for i, one in enumerate(job.epilogues)]
    plans = [lower(one) for one in named]
    programs = build_programs(plans, Compilation(job.cxx, batch=len(plans)))
    first = plans[0]
    scaled = {} if job.scale is None else {SCALE: "{}:{}".format(*job.scale)}
    settings = uncomputed(first, replace(CLOCK, environment=scaled, cores=job.cores, timeout=job.timeout))
    problem = first.problem(job.shape, job.matmuls)
    with Prepared(first, problem, zeros(first, problem)) as prepared:
        return [_timed(programs[plan.name], prepared, settings, plan.name) for plan in plans]


def _timed(program: Program | str, prepared: Prepared, settings: Settings, name: str) -> Timed:
    done = None if isinstance(program, str) else prepared.run(program, settings, name)
    if done is None or done.error is not None:
        return Timed(None)
    (launch,) = done.report["stats"]["launches"]
    return Timed(launch["makespan"], tuple(sorted({call["call"] for call in launch["calls"]})))


def cycles_of(plan: Plan, problem: Problem, program: Program, settings: Settings) -> int:
    """Modelled cycles of one launch on the clock alone. They are kept beside the program, which they depend on. Raises
    EvtgenError (EVT075 where it comes to no end)."""
    journal = Journal(program.path.with_name("clock.jsonl"))
    variables = sorted(item for item in os.environ.items() if item[0].startswith("EVTGEN_MODEL_"))
    launch = repr((plan.name, size_of(problem), settings.cores, settings.environment, variables))
    if (known := journal.known.get(launch)) is not None:
        return known
    alone = replace(uncomputed(plan, settings), checks=False, trace=False, clock=True)
    (done,) = run_once(program, plan, problem, zeros(plan, problem), alone).report["stats"]["launches"]
    journal.add(launch, done["makespan"])
    return int(done["makespan"])


def uncomputed(plan: Plan, settings: Settings) -> Settings:
    """The settings of runs of which only the time counts."""
    return settings if reads_its_work(plan) else replace(settings, environment={**settings.environment, **NOT_COMPUTED})


def assumed(arch: str, calls: Container[str] = ()) -> list[str]:
    """The constants of an architecture's clock, and the prices of these calls, for which there is no source."""
    tables = (read_table(path, CALL_NAMES) for path in sorted((MACHINE / "targets").glob("*.def")))
    table = next(table for table in tables if table.name == arch)
    constants = [name for name, (_, source) in table.costs.items() if source.startswith("assumed")]
    prices = [name for name, (*_, source) in table.prices.items() if name in calls and source.startswith("assumed")]
    return constants + prices


def reads_its_work(plan: Plan) -> bool:
    """Whether its work depends on what is in memory."""
    return plan.kernel.several == "groups" or by_number(plan)


def by_number(plan: Plan) -> bool:
    """Whether some of its rows go by numbers that are in memory."""
    return any(tensor.indexes for tensor in plan.tensors)


def zeros(plan: Plan, problem: Problem) -> Operands:
    """Operands of the right sizes, all zero; numbers of rows name each row once."""
    a, b = (dtype(element) for element in plan.operands)
    inputs: dict[str, Any] = {t.name: np.zeros(t.size(problem), dtype(t.element)) for t in plan.tensors if not t.output}
    inputs |= {
        t.name: np.arange(problem.m, dtype=np.int32).reshape(-1, 1) for t in plan.tensors if t.indexes and not t.output
    }
    inputs |= {scalar.name: np.zeros((1, 1), dtype(scalar.T)) for scalar in plan.scalars}
    rows = problem.size(GEMM_A, TensorShape.COLUMN)[0]
    deep = problem.size(GEMM_B, TensorShape.ROW)[0] * problem.k
    return Operands(np.zeros((rows, problem.k), a), np.zeros((deep, problem.n * plan.accumulators), b), inputs)
