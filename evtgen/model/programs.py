"""The programs that run plans on the CPU model: one per plan, or one for several, compiled or taken from the cache."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from ..checkouts.ascendc import recognise as recognise_ascendc
from ..checkouts.ascendc import require_compile, runs
from ..checkouts.catlass import Checkout, is_include, recognise, require_operands
from ..checkouts.catlass import require_arch as require_catlass_arch
from ..diagnostics.files import NO_PROGRAM
from ..diagnostics.machine import NO_HEADERS
from ..emit.framework import Framework
from ..emit.places import epilogue_path
from ..emit.render import header_files
from ..planner.plan import Plan
from ..system.progress import Progress, Steps, silent
from ..system.translation import tr
from . import harness, toolchain
from .roots import ascendc_flags, include_roots, preamble
from .toolchain import Program
from .workers import each


@dataclass(frozen=True)
class Compilation:
    """The compiler and the headers of programs.

    Attributes:
        cxx: the compiler; None takes ``EVTGEN_CXX``, or the first one found.
        headers: include root of given headers; None emits fresh ones.
        catlass: a Catlass checkout (or its ``include``) to use instead of the stand-in.
        ascendc: an asc-devkit checkout, for AscendC's own headers: programs run with them or, for an architecture whose
            intrinsics the model only declares, are compiled with them and run with the model's.
        framework: where the framework lives in the headers; None: where the checkout has room for it.
        batch: epilogues per program. More is less work in all, fewer is more that is found in the cache.
        observe: the kernel says which node and tile it works on, for traces and for the names of nodes in findings.
        counters: the program counts the runs of each line, for :mod:`.reached`.
    """

    cxx: str | None = None
    headers: Path | None = None
    catlass: Path | None = None
    framework: Framework | None = None
    batch: int = 1
    observe: bool = False
    ascendc: Path | None = None
    counters: bool = False

    def resolved(self) -> Compilation:
        """These sources with ``catlass`` set to the checkout in which the given headers are installed."""
        if self.headers is not None and self.catlass is None and is_include(self.headers):
            return replace(self, catlass=self.headers)
        return self

    @property
    def place(self) -> Framework:
        """Where the framework lives."""
        if self.framework is not None:
            return self.framework
        return Framework() if self.catlass is None else recognise(self.catlass).framework


def build_programs(
    plans: Sequence[Plan], compilation: Compilation, progress: Progress = silent
) -> dict[str, Program | str]:
    """The program of each plan by name, or the compiler's messages if it refused the header.

    Raises EvtgenError: EVT094 if ``headers`` has no header for a plan; EVT155 if the checkout's release lacks the
    architecture of one, EVT181 if it lacks a copy that an operand takes; EVT071 and EVT100 if AscendC's own headers are
    not to be had for it; EVT090 to EVT092 without a compiler, or without a directory to build in.
    """
    compiler = toolchain.find_compiler(compilation.cxx)
    ascendc = None if compilation.ascendc is None else recognise_ascendc(compilation.ascendc)
    if ascendc is not None:
        for npu in {plan.arch.npu for plan in plans}:
            require_compile(ascendc, npu)
    if compilation.headers is not None:
        _require_headers(plans, compilation.headers)
    compilation = compilation.resolved()
    if compilation.catlass is not None:
        require_catlass_arch(recognise(compilation.catlass), (plan.arch.name for plan in plans))
        require_operands(recognise(compilation.catlass), (plan.gemm for plan in plans))
    toolchain.machine_library(compiler, progress)
    given, include = _headers(plans, compilation)
    fresh = set() if compilation.headers else {epilogue_path(plan.name) for plan in plans}
    models, theirs = (include_roots(compilation.catlass, intrinsics=intrinsics) for intrinsics in (False, True))

    @cache
    def precompiled(npu: int) -> Path | None:
        # A checkout's headers come after others of its own, and it is compiled too seldom for this to pay.
        if compilation.catlass is not None or (ascendc is not None and runs(npu)) or compilation.counters:
            return None
        return toolchain.precompiled_headers(compiler, [_arch(npu)], models)

    def build(group: Sequence[Plan]) -> dict[str, Program | str]:
        others = fresh - {epilogue_path(plan.name) for plan in group}
        headers = {path: text for path, text in given.items() if path not in others}
        names = ", ".join(plan.name for plan in group)
        steps.next(names)
        npu = group[0].arch.npu
        own = ascendc if runs(npu) else None
        # At the lowest level each variable of a function is memory, and each access to it a call.
        watched = [] if own is None else ["-O1", *ascendc_flags(compiler)]
        # With exceptions g++ counts a call over several lines as two, one of which never runs.
        counters = ["--coverage", "-fno-exceptions", *([] if watched else ["-O0"])] if compilation.counters else []
        flags = [_arch(npu), *watched, *counters, *preamble(compilation.catlass)]
        text = harness.source(group, observe=compilation.observe, catlass=compilation.place.catlass)
        whose = ""
        try:
            # A program that observes or counts is compiled from the same headers, once those have been.
            if ascendc is not None and own is None and not (compilation.observe or compilation.counters):
                whose = f" with the headers of {ascendc.name}"
                toolchain.check_program(
                    compiler, text, headers, extra_flags=flags, include=include, system=theirs, ascendc=ascendc,
                    npu=npu,
                )  # fmt: skip
                whose = ""
            program = toolchain.compile_program(
                compiler, text, headers, extra_flags=flags, include=include,
                system=models if own is None else theirs, ascendc=own, precompiled=partial(precompiled, npu),
                waiting=lambda: progress(tr("waiting for another evtgen to compile {names}", names=names)),
            )  # fmt: skip
        except toolchain.CompileFailure as failure:
            if len(group) == 1:
                return {group[0].name: f"{compiler.path} refuses the header{whose}:\n{toolchain.excerpt(str(failure))}"}
            # Compiling each alone shows which of them it is.
            return {name: program for plan in group for name, program in build([plan]).items()}
        return {plan.name: program for plan in group}

    groups = []
    for npu in sorted({plan.arch.npu for plan in plans}):
        alike = [plan for plan in plans if plan.arch.npu == npu]
        groups += [alike[i : i + compilation.batch] for i in range(0, len(alike), compilation.batch)]
    steps = Steps(progress, tr("compiling {count} of {of}: {name}"), len(groups))
    return {name: program for part in each(build, groups, None) for name, program in part.items()}


@dataclass(frozen=True)
class Sources:
    """The headers that an epilogue is compiled from.

    Attributes:
        headers: path below an include root of its own → text: emitted headers.
        include: more include roots of such headers.
        system: the include roots of the model's headers, and of Catlass.
        checkout: the Catlass checkout; None for the stand-in.
        flags: of the compiler.
        own_framework: the visitor framework is Catlass's own.
    """

    headers: Mapping[str, str]
    include: Sequence[Path]
    system: Sequence[Path]
    checkout: Checkout | None
    flags: Sequence[str]
    own_framework: bool = False

    def emitted(self, file: str) -> bool:
        """Whether ``file``, as a compiler names it that has ``headers`` below ``include/``, is an emitted header."""
        return file.startswith(("include/", *(f"{root}{os.sep}" for root in self.include)))

    def examined(self, file: str) -> bool:
        """Whether ``file`` is an emitted header or one of the checkout's."""
        return self.emitted(file) or (self.checkout is not None and file.startswith(f"{self.checkout.include}{os.sep}"))


