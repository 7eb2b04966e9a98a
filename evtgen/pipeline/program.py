"""A program written for Catlass, as its examples are, compiled by a host compiler and run on the CPU model."""

from __future__ import annotations

import errno
import json
import os
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..checkouts.ascendc import recognise as recognise_ascendc
from ..checkouts.ascendc import require_run
from ..checkouts.catlass import nearest_checkout, recognise
from ..diagnostics import files as codes
from ..diagnostics.diagnostic import Diagnostic, EvtgenError
from ..diagnostics.machine import CANNOT_RUN, NOT_DONE
from ..measure.device_clang import find_clang
from ..measure.timing import LaunchTiming, launch_timings
from ..model import passes, processes, toolchain
from ..model import trace as traces
from ..model.addresses import with_lines
from ..model.passes import KnownKind
from ..model.roots import include_roots, preamble, watch_flags
from ..model.trace import Trace
from ..options import CpuOptions
from ..system.progress import Progress, silent
from ..system.translation import tr
from .specs import built_for
from .unknown_name import defined_twice, missing_header, missing_name

_FOR_CLANG = (
    (re.compile(r"explicit specialization in non-namespace scope"), tr("specializations inside a class")),
    (
        re.compile(r"\W(\w+)\W was not declared in this scope[^\n]*\n[^\n]*\b\1<(?s:.*)\WAscendC::\1\W"),
        tr("calls with template arguments and without their namespace"),
    ),
)
"""The words of g++ for what it does not take, but clang++ and the device's compiler do."""

STANDIN_COMMON = toolchain.DEVICE / "catlass" / "examples_common"
"""The stand-in for the headers that Catlass's examples share."""


@dataclass(frozen=True)
class Program:
    """A program and how to run it.

    Attributes:
        file: the C++ source.
        arguments: of the program.
        capture: keep the program's output instead of passing it through.
        options: how to compile and run it.
    """

    file: Path
    arguments: tuple[str, ...] = ()
    capture: bool = False
    options: CpuOptions = field(default_factory=CpuOptions)


