"""Verification: build the programs, and verify every epilogue at every shape, here or spread over workers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from ..frontend.dispatch import Served
from ..graph.shapes import Problem, Shape
from ..measure.language import Examination, examine
from ..model import footprint
from ..model.data import operands
from ..model.programs import build_programs
from ..model.reached import Counters
from ..model.workers import cores, each, is_plain, spread
from ..options import VerifyOptions
from ..planner.plan import Plan, require_launches
from ..reference import factors, product
from ..system.progress import Progress, Steps, silent
from ..system.translation import tr
from . import dump
from .against import Against, against_of
from .case import kinds, launches, verify_case, widest
from .result import Result

_Run = tuple[Plan, Problem, str]
"""A plan at a problem on a kind of data."""

DEFAULT_SHAPES: tuple[Shape, ...] = ((384, 512, 768), (87, 198, 120), (3, 7, 5))
"""The shapes without ``--shape``: so many whole blocks that one core, on which they also run, uses all buffers and
flags again; tails everywhere; less than one 32-byte block."""


def verify_plans(
    plans: Sequence[Plan],
    options: VerifyOptions,
    progress: Progress = silent,
    *,
    language: bool = False,
) -> list[Result]:
    """Verify every plan at every shape on every kind of data, in that order; ``progress`` is told in a few words about
    each step. With ``language`` the headers are examined by the rules of the device's C++, and measured.

    Raises EvtgenError for matmuls that no plan has (EVT177) or an N that one cannot have (EVT241), and with status 3 if
    there is no compiler or nowhere to build, a run takes more memory than there is (EVT067), or a dump cannot be
    written. All other faults are in the results, also a header that does not compile.
    """
    require_launches(plans, options.matmuls, options.problems)
    if options.dump is not None:
        dump.prepare(options.dump)
    cases = _cases(plans, options)
    with spread(options.executor, options.jobs, options.dask) as executor:
        if executor is None or options.against is not None:
            return _verified(cases, options, progress, language=language)
        alone = replace(options, executor=None, jobs=None, dask=None, progress=False)
        return _spread(plans, cases, alone, progress, executor, language)


def estimates(plans: Sequence[Plan], options: VerifyOptions) -> Iterator[tuple[str, int]]:
    """The name and the estimated bytes of each run of :func:`verify_plans`, of which as many as there are cores go on
    at once."""
    return _estimates(_cases(plans, options), options)


def _cases(plans: Sequence[Plan], options: VerifyOptions) -> list[_Run]:
    return [(plan, problem, data) for plan in plans for problem in _problems(plan, options) for data in kinds(options)]


def _spread(  # noqa: PLR0917
    plans: Sequence[Plan],
    cases: Sequence[_Run],
    options: VerifyOptions,
    progress: Progress,
    executor: Executor,
    language: bool,
) -> list[Result]:
    """Cases as jobs of an executor. Their programs are built before, once: a worker does not wait for another's."""
    steps = Steps(progress, tr("compiling {count} of {of}: {name}"), len(plans))
    own = {plan.name: [case for case in cases if case[0] is plan] for plan in plans}
    built = [(some, False) for some in own.values()] + [(some, True) for some in own.values() if language]
    prepared = each(
        partial(_prepared, options=options),
        built,
        executor,
        lambda job, _: None if job[1] else steps.next(job[0][0][0].name),
    )
    made = [(some[0][0].name, one) for (some, _), one in zip(built, prepared, strict=True)]
    examined = {name: one for name, one in made if isinstance(one, Examination)}
    refused = {name: one for name, one in made if isinstance(one, str)}
    jobs: list[list[_Run]] = []
    for plan in plans:
        # Lines are counted over all runs of a program. What stays in this process has all its threads. Nothing is run
        # of a program that was not built.
        whole = options.coverage or plan.name in refused or not is_plain(plan)
        jobs += [own[plan.name]] if whole else [[case] for case in own[plan.name]]
    steps = Steps(progress, tr("run {count} of {of}: {name}"), len(cases))

    def done(_: list[_Run], made: list[Result]) -> None:
        for result in made:
            _told(steps, result)

    found = each(partial(_verified, options=options, refused=refused), jobs, executor, done)
    results = [result for some in found for result in some]
    for result in results:
        result.language = examined.get(result.epilogue) if result.compiled else None
    return results


