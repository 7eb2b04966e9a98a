"""From C++ to programs on the CPU model: the model as a library, and one program per set of sources, both cached."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..checkouts.ascendc import AscendC
from ..diagnostics.diagnostic import EvtgenError
from ..system.progress import Notice, Progress, Steps, silent
from ..system.translation import tr
from . import cache
from .compiler import CompileFailure, Compiler, excerpt, find_compiler, run, too_old, warnings
from .workers import each

__all__ = [
    "DEVICE",
    "CompileFailure",
    "Compiler",
    "Program",
    "check_program",
    "compile_program",
    "excerpt",
    "find_compiler",
    "headers_below",
    "machine_library",
    "precompiled_headers",
    "run",
    "warnings",
]

DEVICE = Path(__file__).parent.parent / "device"
"""Root of the CPU model's C++."""

LIBRARY_FLAGS = ("-std=c++17", "-O2", "-ffp-contract=off", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra")
"""Nothing is fused: a CPU with fused operations computes the same bits as one without. Shared libraries can hold it."""

_UNITS = 4
"""So many files of the library are compiled: a third of what a source takes are headers that others include too, and
more cores than these are seldom free."""

_OF_PROGRAMS = ("headers.hpp", "operand.hpp", "hf32.hpp")
"""Headers that programs include, and no source of the library."""

_PROGRAM_FLAGS = ("-std=c++17", "-Wall", "-Wextra")

_HEADERS = (".h", ".hpp", ".def")

_PRECOMPILED = "headers.hpp.gch"
"""g++ looks for this name when it is told to include ``headers.hpp``."""

_INCLUDED = "headers.d"
"""The headers that are in it, as a rule for make."""

_MOST_PRECOMPILED = 4
"""Of 50 MB each with g++, 10 with clang++: two compilers for two architectures."""


@dataclass(frozen=True)
class Program:
    """A compiled program and the compiler's warnings in the sources it was built from."""

    path: Path
    warnings: tuple[str, ...]


def machine_library(compiler: Compiler, progress: Progress = silent) -> Path:
    """The CPU model as a static library for ``compiler``, built at first use; what the compiler said of it lies in
    ``warnings.txt`` beside it. Raises EvtgenError: EVT091 if the
    compiler cannot build it, and as :func:`.cache.entry`."""
    directories = [DEVICE / "harness", DEVICE / "machine"]
    sources = sorted(source for directory in directories for source in directory.glob("*.cpp"))
    below = (header for directory in directories for header in headers_below(directory))
    headers = [header for header in below if header.name not in _OF_PROGRAMS]
    # It is the same for a checkout and for what was installed of it.
    key = cache.key([platform.machine(), compiler.version, *LIBRARY_FLAGS, str(_UNITS)], [*sources, *headers], DEVICE)

    def build(at: Path) -> None:
        progress(Notice(tr("building the CPU model, once for this compiler; that takes a minute or two")))
        units = _units(sources)
        steps = Steps(progress, tr("building the CPU model, once: {count} of {of} files"), len(units))

        def one(unit: str) -> str:
            steps.next()
            (at / unit).write_text(units[unit], encoding="utf-8")
            return run([compiler.path, *LIBRARY_FLAGS, "-I", str(DEVICE), "-c", unit, "-o", f"{unit}.o"], at)

        # Whoever else needs it waits.
        said = "".join(each(one, units, None, threads=os.cpu_count()))
        (at / "warnings.txt").write_text(said, encoding="utf-8")
        objects = [f"{unit}.o" for unit in units]
        run([os.environ.get("AR", "ar"), "rcs", "libmachine.a", *objects], at)
        for name in (*units, *objects):
            (at / name).unlink()

    def waiting() -> None:
        progress(tr("waiting for another evtgen to build the CPU model"))

    try:
        return cache.entry("machine", key, ["libmachine.a", "warnings.txt"], build, waiting) / "libmachine.a"
    except CompileFailure as failure:
        raise too_old(compiler.version, f"\n{excerpt(str(failure))}") from failure


def _units(sources: Sequence[Path]) -> dict[str, str]:
    """Texts of files by name, which together include ``sources``."""
    lines = [f'#include "{source.relative_to(DEVICE).as_posix()}"\n' for source in sources]
    return {f"unit{number}.cpp": "".join(lines[number::_UNITS]) for number in range(_UNITS)}


def program_flags(compiler: Compiler) -> tuple[str, ...]:
    """Those of programs, with the level at which ``compiler`` takes least time: a program runs almost wholly in the
    library. g++ writes more at ``-O0``, and there it warns of nothing that it finds by following values."""
    return (*_PROGRAM_FLAGS, "-O0" if "clang" in compiler.version else "-Og")


def precompiled_headers(compiler: Compiler, extra_flags: Sequence[str], system: Sequence[Path]) -> Path | None:
    """What programs of ``verify`` include first, precompiled at first use; None if that cannot be done.

    Args:
        extra_flags, system: as for :func:`compile_program`; a program must have the same.
    """
    flags = [*program_flags(compiler), *extra_flags]
    if "clang" in compiler.version:
        # The key has the contents of the headers; a copy with other times is as good. What the headers use of templates
        # is instantiated once, not in each program.
        flags += ["-Xclang", "-fno-pch-timestamp", "-fpch-instantiate-templates"]
    texts = [platform.machine(), compiler.version, *flags, *map(str, system)]
    key = cache.key(texts, [header for root in system for header in headers_below(root)])

    def build(at: Path) -> None:
        search = [part for root in system for part in ("-isystem", str(root))]
        command = [
            compiler.path,
            *flags,
            *search,
            "-pthread",
            "-x",
            "c++-header",
            str(DEVICE / "harness" / "headers.hpp"),
        ]
        run([*command, "-MD", "-MF", _INCLUDED, "-o", _PRECOMPILED], at)

    with suppress(CompileFailure, EvtgenError):
        return cache.entry("headers", key, [_PRECOMPILED, _INCLUDED], build, most=_MOST_PRECOMPILED) / _PRECOMPILED
    return None


def compile_program(
    compiler: Compiler,
    main: str,
    headers: Mapping[str, str],
    *,
    extra_flags: Sequence[str] = (),
    include: Sequence[Path] = (),
    system: Sequence[Path] = (),
    ascendc: AscendC | None = None,
    precompiled: Callable[[], Path | None] = lambda: None,
    waiting: Callable[[], None] = lambda: None,
) -> Program:
    """Compile and link ``main`` against the CPU model.

    Args:
        headers: path below an include root of its own → text; warnings in them are kept.
        extra_flags: of the compiler, before the include roots.
        include: more include roots, whose warnings are kept too.
        system: include roots after those, whose warnings are not.
        ascendc: a checkout of AscendC's own headers, searched last.
        precompiled: gives :func:`precompiled_headers`, if there is something to compile; a compiler that does not take
            it compiles everything.
        waiting: called if another process is compiling the same.

    Raises CompileFailure with the compiler's words if it refuses, EvtgenError with status 3 if it cannot be run, or
    what it builds cannot be written or run.
    """
    library = machine_library(compiler)
    flags = [*program_flags(compiler), *extra_flags]
    own = [] if ascendc is None else ascendc.headers()
    key = _key([compiler.version, *flags, str(library), main], headers, [*include, *system], own)
    quiet = [*system, *([] if ascendc is None else ascendc.include)]

    def build(at: Path) -> None:
        _write(at, main, headers)
        rest = [*_search(include, quiet), "harness.cpp", str(library), "-pthread", "-o", "program"]
        said = None
        start = precompiled()
        if start is not None and not _hides(start, [*headers, *_paths_below(include)], system):
            with suppress(CompileFailure):
                said = run([compiler.path, *flags, *_use(compiler, start), *rest], at)
        if said is None:
            said = run([compiler.path, *flags, *rest], at)
        (at / "warnings.txt").write_text(said, encoding="utf-8")

    entry = cache.entry("programs", key, ["program", "warnings.txt"], build, waiting)
    return Program(entry / "program", warnings((entry / "warnings.txt").read_text(encoding="utf-8"), quiet))


def check_program(
    compiler: Compiler,
    main: str,
    headers: Mapping[str, str],
    *,
    extra_flags: Sequence[str],
    include: Sequence[Path],
    system: Sequence[Path],
    ascendc: AscendC,
    npu: int,
) -> None:
    """Compile ``main`` against AscendC's own headers for an architecture whose intrinsics the model only declares: to
    no program. The arguments and what it raises are those of :func:`compile_program`."""
    flags = [*program_flags(compiler), *extra_flags, "-fsyntax-only"]
    key = _key([compiler.version, *flags, main], headers, [*include, *system], ascendc.headers(npu))

    def build(at: Path) -> None:
        _write(at, main, headers)
        said = run([compiler.path, *flags, *_search(include, [*system, *ascendc.include]), "harness.cpp"], at)
        (at / "warnings.txt").write_text(said, encoding="utf-8")

    cache.entry("checks", key, ["warnings.txt"], build)


def _key(texts: Sequence[str], headers: Mapping[str, str], roots: Sequence[Path], own: Sequence[Path]) -> str:
    """The key of what is made from ``texts`` with the headers below ``roots``, and ``own``."""
    texts = [platform.machine(), *texts, *map(str, roots), *(t for item in sorted(headers.items()) for t in item)]
    return cache.key(texts, [*(header for root in roots for header in headers_below(root)), *own])


def _write(at: Path, main: str, headers: Mapping[str, str]) -> None:
    for path, text in {"harness.cpp": main, **{f"include/{path}": text for path, text in headers.items()}}.items():
        (at / path).parent.mkdir(parents=True, exist_ok=True)
        (at / path).write_text(text, encoding="utf-8")


def _search(include: Sequence[Path], quiet: Sequence[Path]) -> list[str]:
    """The options for the include roots: relative to the entry, so that call sites in reports do not name the directory
    it was built in."""
    search = ["-I", "include", *(part for root in include for part in ("-I", str(root)))]
    return [*search, *(part for root in quiet for part in ("-isystem", str(root)))]


def _use(compiler: Compiler, precompiled: Path) -> list[str]:
    """The options by which a program starts from precompiled headers, or does not compile."""
    if "clang" in compiler.version:
        return ["-include-pch", str(precompiled)]
    return ["-include", str(precompiled.with_suffix("")), "-Winvalid-pch"]


def _hides(precompiled: Path, paths: Iterable[str], system: Sequence[Path]) -> bool:
    """Whether one of the headers in ``precompiled`` is of these paths below ``system``, before which others stand."""
    try:
        included = set(precompiled.with_name(_INCLUDED).read_text(encoding="utf-8").split())
    except FileNotFoundError:  # Another evtgen has removed it since, for newer ones.
        return True
    return any(str(root / path) in included for path in paths for root in system)


def _paths_below(roots: Sequence[Path]) -> list[str]:
    return [str(header.relative_to(root)) for root in roots for header in headers_below(root)]


def headers_below(root: Path) -> list[Path]:
    """All C++ headers below an include root; none if there is no such directory."""
    if not root.is_dir():
        return []
    return sorted(path for path in root.rglob("*") if path.suffix in _HEADERS and path.is_file())