def sources(plans: Sequence[Plan], compilation: Compilation) -> Sources:
    """The headers of ``plans``, those of ``compilation`` or fresh ones."""
    headers, include = _headers(plans, compilation)
    checkout = None if compilation.catlass is None else recognise(compilation.catlass)
    flags = [_arch(plans[0].arch.npu)]
    own_framework = compilation.place.catlass
    return Sources(headers, include, include_roots(compilation.catlass), checkout, flags, own_framework)


def require_programs(
    plans: Sequence[Plan], compilation: Compilation, progress: Progress = silent
) -> dict[str, Program]:
    """As :func:`build_programs`, for callers that need every program. Raises EVT089 for a header that is refused."""
    built = build_programs(plans, compilation, progress)
    programs = {}
    for plan in plans:
        program = built[plan.name]
        if isinstance(program, str):
            raise NO_PROGRAM.refusal("epilogue", plan.epilogue.location, name=plan.name, program=program)
        programs[plan.name] = program
    return programs


def _arch(npu: int) -> str:
    """The compiler's option for an architecture."""
    return f"-DCATLASS_ARCH={npu}"


def _headers(plans: Sequence[Plan], compilation: Compilation) -> tuple[dict[str, str], list[Path]]:
    """The given headers, or fresh ones of all plans."""
    return _given_headers(compilation) if compilation.headers else (header_files(plans, compilation.place), [])


def _given_headers(compilation: Compilation) -> tuple[dict[str, str], list[Path]]:
    """The given headers: as texts if they are installed in the checkout itself, else as an include root."""
    assert compilation.headers is not None
    given = compilation.headers.resolve()
    if compilation.catlass is not None and given == recognise(compilation.catlass).include:
        return recognise(compilation.catlass).own_headers(), []
    return {}, [given]


def _require_headers(plans: Sequence[Plan], root: Path) -> None:
    missing = [f"{plan.name}.hpp" for plan in plans if not (root / f"{plan.name}.hpp").is_file()]
    if missing:
        raise NO_HEADERS.refusal(root=root, missing=", ".join(missing))
