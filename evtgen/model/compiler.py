"""The C++ compiler: which one, whether it works, what it says."""

from __future__ import annotations

import errno
import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import BoundedSemaphore

from ..diagnostics import temporary
from ..diagnostics.diagnostic import EvtgenError
from ..diagnostics.machine import NO_COMPILER, NO_MEMORY, OLD_COMPILER
from ..system.limits import FULL, TIMEOUT, says_full
from ..system.translation import tr
from . import cache as store
from . import processes
from .processes import Done

_CANDIDATES = ("g++", "clang++", "c++")

_TRIAL = """\
#include <string>
#include <thread>
int main(int count, char**) {
    std::string text(static_cast<size_t>(count), 'x');
    std::thread([&] { text += 'y'; }).join();
    return text.empty();
}
"""
"""A program that needs what programs on the CPU model need: C++17, its standard library, threads."""

_TRIAL_SECONDS = 60

_CORES = BoundedSemaphore(os.cpu_count() or 1)
"""Of this process's compilers so many run at once, however many threads have something to compile."""

SHOWN = 12
"""Lines of a compiler's output that are shown."""

_WIDTH = 240
"""Characters of such a line; the names of templates go on for pages."""


@dataclass(frozen=True)
class Compiler:
    """A C++ compiler: its path, and its version as it prints it."""

    path: str
    version: str


class CompileFailure(Exception):
    """The compiler refused the sources; the text is its output."""


class _Unfit(Exception):
    """A compiler that does not work; the text says why."""


class _TooOld(_Unfit):
    """A compiler that runs and knows no C++17."""

    def __init__(self, why: str, version: str) -> None:
        super().__init__(why)
        self.version = version


def too_old(version: str, words: str) -> EvtgenError:
    """EVT091 for a compiler that says ``words`` of the CPU model."""
    return OLD_COMPILER.refusal(version=version, words=words)


@cache
def find_compiler(name: str | None = None) -> Compiler:
    """The compiler ``name``, or that of ``EVTGEN_CXX``, or the first one found that compiles and links C++. Raises
    EvtgenError: EVT090 if there is none, EVT091 if it knows no C++17."""
    name = name if name is not None else os.environ.get("EVTGEN_CXX") or None
    tried = _CANDIDATES if name is None else (name,)
    unfit: list[str] = []
    old = ""
    for candidate in tried:
        path = shutil.which(candidate)
        if path is not None:
            try:
                return _tried(os.path.abspath(path))
            except _Unfit as reason:
                unfit.append(f"{candidate} {reason}")
                if isinstance(reason, _TooOld):
                    old = old or reason.version
    if old:
        raise too_old(old, f" {'; '.join(unfit)}")
    if unfit:
        raise NO_COMPILER.refusal("unfit", help=_instead(name), unfit="; ".join(unfit))
    package = "clang" if name and "clang" in name else "g++"
    raise NO_COMPILER.refusal(
        "none", tried=" and ".join(t or repr(t) for t in tried), be="is" if len(tried) == 1 else "are", package=package
    )


def _instead(name: str | None) -> str:
    """The C++ compiler that goes with a C compiler is the most likely remedy."""
    match = re.fullmatch(r"(.*/)?(gcc|clang)(-[\d.]+)?", name or "")
    if match is None:
        return tr("install one, on Debian and Ubuntu with: apt-get install g++\nor name another with --cxx")
    cxx = {"gcc": "g++", "clang": "clang++"}[match[2]]
    return tr(
        "name the compiler of C++: --cxx {match}{cxx}{match2}", match=match[1] or "", cxx=cxx, match2=match[3] or ""
    )


def _tried(path: str) -> Compiler:
    """The compiler at ``path``, after it has built a small program, now or in an earlier run of evtgen."""
    compiler = Compiler(path, _said([path, "--version"], "does not run", Path.cwd()).partition("\n")[0])
    status = os.stat(path)
    name = store.key([path, str(status.st_mtime_ns), str(status.st_size), compiler.version])
    if not store.remembers("compilers", name):
        with tempfile.TemporaryDirectory(prefix="evtgen-") as scratch:
            at = Path(scratch)
            (at / "trial.cpp").write_text(_TRIAL, encoding="utf-8")
            try:
                _said([path, "-std=c++17", "trial.cpp", "-pthread", "-o", "trial"], "does not build C++17 programs", at)
            except _Unfit as reason:
                if "-std=" in str(reason):
                    raise _TooOld(str(reason), compiler.version) from reason
                raise
            if not (at / "trial").is_file():
                raise _Unfit("is not a compiler: it writes nothing")
        store.remember("compilers", name)
    return compiler


