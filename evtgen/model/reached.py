"""The lines of emitted headers that runs reach: a program compiled with ``--coverage`` counts them, and gcov reads the
counters."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..diagnostics.machine import NO_GCOV
from ..planner.plan import Plan
from ..system.progress import Progress, silent
from .compiler import CompileFailure, Compiler, find_compiler, output
from .execution import Prepared, Settings
from .programs import Compilation, require_programs, sources

Lines = Mapping[str, Mapping[int, bool]]
"""By file the lines that were compiled, and whether a run reached them."""

_COUNTED = re.compile(r" *([^ :]+): *(\d+):(?:Source:(.*))?")
"""A line of gcov's text: the count, the number of the line, and for number 0 the file."""


class Counters:
    """Programs that count, and the counters of their runs; a context manager that removes the counters.

    Raises EvtgenError: EVT262 without a gcov of the compiler or its library of counters; and as
    :func:`.programs.require_programs`.
    """

    def __init__(self, plans: Sequence[Plan], compilation: Compilation, progress: Progress = silent) -> None:
        self._compiler = find_compiler(compilation.cxx)
        self._gcov = gcov_of(self._compiler)
        require_library(self._compiler)
        # In a program of several epilogues each would have the lines of the others.
        self._programs = require_programs(plans, replace(compilation, counters=True, batch=1), progress)
        self._plans, self._compilation = {plan.name: plan for plan in plans}, compilation
        self._scratch = tempfile.TemporaryDirectory(prefix="evtgen-", ignore_cleanup_errors=True)

    def __enter__(self) -> Counters:
        return self

    def __exit__(self, *_: object) -> None:
        self._scratch.cleanup()

    def run(self, name: str, prepared: Prepared, settings: Settings) -> None:
        """Run the program of an epilogue once more, to count."""
        place = {"GCOV_PREFIX": str(self._at(name)), "GCOV_PREFIX_STRIP": "99"}
        prepared.run(self._programs[name], replace(settings, environment={**settings.environment, **place}))

    def lines(self, name: str) -> Lines | None:
        """The lines of the emitted headers in the program of an epilogue; None if no run came to its end.

        Raises EvtgenError (EVT262) if gcov cannot read the counters.
        """
        at = self._at(name)
        counters = next(at.glob("*.gcda"), None)
        if counters is None:
            return None
        built = self._programs[name].path.parent
        shutil.copy(built / f"{counters.stem}.gcno", at)
        try:
            text = output([*self._gcov, "-t", str(counters)], built)
        except CompileFailure:
            text = ""
        emitted = sources([self._plans[name]], self._compilation).emitted
        lines = {file.removeprefix("include/"): of for file, of in _read(text).items() if emitted(file)}
        if not lines:
            raise NO_GCOV.refusal("unfit", tool=" ".join(self._gcov), compiler=self._compiler.path)
        return lines

    def _at(self, name: str) -> Path:
        return Path(self._scratch.name) / name


def gcov_of(compiler: Compiler) -> list[str]:
    """The command of the gcov that belongs to a compiler. Raises EvtgenError (EVT262)."""
    path = Path(os.path.realpath(compiler.path))
    clang = "clang" in compiler.version
    tool = "llvm-cov" if clang else "gcov"
    beside = path.with_name(re.sub(r"clang(\+\+)?|[gc]\+\+", tool, path.name))
    found = shutil.which(beside if beside != path else tool) or shutil.which(tool)
    if found is None:
        raise NO_GCOV.refusal("none", tool=tool, compiler=compiler.path, package="llvm" if clang else "gcc")
    return [found, "gcov"] if clang else [found]


def require_library(compiler: Compiler) -> None:
    """Raise EvtgenError (EVT262) if the compiler cannot link a program that counts.

    Debian has clang's library of counters in a package of its own.
    """
    with tempfile.TemporaryDirectory(prefix="evtgen-") as at:
        source = Path(at) / "empty.cpp"
        source.write_text("int main() {}\n")
        try:
            output([compiler.path, "--coverage", str(source), "-o", str(source.with_suffix(""))], Path(at))
        except CompileFailure as failure:
            version = re.search(r"version (\d+)", compiler.version)
            package = f"libclang-rt-{version[1]}-dev" if version else "gcc"
            raise NO_GCOV.refusal("unlinked", compiler=compiler.path, package=package) from failure


def _read(text: str) -> dict[str, dict[int, bool]]:
    """The lines in gcov's text. It has a template once for each instantiation; one that ran is enough."""
    files: dict[str, dict[int, bool]] = {}
    lines: dict[int, bool] = {}
    for count, number, file in (match.groups() for match in map(_COUNTED.match, text.splitlines()) if match):
        if file is not None:
            lines = files.setdefault(file, {})
        elif count != "-":
            lines[int(number)] = lines.get(int(number), False) or count[0].isdigit()
    return files


def unreached(found: Sequence[Lines]) -> dict[str, list[tuple[int, int]]]:
    """By file the lines that were compiled and that no run reached, as pairs of a first and a last line."""
    files: dict[str, dict[int, bool]] = {}
    for file, lines in (item for one in found for item in one.items()):
        merged = files.setdefault(file, {})
        merged.update({number: ran or merged.get(number, False) for number, ran in lines.items()})
    ranges: dict[str, list[tuple[int, int]]] = {}
    for file, merged in sorted(files.items()):
        before = True
        for number, ran in sorted(merged.items()):
            if not ran:
                of = ranges.setdefault(file, [])
                of.append((number, number) if before else (of.pop()[0], number))
            before = ran
    return ranges