@dataclass(frozen=True)
class Outcome:
    """The end of a program: its own exit status, the model's report, and what kept it from coming to its end."""

    status: int
    compiler: str
    launches: int
    hazards: list[dict[str, Any]] = field(default_factory=list)
    stats: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    kinds: tuple[KnownKind, ...] = ()
    stdout: str = ""
    stderr: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    strict: bool = False
    profile: tuple[LaunchTiming, ...] = ()
    ascendc: str | None = None

    @property
    def exit_status(self) -> int:
        """1 if the program did not come to its end; else its own exit status, or 1 if that is 0 but the model found an
        error, with ``strict`` a warning."""
        if self.diagnostics:
            return 1
        found = any(self.strict or hazard.get("severity") == "error" for hazard in self.hazards)
        return self.status or int(found or (self.strict and bool(self.warnings)))

    def to_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints."""
        return {
            "ok": self.exit_status == 0,
            **vars(self),
            "warnings": list(self.warnings),
            "kinds": [vars(known) for known in self.kinds],
            "diagnostics": [diagnostic.to_json() for diagnostic in self.diagnostics],
            "profile": [launch.to_json() for launch in self.profile],
        }


def run(program: Program, progress: Progress = silent) -> Outcome:
    """Compile and run ``program``, with clang++ where it needs that and no compiler is chosen.

    Raises EvtgenError: EVT073 for a trace that cannot be written, EVT089 if the program does not compile, EVT090 to
    EVT093 as for verify.
    """
    options = program.options
    if options.trace is not None:
        traces.prepare(options.trace)
    if not program.file.is_file():
        why = "it is a directory" if program.file.is_dir() else os.strerror(errno.ENOENT)
        raise codes.NO_PROGRAM.refusal("unreadable", file=program.file, strerror=why)
    compiler = toolchain.find_compiler(options.cxx)
    with tempfile.TemporaryDirectory(prefix="evtgen-cpu-") as directory:
        scratch = Path(directory)
        copies = scratch / "include"
        _copy_headers(program, copies)
        compiler, built = _compiled(program, scratch, compiler, progress)
        said = _as_given(program, copies, built.said)
        done, found, trace = _execute(
            program,
            scratch / "program",
            built,
            lambda text: _as_given(program, copies, with_lines(text, scratch / "program")),
        )
    if options.trace is not None and trace is not None:
        traces.write(options.trace, trace.events)
    return Outcome(
        done.status, compiler.version, len(_launches(found)), found.get("hazards", []), found.get("stats", {}),
        toolchain.warnings(said), built.kinds, done.stdout, done.stderr, _not_done(program, done, found),
        options.strict, tuple(launch_timings(found, trace)) if options.profile and trace is not None else (),
        None if options.ascendc is None else recognise_ascendc(options.ascendc).name,
    )  # fmt: skip


def _compiled(
    program: Program, scratch: Path, compiler: toolchain.Compiler, progress: Progress
) -> tuple[toolchain.Compiler, passes.Built]:
    """Compile the program; returns the compiler that did, and its work. Raises EvtgenError (EVT089)."""
    options, copies = program.options, scratch / "include"
    rest = [str(toolchain.machine_library(compiler, progress)), "-pthread"]
    progress("")
    try:
        return compiler, passes.build(
            compiler, program.file.resolve(), _flags(program, copies, compiler), rest, scratch,
            kind=options.kind, has_cube=options.ascendc is None,
        )  # fmt: skip
    except toolchain.CompileFailure as failure:
        clang = find_clang(None) if options.cxx is None and _for_clang(str(failure)) else None
        if clang in (None, compiler):
            raise _refused(program, compiler, _as_given(program, copies, str(failure))) from failure
    return _compiled(program, scratch, clang, progress)


def _for_clang(words: str) -> str | None:
    """What g++ does not take in a program."""
    return next((what for said, what in _FOR_CLANG if said.search(words)), None)


def _execute(
    program: Program, executable: Path, built: passes.Built, rename: Callable[[str], str]
) -> tuple[processes.Done, dict[str, Any], Trace | None]:
    """Run the compiled program. Returns its end, the model's report, and the trace if one is wanted and whole."""
    report, trace = executable.with_name("report.json"), executable.with_name("trace.json")
    environment = {
        **os.environ,
        "EVTGEN_MODEL_REPORT": str(report),
        "EVTGEN_MODEL_STRICT": "1" if program.options.strict else "0",
        "EVTGEN_MODEL_AUTO_SYNC": "on" if program.options.auto_sync else "off",
        "EVTGEN_MODEL_RESERVED_UBUF": "on" if program.options.reserved_ubuf else "off",
        "EVTGEN_MODEL_SATURATION": "on" if program.options.saturation else "off",
        "EVTGEN_MODEL_KINDS": built.letters,
    }
    if program.options.noise is not None:
        environment["EVTGEN_MODEL_NOISE"] = str(program.options.noise)
    if program.options.cores is not None:
        environment["EVTGEN_MODEL_CORES"] = str(program.options.cores)
    if program.options.trace is not None or program.options.profile:
        environment["EVTGEN_MODEL_TRACE"] = str(trace)
    command = [str(executable), *program.arguments]
    try:
        done = processes.run(command, environment=environment, timeout=program.options.timeout, capture=program.capture)
    except OSError as error:
        raise CANNOT_RUN.refusal("program", executable=executable, strerror=error.strerror) from error
    found = _read(report, rename)
    # A program that came to its end without a launch has an empty trace, one that did not has none.
    whole = _read(trace, rename) if _launches(found) else {"traceEvents": []}
    return done, found, Trace(whole["traceEvents"]) if "traceEvents" in whole else None


def _not_done(program: Program, done: processes.Done, report: dict[str, Any]) -> tuple[Diagnostic, ...]:
    """EVT075 for a program that did not come to its end by itself."""
    launches = _launches(report)
    after = tr("before its first launch")
    if in_kernel := [hazard for hazard in report.get("hazards", ()) if hazard["code"] == "EVT144"]:
        launch = in_kernel[0]["sites"][0]
        after = tr(
            "in the launch of {launch} at {launch2}:{launch3}",
            launch=launch["call"],
            launch2=launch["file"],
            launch3=launch["line"],
        )
    elif launches:
        site = launches[-1]["site"]
        count = tr("1 launch") if len(launches) == 1 else tr("{count} launches", count=len(launches))
        after = tr(
            "after {count}, the last of {launches} at {site}:{site2}",
            count=count,
            launches=launches[-1]["kernel"],
            site=site["file"],
            site2=site["line"],
        )
    if done.given_up is not None:
        help_ = tr("--timeout SECONDS gives it longer") if "seconds" in done.given_up else None
        return (NOT_DONE.of("ended", help=help_, file=program.file, after=after, given_up=done.given_up),)
    if done.signal is not None:
        return (NOT_DONE.of("signal", file=program.file, signal=done.signal, after=after),)
    if done.status == 0 and not report:
        return (NOT_DONE.of("left", file=program.file, after=after),)
    return ()