def _said(command: Sequence[str], fault: str, at: Path) -> str:
    """The standard output of a trial. Raises _Unfit with the first line that says why it failed."""
    try:
        done = _execute(command, at, _TRIAL_SECONDS)
    except OSError as error:
        raise _Unfit(f"{fault}: {error.strerror}") from error
    if done.given_up is not None:
        raise _Unfit(f"{fault}: {done.given_up}")
    if done.status != 0:
        words = done.stderr.strip() or done.stdout.strip()
        if says_full(words):
            raise _full(at, words)
        if temporary.is_full():
            # Too full to say so.
            raise temporary.full()
        raise _Unfit(f"{fault}: {_essence(words)[0][:100] if words else f'it ended with status {done.status}'}")
    return done.stdout


def run(command: Sequence[str], at: Path) -> str:
    """Run a compiler in ``at``; returns what it says on stderr. Raises CompileFailure if it fails, EvtgenError if it
    cannot be run (EVT090), runs out of memory (EVT067) or out of disk (EVT098)."""
    return _done(command, at).stderr


def output(command: Sequence[str], at: Path) -> str:
    """Run a tool of the compiler in ``at``; returns its output. Raises as :func:`run`."""
    return _done(command, at).stdout


def _done(command: Sequence[str], at: Path) -> Done:
    try:
        done = _execute(command, at)
    except OSError as error:
        if error.errno in FULL:
            raise temporary.full() from error
        if not at.is_dir():
            raise
        raise NO_COMPILER.refusal("command", command=command[0], strerror=error.strerror) from error
    if done.status == 0:
        return done
    words = done.given_up or done.stderr.strip() or done.stdout.strip()
    if says_full(words):
        raise _full(at, words)
    if temporary.is_full():
        # Too full to say so.
        raise temporary.full()
    if (done.signal == "SIGKILL" and done.given_up is None) or "Killed signal terminated program" in words:
        raise NO_MEMORY.refusal("compiler", command=command[0])
    raise CompileFailure(words or f"it ended with status {done.status}")


def _execute(command: Sequence[str], at: Path, timeout: float = TIMEOUT) -> Done:
    # A fixed locale: errors and warnings are recognised by their text.
    with _CORES:
        return processes.run(command, environment={**os.environ, "LC_ALL": "C"}, at=at, timeout=timeout)


def _full(at: Path, words: str) -> EvtgenError:
    """EVT098 for the one of a compiler's two places that is full: where it works, or where its temporary files are."""
    scratch = temporary.place()
    if os.stat(scratch).st_dev != os.stat(at).st_dev:
        # The complaint can name files of both disks.
        in_scratch = shutil.disk_usage(scratch).free < shutil.disk_usage(at).free
    else:
        complaint = next(line for line in words.splitlines() if says_full(line))
        in_scratch = f"{scratch}/" in complaint and str(at) not in complaint
    if at.parent == scratch or in_scratch:
        return temporary.full()
    return store.cannot_write(at.parent, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))


def excerpt(words: str) -> str:
    """A compiler's output for people: its first error with what follows, and where to read the rest."""
    shown = [line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…" for line in _essence(words)[:SHOWN]]
    rest = len(words.splitlines()) - len(shown)
    if rest <= 0 and shown == words.splitlines():
        return words
    kept = store.keep(words)
    more = f"... and {rest} more lines" if rest > 0 else "... shortened"
    return "\n".join([*shown, more if kept is None else f"{more}; all of it is in {kept}"])


def _essence(words: str) -> list[str]:
    """The lines from the first error on; all of them if nothing says error."""
    lines = words.splitlines()
    for i, line in enumerate(lines):
        if re.search(r"\berror: |undefined reference|: undefined symbol", line):
            return lines[i:]
    return lines


def warnings(text: str, quiet: Sequence[Path] = ()) -> tuple[str, ...]:
    """The warnings in a compiler's output, but for those in files below ``quiet``: of what g++ finds when it optimises,
    it tells in system headers too."""
    apart = tuple(f"{root}{os.sep}" for root in quiet)
    lines = (line for line in text.splitlines() if ": warning: " in line and not line.startswith(apart))
    return tuple(line.removeprefix("include/") for line in lines)