def _prepared(job: tuple[Sequence[_Run], bool], options: VerifyOptions) -> Examination | str | None:
    """Examine the headers of the plan of some cases, or build its program: a job. Returns the compiler's messages if it
    refused the header."""
    cases, examines = job
    plan = cases[0][0]
    _at_once(cases, options)
    if examines:
        return examine([plan], options.compilation)[plan.name]
    program = build_programs([plan], options.compilation)[plan.name]
    return program if isinstance(program, str) else None


def _at_once(cases: Sequence[_Run], options: VerifyOptions) -> int:
    """How many cases this machine's memory has room for. Raises EvtgenError (EVT067) if one takes more than there
    is."""
    return footprint.at_once(_estimates(cases, options), cores())


def _estimates(cases: Sequence[_Run], options: VerifyOptions) -> Iterator[tuple[str, int]]:
    padded = f" with --pad {options.pad}" if options.pad else ""
    for plan, problem, _ in cases:
        bytes_ = footprint.estimate(plan, problem, widest(plan, problem, options), compared=True)
        yield f"{plan.name} at {plan.size(problem)}{padded}", bytes_


def _verified(
    cases: Sequence[_Run],
    options: VerifyOptions,
    progress: Progress = silent,
    refused: Mapping[str, str] = MappingProxyType({}),
    *,
    language: bool = False,
) -> list[Result]:
    """Cases in their order, over the threads of this process. ``refused``: the compiler's messages by the names of
    plans whose headers are known not to compile."""
    plans = list({plan.name: plan for plan, _, _ in cases}.values())
    workers = _at_once(cases, options)
    against = {plan.name: against_of(options.against, options.arrays, plan) for plan in plans}
    for plan, problem in {plan.name: (plan, problem) for plan, problem, _ in cases}.values():
        _try(against[plan.name], plan, problem, options)
    others = [plan for plan in plans if plan.name not in refused]
    built = {**build_programs(others, options.compilation, progress), **refused}
    compiled = [plan for plan in plans if not isinstance(built[plan.name], str)]
    counters = Counters(compiled, options.compilation, progress) if options.coverage else None
    examined = examine(compiled if language else [], options.compilation, progress)
    steps = Steps(progress, tr("run {count} of {of}: {name}"), len(cases))

    def case(item: _Run) -> Result:
        plan, problem, data = item
        result = verify_case(plan, problem, data, built[plan.name], options, against[plan.name], counters)
        result.language = examined.get(plan.name)
        _told(steps, result)
        return result

    with counters or nullcontext():
        results = each(case, cases, None, threads=workers)
        if counters is not None:
            lines = {plan.name: counters.lines(plan.name) for plan in plans}
            for result in results:
                result.lines = lines[result.epilogue]
        return results


def _told(steps: Steps, result: Result) -> None:
    told = {"name": result.epilogue, "size": result.size(), "data": result.data}
    steps.next(tr("{name} at {size}, {data}: {verdict}", verdict=tr("ok") if result.ok else tr("FAILED"), **told))


def _try(against: Against | None, plan: Plan, problem: Problem, options: VerifyOptions) -> None:
    """Call a function once, so that its faults are reported before anything is compiled. Raises EvtgenError."""
    if against is None:
        return
    _, launch, _ = next(launches(plan, problem, options.pad))
    given = operands(plan, launch, options.seed, kinds(options)[0], absent=False)
    multiplied = factors(plan, given.a, given.b, given.inputs, launch, meant=True)
    against.outputs(plan, launch, product(*multiplied), given.read_by(plan))


def _problems(plan: Plan, options: VerifyOptions) -> list[Problem]:
    """The launches of a plan, in which matmuls share nothing; of a kernel for some rows, by default, with such rows:
    nearest to those of the default shapes, and of the smallest with its first and its last."""
    matmuls, defaults, kernel = options.matmuls, [*map(plan.wide, DEFAULT_SHAPES)], plan.epilogue
    if isinstance(kernel, Served):
        *larger, (_, n, k) = defaults
        first = kernel.above + 1
        bounds = [(m, n, k) for m in sorted({first, kernel.rows or first})]
        defaults = [*((kernel.served(m), n, k) for m, n, k in larger), *bounds]
    shapes = options.problems or [plan.kernel.at_least(shape, matmuls) for shape in defaults]
    return [plan.problem(shape, matmuls) for shape in shapes]