def _copy_headers(program: Program, copies: Path) -> None:
    """Copy the headers installed in the checkout's include root to a place where they do not hide the model's files."""
    copies.mkdir()
    if program.options.catlass is not None:
        for name, text in recognise(program.options.catlass).own_headers().items():
            (copies / name).write_text(text, encoding="utf-8")


def _as_given(program: Program, copies: Path, text: str) -> str:
    """``text`` with the paths of the copies replaced by those of the originals."""
    return (
        text
        if program.options.catlass is None
        else text.replace(str(copies), str(recognise(program.options.catlass).include))
    )


def _flags(program: Program, copies: Path, compiler: toolchain.Compiler) -> list[str]:
    options = program.options
    near = program.file.resolve().parent
    flags = [f"-std={options.std}", "-O1", "-Wall", "-Wextra", *watch_flags(compiler), f"-DCATLASS_ARCH={options.npu}"]
    # As in Catlass's own function; a name that starts with a digit is a token too.
    if re.fullmatch(r"\w+", program.file.stem, re.ASCII):
        flags.append(f"-DCATLASS_EXAMPLE_NAME={program.file.stem}")
    flags += [f"-D{macro}" for macro in options.define]
    flags += ["-include", "ascendc/predefined.h", "-include", "machine/kernel_launch.hpp"]
    flags += preamble(options.catlass)
    checkout = None if options.catlass is None else recognise(options.catlass)
    for root in [copies, *(root.resolve() for root in (*options.include, *built_for(near)))]:
        if checkout is None or root != checkout.include:
            flags += ["-I", str(root)]
    common = STANDIN_COMMON if checkout is None else checkout.root / "examples" / "common"
    own = None if options.ascendc is None else recognise_ascendc(options.ascendc)
    if own is not None:
        require_run(options.npu)
    roots = [
        *include_roots(options.catlass, intrinsics=own is not None),
        common,
        *([] if own is None else own.include),
    ]
    for root in roots:
        flags += ["-isystem", str(root)]
    return flags


def _launches(report: dict[str, Any]) -> list[dict[str, Any]]:
    """The launches that came to their end."""
    return list(report.get("stats", {}).get("launches", ()))


def _refused(program: Program, compiler: toolchain.Compiler, words: str) -> EvtgenError:
    """EVT089 with the most likely remedy."""
    checkout = nearest_checkout(program.file.resolve().parent)
    inside = None if program.options.catlass is None else recognise(program.options.catlass).root
    missing = missing_name(words, inside)
    for_clang = _for_clang(words)
    header = missing_header(words)
    if for_clang is not None:
        help_ = tr("install it, on Debian and Ubuntu with: apt-get install clang")
        if find_clang(None) is not None:
            help_ = tr("leave out --cxx, or say --cxx clang++")
    elif header is not None:
        help_ = tr("name the directory of the missing header with --example-includes DIR")
        if program.options.catlass is None and checkout is not None:
            help_ = tr("the program is part of a Catlass checkout: add --catlass {checkout}", checkout=checkout)
    elif program.options.catlass is None and (missing is None or "AscendC" not in missing.name + missing.of):
        help_ = tr("the stand-in holds the part of Catlass that epilogues need; add --catlass DIR for all of it")
    else:
        help_ = tr("the CPU model has the part of AscendC that its page lists")
    said: dict[str, Any] = {"version": compiler.version, "file": program.file, "excerpt": toolchain.excerpt(words)}
    if for_clang is not None:
        return codes.NO_PROGRAM.refusal("clang++", help=help_, what=for_clang, **said)
    if missing is not None:
        help_ = "\n".join(filter(None, (missing.instead, help_)))
        return codes.NO_PROGRAM.refusal(missing.case, help=help_, name=missing.name, of=missing.of, **said)
    if (twice := defined_twice(words)) is not None:
        name, file, earlier = twice
        return codes.NO_PROGRAM.refusal("twice", help=help_, name=name, second=file, first=earlier, **said)
    if header is not None:
        return codes.NO_PROGRAM.refusal("header", help=help_, header=header, **said)
    return codes.NO_PROGRAM.refusal("program", help=help_, **said)


def _read(path: Path, rename: Callable[[str], str]) -> dict[str, Any]:
    try:
        content = json.loads(rename(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
