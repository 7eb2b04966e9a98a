"""Vector instructions and barriers per tile, counted on the CPU model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ..graph.shapes import Shape
from ..model.data import operands
from ..model.execution import OBSERVE, run_once
from ..model.programs import Compilation, require_programs
from ..model.toolchain import Program
from ..planner.plan import Plan


@dataclass(frozen=True)
class Counts:
    """The instructions and barriers of V in one tile. Both are whole numbers if all tiles are alike."""

    instructions: float
    barriers: float


def vector_counts(plans: Sequence[Plan], shape: Shape, compilation: Compilation) -> list[Counts]:
    """The counts of each plan at ``shape``, averaged over its tiles. Raises EvtgenError (EVT089) where one does not
    compile."""
    programs = require_programs(plans, compilation)
    return [_count(plan, shape, programs[plan.name]) for plan in plans]


def _count(plan: Plan, shape: Shape, program: Program) -> Counts:
    done = run_once(program, plan, shape, operands(plan, shape, seed=0, data="int"), OBSERVE)
    trace = done.trace
    assert trace is not None
    tiles: Counter[int] = Counter()  # by core; each begins with V waiting for what was loaded
    instructions = flags = work = 0
    for event in trace.slices():
        on_v = trace.pipe(event) == "V"
        if event["cat"] == "wait":
            flag = event["args"].get("flag", "")
            # A flag that another pipe waits for was set by V once.
            flags += on_v or flag.startswith("V_")
            tiles[event["pid"]] += on_v and flag.startswith("MTE2_V")
        elif on_v:
            work += 1
            instructions += tiles[event["pid"]] > 0
    issued = sum(launch["count"]["V"] for launch in done.report["stats"]["launches"])
    total = sum(tiles.values())
    return Counts(instructions / total, (issued - work - flags) / total)
