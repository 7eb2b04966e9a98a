"""The timing of an epilogue by the CPU model's table of costs: length, busy pipes, overlap.

Modelled, not measured: good for comparing versions of an epilogue, not for predicting times on a device.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..diagnostics.diagnostic import EvtgenError
from ..diagnostics.machine import NO_TRACE
from ..graph.shapes import Shape
from ..model.data import operands
from ..model.execution import OBSERVE, run_once
from ..model.programs import Compilation, Progress, require_programs, silent
from ..model.toolchain import Program
from ..model.trace import Event, Trace
from ..planner.plan import Plan

VECTOR_PIPES = ("MTE2", "V", "MTE3")
"""The pipes of a vector core whose overlap counts; S only issues."""


@dataclass(frozen=True)
class Profile:
    """One epilogue with one number of buffers.

    Attributes:
        epilogue: its name.
        shape: (M, N, K).
        buffers: how many tiles are in flight.
        compute_length: elements of one tile buffer.
        cycles: makespan of the kernel in modelled cycles.
        bandwidth_bound: cycles that its traffic with global memory takes at full bandwidth, all cores together.
        busy: core ("AIC" or "AIV") → pipe → share of the makespan that it works, averaged over those cores.
        overlap: share of a vector core's working time in which at least two of MTE2, V and MTE3 work.
        trace: its slices, named after nodes and tiles, and the names of its tracks.
    """

    epilogue: str
    shape: Shape
    buffers: int
    compute_length: int
    cycles: int
    bandwidth_bound: int
    busy: dict[str, dict[str, float]]
    overlap: float
    trace: list[Event]

    def to_json(self) -> dict[str, Any]:
        """The object that ``evtgen profile --json`` prints, shares rounded to 1/1000; without the trace."""
        return {
            "epilogue": self.epilogue,
            "shape": list(self.shape),
            "buffers": self.buffers,
            "compute_length": self.compute_length,
            "cycles": self.cycles,
            "bandwidth_bound": self.bandwidth_bound,
            "busy": {core: {p: round(s, 3) for p, s in pipes.items()} for core, pipes in self.busy.items()},
            "overlap": round(self.overlap, 3),
            "source": "cost model, not a measurement",
        }


def profile_plans(
    plans: Sequence[Plan], shape: Shape, compilation: Compilation, progress: Progress = silent
) -> list[Profile]:
    """Profile every plan at one shape. Raises EvtgenError: EVT089 where one does not compile, EVT090 to EVT092."""
    found = []
    for plan in plans:
        progress(f"running {plan.name} with {_count(plan)}")
        # Plans of one name differ in their buffers.
        program = require_programs([plan], replace(compilation, observe=True))[plan.name]
        found.append(_profile(plan, shape, program))
    return found


def prepare_trace(path: Path) -> None:
    """See that a trace can be written there, before there is one. Raises EvtgenError (EVT073)."""
    try:
        new = not os.path.lexists(path)
        # Of a pipe nobody knows whether it has a reader.
        if not new and not path.is_file():
            raise NO_TRACE.error(f"--trace {path} is not a regular file", help="name another file")
        path.open("ab").close()
        if new:
            path.unlink()
    except OSError as error:
        raise _no_trace(path, error) from error


def _no_trace(path: Path, error: OSError) -> EvtgenError:
    return NO_TRACE.error(f"--trace {path}: {error.strerror or error}", help="name another file")


def write_trace(profiles: Iterable[Profile], path: Path) -> None:
    """Chrome trace JSON (for Perfetto or chrome://tracing) with a track per core and pipe of every profile. Raises
    EvtgenError (EVT073)."""
    events: list[Event] = []
    base = 0
    for one in profiles:
        events += [{**event, "pid": base + event["pid"]} for event in one.trace]
        base += 1 + max(event["pid"] for event in one.trace)
    what = {"source": "cost model, not a measurement; 1 us stands for 1 cycle"}
    try:
        path.write_text(json.dumps({"otherData": what, "traceEvents": events}), encoding="utf-8")
    except OSError as error:
        raise _no_trace(path, error) from error


def _count(plan: Plan) -> str:
    return f"{plan.buffers} buffer" if plan.buffers == 1 else f"{plan.buffers} buffers"


def _profile(plan: Plan, shape: Shape, program: Program) -> Profile:
    done = run_once(program, plan, shape, operands(plan, shape, seed=0, data="int"), OBSERVE)
    (launch,) = done.report["stats"]["launches"]
    trace = done.trace
    assert trace is not None
    return Profile(
        plan.name,
        shape,
        plan.buffers,
        plan.compute_length,
        launch["makespan"],
        launch["bandwidth_bound"],
        _busy(trace, launch["makespan"]),
        _overlap(trace),
        _named(plan, trace),
    )


def _busy(trace: Trace, cycles: int) -> dict[str, dict[str, float]]:
    spent: dict[str, dict[str, float]] = {"AIC": {}, "AIV": {}}
    for event in trace.work():
        of_kind = spent[trace.core(event)[:3]]
        pipe = trace.pipe(event)
        of_kind[pipe] = of_kind.get(pipe, 0) + event["dur"]
    for kind, of_kind in spent.items():
        count = sum(name.startswith(kind) for name in trace.cores.values())
        for pipe in of_kind:
            of_kind[pipe] /= count * cycles
    return spent


def _overlap(trace: Trace) -> float:
    """Time in which two or more of the vector pipes of a core work, over that in which any does."""
    changes: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for event in trace.work():
        if trace.core(event).startswith("AIV") and trace.pipe(event) in VECTOR_PIPES:
            changes[event["pid"]] += [(event["ts"], 1), (event["ts"] + event["dur"], -1)]
    several = any_ = 0
    for steps in changes.values():
        active = last = 0
        for time, step in sorted(steps):
            any_ += time - last if active else 0
            several += time - last if active > 1 else 0
            active, last = active + step, time
    return several / any_ if any_ else 0.0


def _named(plan: Plan, trace: Trace) -> list[Event]:
    """The events, work on vector cores named after its node and tile; waits that took no time are dropped."""
    stores = _stores(plan)
    named = []
    for event in trace.events:
        if event["name"] == "process_name":
            name = f"{trace.core(event)}, {plan.name}, {_count(plan)}"
            named.append({**event, "args": {"name": name}})
            continue
        if event["ph"] != "X":
            named.append(event)
            continue
        args = event["args"]
        if event["cat"] == "wait":
            if event["dur"] > 0:
                named.append(event)
            continue
        if "node" in args and "tile" in args:
            # A store reads the buffer of the node whose result it stores.
            node = stores.get(args["node"], args["node"]) if trace.pipe(event) == "MTE3" else args["node"]
            args = {**args, "call": event["name"], "node": node, "buffer": f"buffer {args['buffer']}"}
            event = {**event, "name": f"{node}, tile {args['tile']}", "args": args}  # noqa: PLW2901
        named.append(event)
    return named


def _stores(plan: Plan) -> dict[str, str]:
    """Alias of the node whose buffer is stored → aliases of the nodes that store it."""
    owners = {alias for alias, share in zip(plan.aliases, plan.ub.shares, strict=True) if share}
    found: dict[str, list[str]] = defaultdict(list)
    for index, (alias, node) in enumerate(plan.nodes()):
        if node.tensor is None or not node.tensor.output:
            continue
        source = index
        while plan.aliases[source] not in owners:
            source = plan.steps[source].inputs[0]
        found[plan.aliases[source]].append(alias)
    return {source: " and ".join(aliases) for source, aliases in found.items()}
