"""Epilogues to all that is known of each epilogue: what the report page shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..check import planned
from ..emit.framework import Framework
from ..emit.render import header_files
from ..graph.ir import Epilogue, Step
from ..nodes import AccLoad, AuxStore
from ..options import ProfileOptions, ReportOptions
from ..passes.analysis.roots import rooted
from ..planner.plan import Plan, require_launches
from ..system.progress import Progress, silent, together
from .explain import describe

if TYPE_CHECKING:
    from ..measure.over_k import OverK
    from ..measure.profile import Profile
    from ..verify import Result
    from .specs import Checked


@dataclass(frozen=True)
class Subject:
    """An epilogue and all that is known of it.

    Attributes:
        plan: the epilogue as it is built.
        plans: the same with other numbers of buffers, ``plan`` among them, by their number.
        described: the plan as :func:`evtgen.pipeline.explain.describe` describes it.
        headers: the emitted files, path below the include root → text: its own and those of the framework.
        profiles: the profile of each of ``plans``; empty where nothing was run.
        plain: the profile of the matmul alone, which only stores the accumulator; None where nothing was run.
        results: what ``verify`` found at its default shapes; empty where nothing was verified.
        over_k: its time over K; None where nothing was run.
        before: its profiles of another time, as ``evtgen profile --json`` prints them; None if nothing is compared.
        tried: cycles with one option more, by its text, on the clock.
    """

    plan: Plan
    plans: tuple[Plan, ...]
    described: Mapping[str, Any]
    headers: Mapping[str, str]
    profiles: tuple[Profile, ...] = ()
    plain: Profile | None = None
    results: tuple[Result, ...] = ()
    over_k: OverK | None = None
    before: Sequence[Mapping[str, Any]] | None = None
    tried: Mapping[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The epilogue's name."""
        return self.plan.name

    @property
    def profile(self) -> Profile | None:
        """The profile of the epilogue as it is built."""
        pairs = zip(self.plans, self.profiles, strict=False)
        return next((one for plan, one in pairs if plan.buffers == self.plan.buffers), None)

    def id(self, word: str) -> str:
        """The id of an element of the page about this epilogue."""
        return f"{self.name}-{word}"


def subjects(checked: Checked, options: ReportOptions, progress: Progress = silent) -> list[Subject]:
    """All that is known of each of these epilogues, in which no error is found. Raises EvtgenError."""
    own = checked.plans
    shapes = () if options.shape is None else (options.shape,)
    require_launches(own, options.of_profile.matmuls, shapes)
    headers, old = header_files(own, Framework()), None
    if options.compare is not None:
        from .earlier import read

        old = read(options.compare)
    found = [
        Subject(
            plan, tuple(_compared(epilogue, plan, options.buffers)), describe(plan), headers,
            before=None if old is None else [one for one in old if one["epilogue"] == plan.name],
        )
        for plan, epilogue in zip(own, checked.epilogues, strict=True)
    ]  # fmt: skip
    return _run(found, options, progress) if options.run else found


def _compared(epilogue: Epilogue, own: Plan, buffers: Sequence[int] | None) -> list[Plan]:
    """The plan, and those with other numbers of buffers, in the order of these."""
    from .profile import compared, with_buffers

    if buffers is None:
        return compared(epilogue, own)
    plans = [own, *(with_buffers(epilogue, count) for count in buffers if count != own.buffers)]
    return sorted(plans, key=lambda plan: plan.buffers)


def _run(found: Sequence[Subject], options: ReportOptions, progress: Progress) -> list[Subject]:
    """The subjects with what the CPU model says of them."""
    from ..model.toolchain import find_compiler, machine_library
    from ..model.workers import each
    from ..verify import verify_plans

    own = [subject.plan for subject in found]
    # Of two that need it, one would wait.
    machine_library(find_compiler(options.cxx), progress)
    verifying, profiling = together(progress, 2)
    verified = partial(verify_plans, own, options.of_verify, verifying, language=True) if options.verify else list
    parts: list[tuple[Callable[[], Any], Progress]] = [
        (verified, verifying),
        (partial(_profiled, found, options, profiling), profiling),
    ]

    def made(part: tuple[Callable[[], Any], Progress]) -> Any:
        result = part[0]()
        part[1]("")
        return result

    threads = 2 if options.verify and _fit_at_once(found, options) else 1
    results, profiled = each(made, parts, None, threads=threads)
    return [replace(one, results=tuple(of for of in results if of.epilogue == one.name)) for one in profiled]


