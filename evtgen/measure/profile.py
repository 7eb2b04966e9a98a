"""The timing of an epilogue by the CPU model's table of costs: length, busy pipes, overlap.

Modelled, not measured: good for comparing versions of an epilogue, not for predicting times on a device.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..emit.graph import phase_name
from ..graph.shapes import Problem, Shape
from ..kernels import DEFAULTS, Matmuls
from ..model import footprint, toolchain
from ..model.data import operands
from ..model.execution import Settings, run_once
from ..model.programs import Compilation, require_programs
from ..model.toolchain import Program
from ..model.trace import Event, Trace, write
from ..model.workers import each
from ..options import ProfileOptions
from ..planner.plan import Plan
from ..system.progress import Progress, Steps, silent
from ..system.translation import tr
from ..system.words import counted, number
from .clock import by_number, uncomputed, zeros
from .measured import Measured
from .timing import VECTOR_PIPES, Timing, timing

DEFAULT_SHAPE: Shape = (1024, 4096, 64)


@dataclass(frozen=True)
class PhaseTiming:
    """One of several phases of an epilogue, or all of them where it takes whole rows.

    Attributes:
        name: ``"phase1"`` and so on, or ``"rows"``.
        buffers, compute_length: of its tiles.
        begin, end: of its work, in modelled cycles from the start of the kernel. Phases of different blocks overlap
            where no core waits for others between them.
        busy: pipe → share of this time that it works for the phase, averaged over the vector cores.
    """

    name: str
    buffers: int
    compute_length: int
    begin: int
    end: int
    busy: dict[str, float]

    def to_json(self) -> dict[str, Any]:
        """As plain data, shares rounded to 1/1000."""
        return {**vars(self), "busy": {pipe: round(share, 3) for pipe, share in self.busy.items()}}


@dataclass(frozen=True)
class Profile(Timing):
    """One epilogue with one number of buffers.

    Attributes:
        epilogue: its name.
        shape: (M, N, K): of one matmul if there is a batch of them, else of all together.
        buffers: how many tiles are in flight.
        compute_length: elements of one tile buffer.
        phases: each of several phases, or whole rows alone.
        trace: its slices, named after nodes and tiles, and the names of its tracks.
        matmuls: how many there are.
        measured: what a device took; None where that was not given.
    """

    epilogue: str
    shape: Shape
    buffers: int
    compute_length: int
    trace: list[Event]
    matmuls: Matmuls = DEFAULTS
    phases: tuple[PhaseTiming, ...] = ()
    measured: Measured | None = None

    def __repr__(self) -> str:
        buffers = counted(self.buffers, "buffer")
        return f"<Profile: {self.epilogue} at {self.size()}, {buffers}: {self.cycles:,} cycles>"

    def size(self, by: str = "x") -> str:
        """The size of the launch in words."""
        return self.matmuls.text(self.shape, by)

    def to_json(self) -> dict[str, Any]:
        """The object that ``evtgen profile --json`` prints, shares rounded to 1/1000; without the trace."""
        return {
            "epilogue": self.epilogue,
            "shape": list(self.shape),
            **self.matmuls.to_json(),
            "buffers": self.buffers,
            "compute_length": self.compute_length,
            "phases": [phase.to_json() for phase in self.phases],
            **super().to_json(),
            **({} if self.measured is None else {"measured": self.measured.to_json(self)}),
        }


def launched(plan: Plan, shape: Shape | None = None, matmuls: Matmuls = DEFAULTS) -> Problem:
    """The launch that is profiled: at ``shape``, or at :data:`DEFAULT_SHAPE` or a larger one if the plan needs that."""
    return plan.problem(shape or plan.kernel.at_least(plan.wide(DEFAULT_SHAPE), matmuls), matmuls)


def profile_plans(
    plans: Sequence[Plan],
    options: ProfileOptions,
    progress: Progress = silent,
    settings: Settings | None = None,
) -> list[Profile]:
    """Profile every plan at one shape. Batched and grouped plans have the matmuls of the ``options``, and share no
    tensor between them. ``settings`` replace the settings of the options.

    Raises EvtgenError: EVT075 if a program takes longer than it may, EVT089 if one does not compile, EVT090 to EVT092,
    EVT067 if a run takes more memory than there is.
    """
    problems = [launched(plan, options.shape, options.matmuls) for plan in plans]
    footprint.at_once(estimates(plans, options), 1)
    toolchain.machine_library(toolchain.find_compiler(options.cxx), progress)
    found = []
    steps = Steps(progress, tr("profiling {count} of {of}: {name}"), len(plans))
    for plan, problem, program in zip(plans, problems, observed(plans, options, progress), strict=True):
        steps.next(tr("{name} with {buffers}", name=plan.name, buffers=number(plan.buffers, tr("{count} buffer{s}"))))
        found.append(_profile(plan, problem, program, settings or options.settings))
    return found


def estimates(plans: Sequence[Plan], options: ProfileOptions) -> Iterator[tuple[str, int]]:
    """The name and the estimated bytes of each run of :func:`profile_plans`, which go on one by one."""
    for plan in plans:
        problem = launched(plan, options.shape, options.matmuls)
        yield f"{plan.name} at {plan.size(problem)}", footprint.estimate(plan, problem, traced=True)


def observed(plans: Sequence[Plan], options: ProfileOptions, progress: Progress = silent) -> list[Program]:
    """The program of each plan, as it is profiled; plans of one name differ in their buffers. Raises EvtgenError."""
    steps = Steps(progress, tr("compiling {count} of {of}: {name}"), len(plans))

    def build(plan: Plan) -> Program:
        steps.next(tr("{name} with {buffers}", name=plan.name, buffers=number(plan.buffers, tr("{count} buffer{s}"))))
        return require_programs([plan], Compilation(options.cxx, observe=True))[plan.name]

    return each(build, plans, None)


def write_trace(profiles: Iterable[Profile], path: Path) -> None:
    """A Chrome trace with a track per core and pipe of every profile. Raises EvtgenError (EVT073)."""
    events: list[Event] = []
    base = 0
    for one in profiles:
        events += [{**event, "pid": base + event["pid"]} for event in one.trace]
        base += 1 + max(event["pid"] for event in one.trace)
    write(path, events)


def _profile(plan: Plan, problem: Problem, program: Program, settings: Settings) -> Profile:
    # Without values it takes a third less time, and far less where K is large.
    given = operands(plan, problem, seed=0, data="int", absent=False) if by_number(plan) else zeros(plan, problem)
    done = run_once(program, plan, problem, given, uncomputed(plan, settings))
    (launch,) = done.report["stats"]["launches"]
    trace = done.trace
    assert trace is not None
    # Before events have other names.
    times, phases = timing(launch, trace), tuple(_phase_timings(plan, trace))
    return Profile(
        **vars(times),
        epilogue=plan.name,
        shape=plan.kernel.shape(problem),
        buffers=plan.buffers,
        compute_length=plan.compute_length,
        trace=_named(plan, trace),
        matmuls=plan.matmuls(problem),
        phases=phases,
    )


def _phase_timings(plan: Plan, trace: Trace) -> Iterator[PhaseTiming]:
    """The timing of each of several phases, or of whole rows, from the names of the nodes."""
    if not plan.parts:
        return
    cores = sum(name.startswith("AIV") for name in trace.cores.values())
    of_node = defaultdict(list)
    for event in trace.work:
        of_node[event["args"].get("node", ""), event["tid"]].append((event["ts"], event["dur"]))
    for part in plan.graphs:
        name = phase_name(plan, part)
        spans = [(trace.pipes[pipe], some) for (node, pipe), some in of_node.items() if node.partition("::")[0] == name]
        if not spans:
            continue
        begin = min(at for _, some in spans for at, _ in some)
        end = max(at + cycles for _, some in spans for at, cycles in some)
        busy = dict.fromkeys(VECTOR_PIPES, 0.0)
        for pipe, some in spans:
            worked = sum(cycles for _, cycles in some)
            busy[pipe] = busy.get(pipe, 0.0) + worked / (cores * (end - begin))
        yield PhaseTiming(phase_name(plan, part), part.buffers, part.compute_length, begin, end, busy)


def _named(plan: Plan, trace: Trace) -> list[Event]:
    """The events, in which work on vector cores is named after its node and tile from now on; waits that took no time
    are dropped."""
    named = []
    for event in trace.events:
        if event["name"] == "process_name":
            name = f"{trace.core(event)}, {plan.name}, {counted(plan.buffers, 'buffer')}"
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
            args |= {"call": event["name"], "buffer": f"buffer {args['buffer']}"}
            event["name"] = f"{args['node']}, tile {args['tile']}"
        named.append(event)
    return named
