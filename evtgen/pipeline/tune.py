"""Epilogues to their fastest kernels: search, verify, and say how much rests on assumed constants."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..diagnostics.diagnostic import Diagnostic
from ..diagnostics.files import USAGE
from ..diagnostics.tuning import NONE_RUNS, NOT_RIGHT
from ..frontend.dispatch import OPTIONS, applied
from ..frontend.python_form import gemm_text
from ..graph.ir import Epilogue
from ..graph.shapes import Shape
from ..measure.clock import Job, Scale, Timed, assumed, timed
from ..measure.estimate import estimated
from ..measure.search import Found, search
from ..measure.space import Axes, Point, Space, axes_of, identity, kernel_key
from ..measure.timing import SOURCE
from ..model import footprint
from ..model.cache import cache_directory, key
from ..model.journal import Journal
from ..model.toolchain import DEVICE, headers_below
from ..model.workers import cores, each, spread
from ..options import TuneOptions, VerifyOptions
from ..planner.plan import Plan, require_launches
from ..system.progress import Progress, silent
from ..system.translation import tr
from ..verify import verify_plans
from ..version import __version__
from .specs import Checked

FACTORS = (0.5, 2.0)
"""What each assumed constant is multiplied by."""

CHANGE = 0.005
"""A gain that an assumed constant changes by less counts as unchanged."""

SHOWN = 5
"""The kernels that are listed, and verified at most before the epilogue as it is."""

TOGETHER = 16
"""The kernels of a program at most."""

SEARCHES = 8
"""That go on at once where an executor runs their jobs."""


@dataclass(frozen=True)
class Kernel:
    """A kernel that was timed.

    Attributes:
        options: what differs from the epilogue as it is: fields of ``Gemm``, ``buffers`` and ``compute_length``.
        cycles: at each shape, modelled.
    """

    options: Mapping[str, Any]
    cycles: tuple[int, ...]


@dataclass(frozen=True)
class Changed:
    """An assumed constant of the clock that changes the gain: the gain then, and whether the winner stays."""

    constant: str
    factor: float
    gain: float
    stays: bool


@dataclass(frozen=True)
class Tuning:
    """The fastest kernel of an epilogue at a shape, or one for several.

    Attributes:
        epilogue, arch: of the epilogue.
        shapes: (M, N, K) of each.
        size: the same in words.
        default: the epilogue as it is.
        winner: the fastest kernel that was verified.
        line: its options, to be pasted into ``@epilogue(…)`` or ``Epilogue(…)``.
        runs: kernels that were timed, and kernels of earlier searches that were not timed again.
        space: points that there are, legal or not.
        all: whether all kernels were timed.
        seed: of the search.
        tried: the fastest kernels, the winner among them.
        assumed: how many assumed constants were halved and doubled; None where that was not asked for.
        changed: of those, which matter.
        device: whether the cycles are times on a device, at the frequency of the clock.
    """

    epilogue: str
    arch: str
    shapes: tuple[Shape, ...]
    size: str
    default: Kernel
    winner: Kernel
    line: str
    runs: int = 0
    space: int = 0
    all: bool = False
    seed: int = 0
    tried: tuple[Kernel, ...] = ()
    assumed: int | None = None
    changed: tuple[Changed, ...] = ()
    device: bool = False

    @property
    def gain(self) -> float:
        """How many times as fast the winner is; of several shapes the geometric mean."""
        return self.gain_of(self.winner)

    def gain_of(self, kernel: Kernel) -> float:
        """The same of any kernel."""
        return gain(self.default.cycles, kernel.cycles)

    @property
    def stays(self) -> bool:
        """Whether the winner stays whatever assumed constant is halved or doubled."""
        return all(one.stays for one in self.changed)

    def to_json(self) -> dict[str, Any]:
        """The object that ``evtgen tune --json`` prints."""
        plain = {name: value for name, value in vars(self).items() if name not in ("default", "winner", "tried")}
        return {
            **plain,
            "default": vars(self.default),
            "winner": vars(self.winner),
            "tried": [vars(one) for one in self.tried],
            "changed": [vars(one) for one in self.changed],
            "gain": round(self.gain, 4),
            "stays": self.stays,
            "source": "measured on a device" if self.device else SOURCE,
        }


def tune(checked: Checked, options: TuneOptions, progress: Progress = silent) -> tuple[list[Tuning], list[Diagnostic]]:
    """The winner of each epilogue at each shape, and, where there are several, one for all of them; also the warnings.

    Raises EvtgenError: EVT079 without a shape; EVT177 and others for shapes that an epilogue cannot have; EVT292 where
    no kernel is right; EVT067 where a run takes more memory than there is; EVT090 to EVT092 without a compiler.
    """
    if not options.problems:
        raise USAGE.here("tuned shapes")
    plans = checked.require().plans
    require_launches(plans, options.matmuls, options.problems)
    if options.device:
        if any(one is not None for one in (options.executor, options.jobs, options.dask)):
            raise USAGE.here("device")
        from . import device

        device.found()
    with spread(options.executor, options.jobs, options.dask) as executor:
        searches = [
            [Tuner(one, shape, options, progress=progress, executor=executor) for shape in options.problems]
            for one in zip(checked.epilogues, plans, strict=True)
        ]
        # A search waits for its clock; several keep the workers of an executor busy.
        flat = [search for of_one in searches for search in of_one]
        at_once = 1 if executor is None else SEARCHES
        done = dict(zip(flat, each(Tuner.tuning, flat, None, threads=at_once), strict=True))
        found = []
        for of_one in searches:
            found += [done[one] for one in of_one]
            if len(of_one) > 1:
                found.append(_for_all(of_one))
    return found, [*checked.diagnostics, *(warning for one in flat for warning in one.warnings)]


def gain(before: Sequence[int], after: Sequence[int]) -> float:
    """The geometric mean of the ratios."""
    return math.exp(sum(math.log(a / b) for a, b in zip(before, after, strict=True)) / len(before))


def options_text(epilogue: Epilogue, choice: Mapping[str, Any]) -> str:
    """The options of an epilogue with a choice, as they stand in its decorator."""
    made = applied(epilogue, choice)
    parts = [] if made.gemm == type(made.gemm)() else [f"gemm={gemm_text(made.gemm)}"]
    given = {name: value for name in OPTIONS if (value := getattr(made, name)) != "auto"}
    return ", ".join(parts + [f"{name}={value!r}" for name, value in given.items()])


class Tuner:
    """One epilogue at one shape."""

    def __init__(
        self,
        planned: tuple[Epilogue, Plan],
        shape: Shape,
        options: TuneOptions,
        *,
        progress: Progress = silent,
        executor: Executor | None = None,
        axes: Axes | None = None,
    ) -> None:
        self.epilogue, plan = planned
        self.executor = executor
        self.plan, self.shape, self.options, self.progress = plan, shape, options, progress
        self.warnings: list[Diagnostic] = []
        self.problem = plan.problem(shape, options.matmuls)
        self.space = Space(replace(self.epilogue, function=None), axes or axes_of(plan))
        footprint.at_once([(f"{plan.name} at {plan.size(self.problem)}", footprint.estimate(plan, self.problem))], 1)
        where = []
        if options.device:
            from . import device

            where = ["device", *device.machine()]
        launch = repr((shape, options.matmuls, options.cores))
        name = key([identity(self.epilogue), __version__, launch, *where], headers_below(DEVICE), DEVICE)
        self.journal = Journal(cache_directory() / "tune" / f"{name}.jsonl")

    def tuning(self) -> Tuning:
        """Search, and verify what is found."""
        found = search(self.space, self.clock, self.formula, runs=self.options.runs, seed=self.options.seed)
        winner = self.verified(found)
        self.order = (winner, *(point for point in found.order if point != winner))
        default = self.kernel(self.space.own)
        constants, changed = self.rests_on() if self.options.assumed and not self.options.device else (None, ())
        return Tuning(
            self.epilogue.name, self.plan.arch.name, (self.shape,), self.plan.size(self.problem), default,
            self.kernel(winner), options_text(self.epilogue, self.space.fields(winner)), found.runs, self.space.size,
            found.all, self.options.seed, tuple(map(self.kernel, found.order[:SHOWN])), constants, changed,
            self.options.device,
        )  # fmt: skip

    def clock(self, points: Sequence[Point], scale: Scale | None = None) -> list[int | None]:
        """The cycles of legal points, of the journal or timed now."""
        keys = [f"{kernel_key(self._plan(point))} {scale or ''}".strip() for point in points]
        known = self.journal.known
        new = sorted(item for item in zip(keys, points, strict=True) if item[0] not in known)
        # What is compiled together takes less; an executor may have a worker for each.
        on_device = self.options.device
        count = max(
            self.options.jobs or (1 if on_device else cores() if self.executor is None else len(new)),
            -(-len(new) // TOGETHER),
        )
        parts = [part for start in range(count) if (part := new[start::count])]
        jobs = {self.job([point for _, point in part], scale): part for part in parts}

        def done(job: Job, made: Sequence[Timed]) -> None:
            for (launch, _), one in zip(jobs[job], made, strict=True):
                self.journal.add(launch, one.cycles)
            self.progress(tr("{name}: {count} launches timed", name=self.epilogue.name, count=len(known)))

        run = timed
        if on_device:
            from . import device

            # The epilogue as it is comes first: if it was built, the machine lacks nothing
            run = partial(device.timed, builds=any(known.values()))
        each(run, jobs, self.executor, done, 1 if on_device else None)
        return [known[launch] for launch in keys]

    def job(self, points: Sequence[Point], scale: Scale | None = None) -> Job:
        """The launches of points."""
        made = tuple(applied(self.space.epilogue, self.space.fields(point)) for point in points)
        return Job(
            made, self.shape, self.options.matmuls, scale, self.options.cores, self.options.cxx, self.options.timeout
        )

    def formula(self, plan: Plan) -> float:
        return estimated(plan, self.problem, self.options.cores)

    def kernel(self, point: Point) -> Kernel:
        """A point that was timed."""
        (cycles,) = self.clock([point])
        own = {**vars(self.epilogue), **vars(self.epilogue.gemm)}
        differs = {name: value for name, value in self.space.fields(point).items() if value != own[name]}
        return Kernel(differs, (cycles or 0,))

    def verified(self, found: Found) -> Point:
        """The fastest point whose kernel is right."""
        # The gain is over the epilogue as it is, so that must run.
        tried = [*found.order[:SHOWN], self.space.own] if self.space.own in found.cycles else []
        for point in dict.fromkeys(tried):
            self.progress(tr("{name}: verifying", name=self.epilogue.name))
            chosen = VerifyOptions(
                batch=self.options.batch, groups=self.options.groups, cxx=self.options.cxx, timeout=self.options.timeout
            )
            results = verify_plans([self._plan(point)], chosen)
            if all(result.ok for result in results):
                return point
            why = next(filter(None, (result.error for result in results)), "numbers, or hazards")
            given = options_text(self.epilogue, self.space.fields(point))
            self.warnings.append(NOT_RIGHT.of(name=self.epilogue.name, options=given, why=why))
        at = self.epilogue.location
        raise NONE_RUNS.refusal(at=at, name=self.epilogue.name, size=self.plan.size(self.problem))

    def rests_on(self) -> tuple[int, tuple[Changed, ...]]:
        """How many assumed constants there are, and those that change the gain or the winner among the fastest."""
        (plain,) = timed(self.job([self.order[0]]))
        finalists = list(dict.fromkeys([*self.order[:3], self.space.own]))
        now = gain(*(self.kernel(point).cycles for point in (self.space.own, self.order[0])))
        constants = assumed(self.plan.arch.name, plain.calls)
        changed = []
        for constant in constants:
            for factor in FACTORS:
                cycles = [one or math.inf for one in self.clock(finalists, (constant, factor))]
                ratio = cycles[finalists.index(self.space.own)] / cycles[0]
                stays = cycles[0] <= min(cycles)
                if not stays or abs(ratio - now) >= CHANGE:
                    changed.append(Changed(constant, factor, round(ratio, 4), stays))
        return len(constants), tuple(changed)

    def _plan(self, point: Point) -> Plan:
        plan = self.space.plan(point)
        assert plan is not None
        return plan


def _for_all(searches: Sequence[Tuner]) -> Tuning:
    """The winner among those of all shapes, and the epilogue as it is, by the geometric mean of the gains."""
    points = dict.fromkeys([*(one.order[0] for one in searches), searches[0].space.own])
    timed = {}
    for point in points:
        cycles = [one.clock([point])[0] for one in searches]
        if all(count is not None for count in cycles):
            timed[point] = tuple(count for count in cycles if count is not None)
    own = timed[searches[0].space.own]
    winner = max(timed, key=lambda point: gain(own, timed[point]))
    one = searches[0]
    kernels = {point: Kernel(one.kernel(point).options, cycles) for point, cycles in timed.items()}
    sizes = ", ".join(other.plan.size(other.problem) for other in searches)
    return Tuning(
        one.epilogue.name, one.plan.arch.name, tuple(other.shape for other in searches), sizes,
        kernels[one.space.own], kernels[winner], options_text(one.epilogue, one.space.fields(winner)),
        seed=one.options.seed, tried=tuple(kernels.values()), device=one.options.device,
    )  # fmt: skip
