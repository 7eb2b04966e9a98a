"""Phases: launches of random shapes in which all vector cores must meet, or none, and what goes wrong in them."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evtgen import Epilogue, Gemm, TopologicalVisitor, float32, half
from evtgen.graph.shapes import Problem
from evtgen.kernels import Matmuls
from evtgen.model.data import operands
from evtgen.model.execution import Prepared, Settings
from evtgen.model.programs import Compilation, require_programs
from evtgen.model.toolchain import Program
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, ColReduced, Compute, Reduced, RowReduced, ScalarReduced
from evtgen.operators.arrays import Array
from evtgen.planner.plan import Plan, lower

LAUNCHES = 500
CORES = (1, 2, 20, 24)
SCHEDULES = ("recorded", "late", "random:{seed}")

TINY = Gemm(a=half, b=half, l1=(16, 16, 16), l0=(16, 16, 16))
"""Small blocks, so that small shapes have many."""


def _less(name: str, first: type[Reduced], second: type[Reduced], gemm: Gemm) -> Epilogue:
    """D = V - S where V = C + X less the largest of them, and S the sum of V: three phases, exact in whole numbers."""
    plus, minus = Compute("Plus", float32), Compute("Minus", float32)
    return Epilogue(
        name,
        TopologicalVisitor(
            [(), (), (0, 1), (2,), (2, 3), (4,), (4, 5), (6,)],
            [
                AccLoad(float32), AuxLoad("X", float32), plus, first("Maximum", float32), minus,
                second("Plus", float32), minus, AuxStore("D", float32),
            ],
        ),
        gemm=gemm,
    )  # fmt: skip


EPILOGUES = {
    epilogue.name: epilogue
    for epilogue in (
        _less("rows", ColReduced, ColReduced, TINY),
        _less("columns", RowReduced, ScalarReduced, replace(TINY, workspace_stages=1)),
        _less("rows_ahead", ColReduced, ColReduced, replace(TINY, workspace_stages=2, policy="preload_async")),
        _less("whole", ScalarReduced, RowReduced, replace(TINY, workspace_stages=0)),
        _less("split", ColReduced, RowReduced, replace(TINY, split_k=3)),
        _less("batched", RowReduced, ColReduced, replace(TINY, batch=True)),
        _less("grouped_rows", ColReduced, ColReduced, replace(TINY, group="m")),
        _less("grouped", ScalarReduced, RowReduced, replace(TINY, group="m")),
    )
}
"""By rows, where a block may have whole ones, and by columns; with one block of C per core in the workspace, with the
cube core ahead, with the whole of C; of several matmuls, of which some have no rows."""

AXES = {RowReduced: 0, ColReduced: 1, ScalarReduced: None}


@dataclass(frozen=True)
class Launch:
    """One run of an epilogue."""

    epilogue: str
    problem: Problem
    settings: Settings

    @property
    def blocks(self) -> int:
        """The blocks of C."""
        m, n = TINY.l1[:2] if TINY.l1 else (1, 1)
        return sum(-(-rows // m) for rows in self.problem.rows) * -(-self.problem.n // n)

    @property
    def kinds(self) -> Iterator[str]:
        """What is special about it."""
        assert self.settings.cores is not None
        if self.blocks < self.settings.cores:
            yield "fewer blocks than cores"
        if not self.blocks:
            yield "no blocks"
        if 0 in self.problem.rows:
            yield "empty groups"
        yield f"on {self.settings.cores}"
        yield self.epilogue

    def __str__(self) -> str:
        rows = ",".join(map(str, self.problem.rows))
        return f"{self.epilogue} {rows} x {self.problem.n} x {self.problem.k}, {self.settings.name}"


def launches(count: int, seed: int = 0, names: Sequence[str] = tuple(EPILOGUES)) -> Iterator[Launch]:
    """Random ones: fewer blocks than cores in about half of them, in some of them groups without rows, or only such."""
    numbers = random.Random(seed)
    for index in range(count):
        name = numbers.choice(names)
        kernel = lower(EPILOGUES[name]).kernel
        most = numbers.choice((1, 16, 40, 120))
        m, n, k = (
            numbers.randint(1, most),
            numbers.randint(1, numbers.choice((16, 40, 90))),
            numbers.choice((1, 16, 33)),
        )
        asked = Matmuls()
        if kernel.several == "batch":
            asked = Matmuls(batch=numbers.randint(1, 5))
        problem = kernel.problem((m, n, k), asked)
        if kernel.several == "groups":
            groups = numbers.choice(((0,), (0, 0, 0), (m, 0), (0, m, 0, numbers.randint(1, 40)), (5, 0, 17), (1,) * 30))
            problem = Problem(groups, n, k, room=numbers.choice((0, 5)) or int(not any(groups)))
        schedule = numbers.choice(SCHEDULES).format(seed=index)
        yield Launch(name, problem, Settings(strict=True, cores=numbers.choice(CORES), schedule=schedule, timeout=120))


def _expected(plan: Plan, problem: Problem, c: Array, x: Array) -> Array:
    """What D must be, exactly."""
    kinds = [type(step.node) for step in plan.steps if isinstance(step.node, Reduced)]
    v = c.astype(np.float64) + x
    for rows in problem.segments():
        if v[rows].size:
            v[rows] -= v[rows].max(axis=AXES[kinds[0]], keepdims=True)
            v[rows] -= v[rows].sum(axis=AXES[kinds[1]], keepdims=True)
    return v


def wrong(program: Program, plan: Plan, launch: Launch) -> str | None:
    """What is wrong with a launch: what the model finds, an error, or wrong numbers."""
    given = operands(plan, launch.problem, seed=0, data="int")
    # So small that no sum is beyond what float32 counts to.
    small = {"X": np.rint(given.inputs["X"]).clip(-8, 8)}
    given = replace(given, a=given.a.clip(-4, 4), b=given.b.clip(-4, 4), inputs=small)
    with Prepared(plan, launch.problem, given) as prepared:
        done = prepared.run(program, launch.settings)
    found = sorted({hazard["code"] for hazard in done.report.get("hazards", ())})
    if found:
        return ", ".join(found)
    if done.error is not None or done.accumulator is None:
        return done.error or "there is no C"
    same = np.array_equal(done.outputs["D"], _expected(plan, launch.problem, done.accumulator, given.inputs["X"]))
    return None if same else "the numbers"


def run() -> Iterator[str]:
    """All of them: how many, of which kinds, and those that are wrong."""
    plans = {name: lower(epilogue) for name, epilogue in EPILOGUES.items()}
    programs = require_programs(list(plans.values()), Compilation(batch=len(plans)))
    drawn = list(launches(int(os.environ.get("EVTGEN_LAUNCHES", LAUNCHES))))
    bad = 0
    for launch in drawn:
        reason = wrong(programs[launch.epilogue], plans[launch.epilogue], launch)
        if reason is not None:
            bad += 1
            yield f"{launch}: {reason}"
    yield f"{len(drawn)} launches, {bad} wrong"
    kinds = Counter(kind for launch in drawn for kind in launch.kinds)
    yield ", ".join(f"{kind}: {count}" for kind, count in sorted(kinds.items()))
