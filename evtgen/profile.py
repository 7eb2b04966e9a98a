"""The pipeline of an epilogue by the CPU model's table of costs: how long, what is busy, what overlaps.

A model, never a measurement: good for comparing versions of an epilogue, not for predicting a device.
"""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .build import load_and_check
from .check import check
from .check.diagnostics import Diagnostic, EvtgenError, has_errors
from .emit.render import Framework, epilogue_files, framework_files
from .ir import Epilogue
from .lower.plan import Plan, lower
from .verify import harness, toolchain
from .verify.report import Shape
from .verify.session import include_roots

DEFAULT_SHAPE: Shape = (1024, 4096, 64)
DEFAULT_BUFFERS = (1, 2, 3)
VECTOR_PIPES = ("MTE2", "V", "MTE3")
"""The pipes of a vector core whose overlap counts; S only issues."""

Slice = dict[str, Any]
"""A complete event of the Chrome trace format."""


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
    trace: list[Slice]

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


def profile(
    paths: Sequence[Path],
    shape: Shape = DEFAULT_SHAPE,
    buffers: Sequence[int] = DEFAULT_BUFFERS,
    cxx: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> tuple[list[Profile], list[Diagnostic]]:
    """Profile every epilogue with every number of buffers, and the warnings. Raises EvtgenError."""
    checked = load_and_check(paths).require()
    plans = [_with_buffers(epilogue, count) for epilogue in checked.epilogues for count in buffers]
    compiler = toolchain.find_compiler(cxx)
    found = []
    for plan in plans:
        if progress:
            progress(f"running {plan.name} with {_count(plan)}")
        found.append(_profile(plan, shape, compiler))
    return found, checked.diagnostics


def write_trace(profiles: Iterable[Profile], path: Path) -> None:
    """Chrome trace JSON (for Perfetto or chrome://tracing) with a track per core and pipe of every profile."""
    events: list[Slice] = []
    base = 0
    for one in profiles:
        events += [{**event, "pid": base + event["pid"]} for event in one.trace]
        base += 1 + max(event["pid"] for event in one.trace)
    what = {"source": "cost model, not a measurement; 1 us stands for 1 cycle"}
    path.write_text(json.dumps({"otherData": what, "traceEvents": events}), encoding="utf-8")


def _with_buffers(epilogue: Epilogue, count: int) -> Plan:
    changed = replace(epilogue, buffers=count)
    problems = check(changed)
    if has_errors(problems):
        raise EvtgenError(problems, 2)
    return lower(changed)


def _count(plan: Plan) -> str:
    count = plan.epilogue.buffers
    return f"{count} buffer" if count == 1 else f"{count} buffers"


def _profile(plan: Plan, shape: Shape, compiler: toolchain.Compiler) -> Profile:
    framework = Framework()
    program = toolchain.compile_program(
        compiler,
        harness.source([plan]),
        {**framework_files(framework), **epilogue_files(plan, framework)},
        extra_flags=[f"-DCATLASS_ARCH={plan.arch.npu}"],
        system=include_roots(None),
    )
    with tempfile.TemporaryDirectory(prefix="evtgen-") as scratch:
        directory = Path(scratch)
        trace = directory / "trace.json"
        given = harness.operands(plan, shape, seed=0, data="int")
        harness.write_operands(plan, shape, given, directory)
        environment = {"EVTGEN_MODEL_CHECKS": "off", "EVTGEN_MODEL_TRACE": str(trace)}
        outputs = directory / "out"
        done = harness.run(program, plan, shape, inputs=directory, outputs=outputs, environment=environment)
        if done.error is not None:
            raise RuntimeError(f"{plan.name} does not run on the CPU model: {done.error}")
        events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    (launch,) = done.report["stats"]["launches"]
    work = [event for event in events if event["ph"] == "X" and event["cat"] == "work"]
    cores, tracks = _names(events)
    return Profile(
        plan.name,
        shape,
        plan.epilogue.buffers,
        plan.compute_length,
        launch["makespan"],
        launch["bandwidth_bound"],
        _busy(work, cores, tracks, launch["makespan"]),
        _overlap(work, cores, tracks),
        _named(plan, events, cores, tracks),
    )


def _names(events: Sequence[Slice]) -> tuple[dict[int, str], dict[int, str]]:
    """Cores by process ("AIV 0.1"), pipes by thread."""
    cores, pipes = {}, {}
    for event in events:
        if event["name"] == "process_name":
            cores[event["pid"]] = event["args"]["name"].partition(" of ")[0]
        elif event["name"] == "thread_name":
            pipes[event["tid"]] = event["args"]["name"]
    return cores, pipes


def _busy(
    work: Sequence[Slice], cores: dict[int, str], pipes: dict[int, str], cycles: int
) -> dict[str, dict[str, float]]:
    spent: dict[str, dict[str, float]] = {"AIC": {}, "AIV": {}}
    for event in work:
        of_kind = spent[cores[event["pid"]][:3]]
        pipe = pipes[event["tid"]]
        of_kind[pipe] = of_kind.get(pipe, 0) + event["dur"]
    for kind, of_kind in spent.items():
        count = sum(name.startswith(kind) for name in cores.values())
        for pipe in of_kind:
            of_kind[pipe] /= count * cycles
    return spent


def _overlap(work: Sequence[Slice], cores: dict[int, str], pipes: dict[int, str]) -> float:
    """Time in which two or more of the vector pipes of a core work, over that in which any does."""
    changes: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for event in work:
        if cores[event["pid"]].startswith("AIV") and pipes[event["tid"]] in VECTOR_PIPES:
            changes[event["pid"]] += [(event["ts"], 1), (event["ts"] + event["dur"], -1)]
    several = any_ = 0
    for steps in changes.values():
        active = last = 0
        for time, step in sorted(steps):
            any_ += time - last if active else 0
            several += time - last if active > 1 else 0
            active, last = active + step, time
    return several / any_ if any_ else 0.0


def _named(plan: Plan, events: Sequence[Slice], cores: dict[int, str], pipes: dict[int, str]) -> list[Slice]:
    """The events, work on vector cores named after its node and tile; waits that took no time are dropped.

    Each pipe waits once per tile for the pipe before it in the pipeline, which tells the tiles apart.
    """
    from .verify.session import ub_owner

    stores = _stores(plan)
    begins = {"MTE2": ("V_MTE2", "MTE3_MTE2"), "V": ("MTE2_V",), "MTE3": ("V_MTE3",)}
    tiles: dict[tuple[int, int], int] = defaultdict(int)
    named = []
    for event in events:
        if event["name"] == "process_name":
            name = f"{cores[event['pid']]}, {plan.name}, {_count(plan)}"
            named.append({**event, "args": {"name": name}})
            continue
        if event["ph"] != "X":
            named.append(event)
            continue
        pipe, track, args = pipes[event["tid"]], (event["pid"], event["tid"]), event["args"]
        if event["cat"] == "wait":
            if args.get("flag", "").split(" ")[0] in begins.get(pipe, ()):
                tiles[track] += 1
            if event["dur"] > 0:
                named.append(event)
            continue
        owner = ub_owner(plan, args["offset"]) if args.get("space") == "UB" else None
        if owner is not None and pipe in begins:
            node, _, buffer = owner.partition(", ")
            node = stores.get(node, node) if pipe == "MTE3" else node
            tile = tiles[track] - 1
            args = {**args, "call": event["name"], "node": node, "buffer": buffer, "tile": tile}
            event = {**event, "name": f"{node}, tile {tile}", "args": args}  # noqa: PLW2901
        named.append(event)
    return named


def _stores(plan: Plan) -> dict[str, str]:
    """Alias of the node whose buffer is stored → aliases of the nodes that store it."""
    owners = {alias for alias, _ in plan.ub}
    found: dict[str, list[str]] = defaultdict(list)
    for index, (alias, node) in enumerate(plan.nodes()):
        if node.tensor is None or not node.tensor.output:
            continue
        source = index
        while plan.aliases[source] not in owners:
            source = plan.steps[source].inputs[0]
        found[plan.aliases[source]].append(alias)
    return {source: " and ".join(aliases) for source, aliases in found.items()}
