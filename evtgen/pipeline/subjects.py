"""Epilogues to all that is known of each epilogue: what the report page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..analysis.gemm import require_halves
from ..analysis.roots import rooted
from ..check import planned
from ..emit.framework import Framework
from ..emit.render import header_files
from ..graph.ir import Epilogue, Step
from ..graph.shapes import Shape
from ..kernels import DEFAULTS, Matmuls, require
from ..model.processes import TIMEOUT
from ..nodes import AccLoad, AuxStore
from ..planner.plan import Plan
from ..system.progress import Progress, silent
from .explain import describe

if TYPE_CHECKING:
    from ..profile.measure import Profile
    from ..verify import Result
    from .specs import Checked


@dataclass(frozen=True)
class Request:
    """What to find out.

    Attributes:
        shape: (M, N, K) of the profile; None: that of ``evtgen profile``.
        matmuls: of batched and grouped epilogues.
        cores: cube cores of the profile; None: as many as the architecture has.
        cxx: the compiler; None takes the first there is.
        timeout: seconds after which a run is given up.
        run: compile and run; otherwise only what is known without a compiler.
        buffers: numbers of buffers to compare with that of the epilogue; None: those of ``evtgen profile``.
        verify: of what is run, verify it, too, not only profile it.
    """

    shape: Shape | None = None
    matmuls: Matmuls = DEFAULTS
    cores: int | None = None
    cxx: str | None = None
    timeout: float = TIMEOUT
    run: bool = True
    buffers: tuple[int, ...] | None = None
    verify: bool = True


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


def subjects(checked: Checked, request: Request, progress: Progress = silent) -> list[Subject]:
    """All that is known of each of these epilogues, in which no error is found. Raises EvtgenError."""
    own = checked.plans
    require(
        {plan.name: plan.kernel for plan in own}, request.matmuls, () if request.shape is None else (request.shape,)
    )
    for plan in own:
        require_halves(plan.name, plan.gemm, () if request.shape is None else request.shape[1:2])
    headers = header_files(own, Framework())
    found = [
        Subject(plan, tuple(_compared(epilogue, plan, request.buffers)), describe(plan), headers)
        for plan, epilogue in zip(own, checked.epilogues, strict=True)
    ]
    return _run(found, request, progress) if request.run else found


def _compared(epilogue: Epilogue, own: Plan, buffers: Sequence[int] | None) -> list[Plan]:
    """The plan, and those with other numbers of buffers, in the order of these."""
    from .profile import compared, with_buffers

    if buffers is None:
        return compared(epilogue, own)
    plans = [own, *(with_buffers(epilogue, count) for count in buffers if count != own.buffers)]
    return sorted(plans, key=lambda plan: plan.buffers)


def _run(found: Sequence[Subject], request: Request, progress: Progress) -> list[Subject]:
    """The subjects with what the CPU model says of them."""
    from ..model.execution import OBSERVE
    from ..model.programs import Compilation
    from ..profile.measure import profile_plans
    from ..verify import Options, verify_plans
    from .profile import DEFAULT_SHAPE

    options = Options(cxx=request.cxx, language=True, timeout=request.timeout, matmuls=request.matmuls)
    results = verify_plans([subject.plan for subject in found], options, progress) if request.verify else []
    settings = replace(OBSERVE, cores=request.cores, timeout=request.timeout)
    made = []
    for subject in found:
        plain = plain_matmul(subject.plan)
        plans = [*subject.plans, *([] if plain is None else [plain])]
        profiles = profile_plans(
            plans,
            request.shape or DEFAULT_SHAPE,
            Compilation(cxx=request.cxx),
            progress,
            settings,
            matmuls=request.matmuls,
        )
        own = tuple(result for result in results if result.epilogue == subject.name)
        alone = None if plain is None else profiles.pop()
        made.append(replace(subject, profiles=tuple(profiles), plain=alone, results=own))
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
