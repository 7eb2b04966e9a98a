"""Vector instructions and barriers per tile, counted on the CPU model."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..lower.plan import Plan
from . import harness, toolchain
from .report import Shape
from .session import Options, build_programs


@dataclass(frozen=True)
class Counts:
    """What V does in one tile: instructions and barriers. Both are whole numbers if all tiles are alike."""

    instructions: float
    barriers: float


def vector_counts(plans: Sequence[Plan], shape: Shape, options: Options) -> list[Counts]:
    """The counts of each plan at ``shape``, averaged over its tiles. Raises RuntimeError where one does not run."""
    programs = build_programs(plans, options)
    return [_count(plan, shape, programs[plan.name]) for plan in plans]


def _count(plan: Plan, shape: Shape, program: toolchain.Program | str) -> Counts:
    if isinstance(program, str):
        raise RuntimeError(f"{plan.name} does not compile: {program}")
    with tempfile.TemporaryDirectory(prefix="evtgen-") as scratch:
        directory = Path(scratch)
        trace = directory / "trace.json"
        harness.write_operands(plan, shape, harness.operands(plan, shape, seed=0, data="int"), directory)
        environment = {"EVTGEN_MODEL_CHECKS": "off", "EVTGEN_MODEL_TRACE": str(trace)}
        outputs = directory / "out"
        done = harness.run(program, plan, shape, inputs=directory, outputs=outputs, environment=environment)
        if done.error is not None:
            raise RuntimeError(f"{plan.name} does not run: {done.error}")
        events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    pipes = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    tiles: Counter[int] = Counter()  # by core; each begins with V waiting for what was loaded
    instructions = flags = work = 0
    for event in events:
        if event["ph"] != "X":
            continue
        on_v = pipes[event["tid"]] == "V"
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
