"""Epilogues to all that is known of each epilogue: what the report page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..check import planned
from ..emit.framework import Framework
from ..emit.render import header_files
from ..graph.ir import Epilogue, Step
from ..nodes import AccLoad, AuxStore
from ..options import ReportOptions
from ..passes.analysis.roots import rooted
from ..planner.plan import Plan, require_launches
from ..system.progress import Progress, silent
from .explain import describe

if TYPE_CHECKING:
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
    """

    plan: Plan
    plans: tuple[Plan, ...]
    described: Mapping[str, Any]
    headers: Mapping[str, str]
    profiles: tuple[Profile, ...] = ()
    plain: Profile | None = None
    results: tuple[Result, ...] = ()

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
    headers = header_files(own, Framework())
    found = [
        Subject(plan, tuple(_compared(epilogue, plan, options.buffers)), describe(plan), headers)
        for plan, epilogue in zip(own, checked.epilogues, strict=True)
    ]
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
    from ..measure.profile import profile_plans
    from ..verify import verify_plans

    own = [subject.plan for subject in found]
    results = verify_plans(own, options.of_verify, progress, language=True) if options.verify else []
    made = []
    for subject in found:
        plain = plain_matmul(subject.plan)
        plans = [*subject.plans, *([] if plain is None else [plain])]
        profiles = profile_plans(plans, options.of_profile, progress)
        of_subject = tuple(result for result in results if result.epilogue == subject.name)
        alone = None if plain is None else profiles.pop()
        made.append(replace(subject, profiles=tuple(profiles), plain=alone, results=of_subject))
    return made


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
