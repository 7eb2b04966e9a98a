"""Verification: build the programs, run every epilogue at every shape, compare, report."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..arithmetic.arrays import same
from ..catlass.checkout import recognise
from ..emit.framework import Framework
from ..graph.shapes import Shape
from ..model import toolchain
from ..model.data import Operands, operands
from ..model.execution import Prepared, Run, Settings
from ..model.harness import nullable
from ..model.programs import Compilation, Progress, build_programs, silent
from ..planner.plan import Plan
from ..reference import enclose
from .compare import compare, compare_accumulator
from .result import Result

DEFAULT_SHAPES: tuple[Shape, ...] = ((256, 512, 1024), (87, 198, 120), (3, 7, 5))
"""What is verified when nothing is asked for: whole blocks, tails everywhere, less than one 32-byte block."""


@dataclass(frozen=True)
class Options:
    """How to verify.

    Attributes:
        shapes: (M, N, K) of each run; none of them means :data:`DEFAULT_SHAPES`.
        seed: of the random operands.
        data: ``"int"`` (−5 to 5, so that sums are exact) or ``"normal"``.
        cxx: the compiler; None takes the first there is.
        headers: include root of headers to verify instead of fresh ones.
        strict: warnings count.
        catlass: a Catlass checkout (or its ``include``) to use instead of the stand-in.
        schedules: when positive, run as late as possible and in so many random orders, too, and compare the results.
        framework: where the framework lives in the headers; None: where the checkout has room for it.
        batch: epilogues per program. More is less work in all, fewer is more that is found in the cache.
        checks: look for hazards.
        pad: elements between the rows of every tensor, for a leading dimension larger than the row.
    """

    shapes: tuple[Shape, ...] = ()
    seed: int = 0
    data: str = "int"
    cxx: str | None = None
    headers: Path | None = None
    strict: bool = False
    catlass: Path | None = None
    schedules: int = 0
    framework: Framework | None = None
    batch: int = 1
    checks: bool = True
    pad: int = 0

    @property
    def compilation(self) -> Compilation:
        """What the programs are compiled from."""
        return Compilation(self.cxx, self.headers, self.catlass, self.framework, self.batch).resolved()

    @property
    def schedule_names(self) -> list[str]:
        """The orders of execution, as the model names them."""
        if not self.schedules:
            return ["recorded"]
        return ["recorded", "late", *(f"random:{self.seed + i}" for i in range(self.schedules))]


def verify_plans(plans: Sequence[Plan], options: Options, progress: Progress = silent) -> list[Result]:
    """Verify every plan at every shape, in that order; ``progress`` is told in a few words what goes on.

    Raises EvtgenError with status 3 when there is no compiler or nowhere to build. Everything else that goes wrong,
    a header that does not compile included, is in the results.
    """
    compilation = options.compilation
    compiler = toolchain.find_compiler(options.cxx)
    built = build_programs(plans, compilation, progress)
    cases = [(plan, shape) for plan in plans for shape in options.shapes or DEFAULT_SHAPES]

    def case(item: tuple[Plan, Shape]) -> Result:
        plan, shape = item
        result = _verify_one(plan, shape, built[plan.name], compiler, options)
        progress(f"{plan.name} at {'x'.join(map(str, shape))}: {'ok' if result.ok else 'FAILED'}")
        return result

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(case, cases))


def _verify_one(
    plan: Plan, shape: Shape, program: toolchain.Program | str, compiler: toolchain.Compiler, options: Options
) -> Result:
    result = Result(
        plan.name, shape, plan.compute_length, plan.ub_used, plan.ub_limit,
        schedules=len(options.schedule_names), strict=options.strict, data=options.data, seed=options.seed,
        pad=options.pad, compiler=compiler.version,
    )  # fmt: skip
    if isinstance(program, str):
        result.error = program
        return result
    result.warnings = program.warnings
    started = time.perf_counter()
    given = operands(plan, shape, options.seed, options.data)
    variants: list[tuple[str, ...]] = [()]
    if optional := nullable(plan):
        variants.append(optional)
    for null in variants:
        with Prepared(plan, shape, given, null=null, pad=options.pad) as prepared:
            _run_variant(result, plan, program, prepared, given, null=null, options=options)
        if result.error is not None:
            break
    result.seconds = time.perf_counter() - started
    return result


def _run_variant(
    result: Result,
    plan: Plan,
    program: toolchain.Program,
    prepared: Prepared,
    given: Operands,
    *,
    null: tuple[str, ...],
    options: Options,
) -> None:
    """Run one set of tensors in every schedule, and add what is found to ``result``."""
    catlass = options.compilation.catlass
    baseline: Run | None = None
    for schedule in options.schedule_names:
        run = prepared.run(program, Settings(options.strict, options.checks, schedule))
        _add_hazards(result, plan, run.report, catlass)
        if run.error is not None:
            result.error = run.error if baseline is None else f"schedule {schedule}: {run.error}"
            return
        if baseline is None:
            baseline = run
            _compare(result, plan, run, given, null)
        else:
            _compare_schedules(result, plan, baseline, run)


def _compare(result: Result, plan: Plan, run: Run, given: Operands, null: tuple[str, ...]) -> None:
    assert run.accumulator is not None
    if not null:
        result.accumulator = compare_accumulator(run.accumulator, given.a, given.b, plan.element_c)
    inputs = {name: array for name, array in given.inputs.items() if name not in null}
    expected = enclose(plan, run.accumulator, inputs)
    for tensor in plan.tensors:
        if tensor.output:
            result.outputs.append(
                compare(tensor.name, tensor.element.name, run.outputs[tensor.name], expected[tensor.name], null)
            )


def _compare_schedules(result: Result, plan: Plan, first: Run, other: Run) -> None:
    assert first.accumulator is not None and other.accumulator is not None
    if not same(first.accumulator, other.accumulator).all() and "C" not in result.differing:
        result.differing.append("C")
    for tensor in plan.tensors:
        if tensor.output and not same(first.outputs[tensor.name], other.outputs[tensor.name]).all():
            atomic = tensor.initial is not None and tensor.element.kind == "float"
            names = result.float_atomics if atomic else result.differing
            if tensor.name not in names:
                names.append(tensor.name)


def _add_hazards(result: Result, plan: Plan, report: dict[str, Any], catlass: Path | None) -> None:
    """Take over the model's findings, each once, with the node whose buffer it is about and whose file it is in."""
    known = {(hazard["code"], str(hazard.get("sites"))) for hazard in result.hazards}
    checkout = None if catlass is None else f"{recognise(catlass).include}{os.sep}"
    for hazard in report.get("hazards", ()):
        for site in hazard.get("sites", ()):
            site["file"] = str(site.get("file", "")).removeprefix("include/")
        if (hazard["code"], str(hazard.get("sites"))) in known:
            continue
        sites = hazard.get("sites", ())
        added = dict(hazard)
        if checkout is not None and sites and all(site["file"].startswith(checkout) for site in sites):
            added["origin"] = "checkout"
        if hazard.get("space") == "UB" and "first_byte" in hazard:
            owner = plan.owner(hazard["first_byte"])
            added |= {"where": f"{owner[0]}, buffer {owner[1]}"} if owner else {}
        result.hazards.append(added)