def _fit_at_once(found: Sequence[Subject], options: ReportOptions) -> bool:
    """Whether there is memory to verify and to profile at once: for twice as many runs as there are cores, each as
    large as the largest of them. Raises EvtgenError (EVT067) if there is none for one."""
    from ..measure import profile
    from ..model import footprint
    from ..model.workers import cores
    from ..verify import session

    plans = [plan for one in found for plan in (*one.plans, plain_matmul(one.plan)) if plan is not None]
    runs = [
        *session.estimates([one.plan for one in found], options.of_verify),
        *profile.estimates(plans, options.of_profile),
    ]
    return footprint.at_once(runs, most := 2 * cores()) == most


def _profiled(found: Sequence[Subject], options: ReportOptions, progress: Progress) -> list[Subject]:
    """The subjects with their times."""
    from ..measure.over_k import over_k
    from ..measure.profile import profile_plans
    from .profile import with_measured

    on_device = with_measured([subject.plan for subject in found], options.of_profile)
    made = []
    for subject in found:
        plain, of_profile = plain_matmul(subject.plan), options.of_profile
        plans = [*subject.plans, *([] if plain is None else [plain])]
        profiles = profile_plans(plans, of_profile, progress)
        alone = None if plain is None else profiles.pop()
        profiles = [replace(one, measured=on_device.get((one.epilogue, one.buffers))) for one in profiles]
        subject = replace(subject, profiles=tuple(profiles), plain=alone)  # noqa: PLW2901
        both = [(subject.plan, subject.profile), *([] if plain is None else [(plain, alone)])]
        curve = over_k([(plan, profile) for plan, profile in both if profile is not None], of_profile, progress)
        made.append(replace(subject, over_k=curve, tried=_tried(subject, of_profile, progress)))
    return made


def _tried(subject: Subject, options: ProfileOptions, progress: Progress) -> dict[str, int]:
    """The cycles that options give which a sentence of advice names: other numbers of buffers, and fast_math where V
    works most of the time."""
    from ..measure.profile import profile_plans

    own, epilogue = subject.profile, subject.plan.written
    if own is None:
        return {}
    tried = {f"buffers={one.buffers}": one.cycles for one in subject.profiles if one is not own}
    spans = [phase.busy for phase in own.phases] or [own.busy.get("AIV", {})]
    if not epilogue.fast_math and any(limit(busy) == "V" for busy in spans):
        faster = planned(replace(epilogue, fast_math=True))[0]
        if faster is not None and faster.steps != subject.plan.steps:
            tried["fast_math=True"] = profile_plans([faster], options, progress)[0].cycles
    return tried


BUSY = 0.6
"""The share of its time from which on a pipe limits a phase."""


def limit(busy: Mapping[str, float]) -> str | None:
    """The pipe of a vector core that limits a phase, by the shares of its time that they work; None without one."""
    pipe = max(("MTE2", "V", "MTE3"), key=lambda pipe: busy.get(pipe, 0.0))
    return pipe if busy.get(pipe, 0.0) >= BUSY else None


def plain_matmul(plan: Plan) -> Plan | None:
    """The plan of the same matmul whose epilogue only stores the accumulator, or both; None where there is none."""
    c, steps = plan.element_c, []
    for index in range(plan.accumulators):
        steps += [Step(AccLoad(c, index), ()), Step(AuxStore(f"C{index}", c), (2 * index,))]
    gemm = replace(plan.written.gemm, c=c)
    alone = Epilogue(
        f"{plan.name}_alone", rooted(steps, plan.epilogue.location), plan.arch.name, gemm=gemm, traced=True
    )
    return planned(alone)[0]
