"""Verification: build the programs, run every epilogue at every shape, compare, report."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..check.diagnostics import Diagnostic, EvtgenError
from ..checkout import is_include, recognise
from ..emit.render import Framework, epilogue_files, framework_files
from ..lower.plan import Plan
from ..numeric import same
from ..reference import enclose
from . import harness, toolchain
from .compare import compare, compare_accumulator
from .report import Result, Shape

DEFAULT_SHAPES: tuple[Shape, ...] = ((256, 512, 1024), (87, 198, 120), (3, 7, 5))
"""What is verified when nothing is asked for: whole blocks, tails everywhere, less than one 32-byte block."""

Progress = Callable[[str], None]


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


def verify_plans(plans: Sequence[Plan], options: Options, progress: Progress | None = None) -> list[Result]:
    """Verify every plan at every shape, in that order; ``progress`` is told in a few words what goes on.

    Raises EvtgenError with status 3 when there is no compiler or nowhere to build. Everything else that goes wrong,
    a header that does not compile included, is in the results.
    """
    say = progress or (lambda message: None)
    compiler = toolchain.find_compiler(options.cxx)
    if options.headers is not None:
        _require_headers(plans, options.headers)
        # Headers that are installed in a checkout are verified against it.
        if options.catlass is None and is_include(options.headers):
            options = replace(options, catlass=options.headers)
    system = include_roots(options.catlass)
    say("building the CPU model")
    toolchain.machine_library(compiler)
    built = _build(plans, compiler, options, system, say)
    cases = [(plan, shape) for plan in plans for shape in options.shapes or DEFAULT_SHAPES]

    def case(item: tuple[Plan, Shape]) -> Result:
        plan, shape = item
        result = _verify_one(plan, shape, built[plan.name], compiler, options)
        say(f"{plan.name} at {'x'.join(map(str, shape))}: {'ok' if result.ok else 'FAILED'}")
        return result

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(case, cases))


def _framework(options: Options) -> Framework:
    if options.framework is not None:
        return options.framework
    return Framework() if options.catlass is None else recognise(options.catlass).framework


def _given_headers(options: Options) -> tuple[dict[str, str], list[Path]]:
    """The headers to verify: as texts where they are installed in the checkout itself, else as an include root."""
    assert options.headers is not None
    given = options.headers.resolve()
    if options.catlass is not None and given == recognise(options.catlass).include:
        return recognise(options.catlass).own_headers(), []
    return {}, [given]


def build_programs(
    plans: Sequence[Plan], options: Options, progress: Progress | None = None
) -> dict[str, toolchain.Program | str]:
    """The program of each plan by name, or what the compiler said instead. Raises EvtgenError without a compiler."""
    say = progress or (lambda message: None)
    compiler = toolchain.find_compiler(options.cxx)
    say("building the CPU model")
    toolchain.machine_library(compiler)
    return _build(plans, compiler, options, include_roots(options.catlass), say)


def _require_headers(plans: Sequence[Plan], root: Path) -> None:
    missing = [f"{plan.name}.hpp" for plan in plans if not (root / f"{plan.name}.hpp").is_file()]
    if missing:
        raise EvtgenError(
            Diagnostic("EVT094", "error", f"{root} does not hold {', '.join(missing)}",
                       help=f"write it with: evtgen build SPEC -o {root}")
        )  # fmt: skip


def _build(
    plans: Sequence[Plan], compiler: toolchain.Compiler, options: Options, system: Sequence[Path], progress: Progress
) -> dict[str, toolchain.Program | str]:
    """The program of each plan by name, or what the compiler said instead."""
    place = _framework(options)
    framework, include = _given_headers(options) if options.headers else (framework_files(place), [])

    def build(group: Sequence[Plan]) -> dict[str, toolchain.Program | str]:
        headers = dict(framework)
        if not options.headers:
            for plan in group:
                headers.update(epilogue_files(plan, place))
        progress(f"compiling {', '.join(plan.name for plan in group)}")
        flags = [f"-DCATLASS_ARCH={group[0].arch.npu}", *preamble(options.catlass)]
        try:
            program = toolchain.compile_program(
                compiler, harness.source(group), headers, extra_flags=flags, include=include, system=system
            )
        except toolchain.CompileFailure as failure:
            if len(group) == 1:
                return {group[0].name: f"{compiler.path} refuses the header:\n{failure}"}
            # Which of them it is shows when each is alone.
            return {name: program for plan in group for name, program in build([plan]).items()}
        return {plan.name: program for plan in group}

    groups = []
    for npu in sorted({plan.arch.npu for plan in plans}):
        alike = [plan for plan in plans if plan.arch.npu == npu]
        groups += [alike[i : i + options.batch] for i in range(0, len(alike), options.batch)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return {name: program for part in pool.map(build, groups) for name, program in part.items()}


def include_roots(catlass_dir: Path | None) -> list[Path]:
    """Where the device's headers are: AscendC's, the machine's, and Catlass's or the stand-in for it."""
    device = toolchain.DEVICE
    if catlass_dir is None:
        return [device / "catlass", device / "ascendc", device]
    # The cube side and the launch cannot be compiled for a host; the overlay replaces them by the model's.
    return [device / "overlay", recognise(catlass_dir).include, device / "ascendc", device]


def preamble(catlass_dir: Path | None) -> list[str]:
    """Headers that come before everything else.

    A real Catlass leaves AscendC's to the device compiler, and its macros (Catlass v1.0, v1.1) are attributes that no
    host compiler knows; the stand-in's have the same include guard.
    """
    if catlass_dir is None:
        return []
    macros = toolchain.DEVICE / "catlass" / "catlass" / "detail" / "macros.hpp"
    return ["-include", "kernel_operator.h", "-include", str(macros)]


def _verify_one(
    plan: Plan, shape: Shape, program: toolchain.Program | str, compiler: toolchain.Compiler, options: Options
) -> Result:
    result = Result(
        plan.name, shape, plan.compute_length, plan.ub_used, plan.ub_limit,
        schedules=len(_schedules(options)), strict=options.strict, data=options.data, seed=options.seed,
        pad=options.pad, compiler=compiler.version,
    )  # fmt: skip
    if isinstance(program, str):
        result.error = program
        return result
    result.warnings = program.warnings
    started = time.perf_counter()
    given = harness.operands(plan, shape, options.seed, options.data)
    variants: list[tuple[str, ...]] = [()]
    if nullable := harness.nullable(plan):
        variants.append(nullable)
    for null in variants:
        directory = Path(tempfile.mkdtemp(prefix="evtgen-"))
        try:
            _run_variant(result, plan, program, given, directory=directory, null=null, options=options)
        finally:
            shutil.rmtree(directory, ignore_errors=True)
        if result.error is not None:
            break
    result.seconds = time.perf_counter() - started
    return result


def _run_variant(
    result: Result,
    plan: Plan,
    program: toolchain.Program,
    given: harness.Operands,
    *,
    directory: Path,
    null: tuple[str, ...],
    options: Options,
) -> None:
    """Run one set of tensors in every schedule, and add what is found to ``result``."""
    shape = result.shape
    harness.write_operands(plan, shape, given, directory, null=null, pad=options.pad)
    settings = {
        "EVTGEN_MODEL_STRICT": "1" if options.strict else "0",
        "EVTGEN_MODEL_CHECKS": "all" if options.checks else "off",
    }
    baseline: harness.Run | None = None
    for index, schedule in enumerate(_schedules(options)):
        outputs = directory / f"schedule{index}"
        environment = {**settings, "EVTGEN_MODEL_SCHEDULE": schedule}
        run = harness.run(
            program, plan, shape, inputs=directory, outputs=outputs, environment=environment, pad=options.pad
        )
        shutil.rmtree(outputs, ignore_errors=True)
        _add_hazards(result, plan, run.report, options.catlass)
        if run.error is not None:
            result.error = run.error if index == 0 else f"schedule {schedule}: {run.error}"
            return
        if baseline is None:
            baseline = run
            _compare(result, plan, run, given, null)
        else:
            _compare_schedules(result, plan, baseline, run)


def _schedules(options: Options) -> list[str]:
    """The orders of execution, as the model names them."""
    if not options.schedules:
        return ["recorded"]
    return ["recorded", "late", *(f"random:{options.seed + i}" for i in range(options.schedules))]


def _compare(result: Result, plan: Plan, run: harness.Run, given: harness.Operands, null: tuple[str, ...]) -> None:
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


def _compare_schedules(result: Result, plan: Plan, first: harness.Run, other: harness.Run) -> None:
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
            where = ub_owner(plan, hazard["first_byte"])
            added |= {"where": where} if where else {}
        result.hazards.append(added)


def ub_owner(plan: Plan, byte: int) -> str | None:
    """Whose buffer holds a byte of UB: ``"AuxLoadX, buffer 1"``; None behind the last. Buffers follow each other, in
    each of them the nodes' shares do.
    """
    buffers = plan.epilogue.buffers
    buffer, rest = divmod(byte, max(1, plan.ub_used // buffers))
    if buffer >= buffers:
        return None
    for alias, total in plan.ub:
        if rest < total // buffers:
            return f"{alias}, buffer {buffer}"
        rest -= total // buffers
    return None
