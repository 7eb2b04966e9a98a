"""Vector instructions and barriers per tile, counted on the CPU model, and the time of a launch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..graph.shapes import Shape
from ..model.data import operands
from ..model.execution import OBSERVE, Settings, run_once
from ..model.programs import Compilation, require_programs
from ..model.toolchain import Program
from ..planner.plan import Plan
from .profile import launched

TIMED = Settings(checks=False, clock=True)


@dataclass(frozen=True)
class Counts:
    """The instructions and barriers of V in one tile, whole numbers if all tiles are alike, and the modelled cycles of
    the launch that ``evtgen profile`` takes by default."""

    instructions: float
    barriers: float
    cycles: int


def vector_counts(plans: Sequence[Plan], shape: Shape, compilation: Compilation) -> list[Counts]:
    """The counts of each plan at ``shape``, or at a wider one if its parts need that, averaged over its tiles. Raises
    EvtgenError (EVT089) if one does not compile."""
    programs = require_programs(plans, replace(compilation, observe=True))
    return [_count(plan, shape, programs[plan.name]) for plan in plans]


def _count(plan: Plan, shape: Shape, program: Program) -> Counts:
    problem = plan.problem(plan.wide(shape))
    done = run_once(program, plan, problem, operands(plan, problem, seed=0, data="int", absent=False), OBSERVE)
    trace = done.trace
    assert trace is not None
    tiles = set()  # (core, number)
    instructions = flags = work = 0
    for event in trace.slices():
        on_v = trace.pipe(event) == "V"
        if event["cat"] == "wait":
            flag = event["args"].get("flag")  # None: a barrier
            # A flag that another pipe waits for was set by V once.
            flags += flag is not None and (on_v or flag.startswith("V_"))
        elif on_v:
            work += 1
            if "tile" in event["args"]:
                instructions += 1
                tiles.add((event["pid"], event["args"]["tile"]))
    issued = sum(launch["count"]["V"] for launch in done.report["stats"]["launches"])
    large = launched(plan)
    timed = run_once(program, plan, large, operands(plan, large, seed=0, data="int", absent=False), TIMED)
    cycles = timed.report["stats"]["launches"][0]["makespan"]
    return Counts(instructions / len(tiles), (issued - work - flags) / len(tiles), cycles)
