"""The C++ compiler, and a cache of its results: the CPU model as a library, one program per set of sources.

An entry of the cache is a directory named after a hash of everything that went into it: sources, the device's headers,
flags, the compiler's version. It is built in a directory beside it and renamed, so processes may race and be killed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..diagnostics.machine import NO_CACHE, NO_COMPILER, OLD_COMPILER
from . import processes

DEVICE = Path(__file__).parent.parent / "device"
"""Root of the CPU model's C++."""

LIBRARY_FLAGS = ("-std=c++17", "-O2")
PROGRAM_FLAGS = ("-std=c++17", "-O1", "-Wall", "-Wextra")

_CANDIDATES = ("g++", "clang++", "c++")
_UNUSED_DAYS = 30
_HEADERS = (".h", ".hpp", ".def")


@dataclass(frozen=True)
class Compiler:
    """A C++ compiler: its path, and its version as it prints it."""

    path: str
    version: str


@dataclass(frozen=True)
class Program:
    """A compiled program and the compiler's warnings in the sources it was built from."""

    path: Path
    warnings: tuple[str, ...]


class CompileFailure(Exception):
    """The compiler refused the sources; the text is its output."""


@cache
def find_compiler(name: str | None = None) -> Compiler:
    """The compiler ``name``, or the first one found. Raises EvtgenError with status 3 if there is none."""
    tried = (name,) if name else _CANDIDATES
    for candidate in tried:
        path = shutil.which(candidate)
        if path is not None:
            answer = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
            if answer.returncode == 0:
                return Compiler(path, answer.stdout.partition("\n")[0])
    package = "clang" if name and "clang" in name else "g++"
    raise NO_COMPILER.error(
        f"no C++ compiler: {' and '.join(tried)} {'is' if len(tried) == 1 else 'are'} not there or will not run",
        help=f"install one, on Debian and Ubuntu with: apt-get install {package}\nor name another with --cxx",
    )


def cache_directory() -> Path:
    """``$EVTGEN_CACHE``, else evtgen's part of the platform's place for caches."""
    own = os.environ.get("EVTGEN_CACHE")
    if own:
        return Path(own)
    xdg = os.environ.get("XDG_CACHE_HOME")
    if xdg:
        return Path(xdg) / "evtgen"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "evtgen"
    return Path.home() / ".cache" / "evtgen"


def machine_library(compiler: Compiler) -> Path:
    """The CPU model as a static library for ``compiler``, built at first use."""
    directory = DEVICE / "machine"
    sources = sorted(directory.glob("*.cpp"))
    key = _hash([compiler.version, *LIBRARY_FLAGS], [*sources, *_headers(directory)])

    def build(at: Path) -> None:
        def one(source: Path) -> None:
            command = [compiler.path, *LIBRARY_FLAGS, "-I", str(DEVICE), "-c", str(source), "-o", f"{source.stem}.o"]
            run(command, at)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(one, sources))
        objects = [f"{source.stem}.o" for source in sources]
        run([os.environ.get("AR", "ar"), "rcs", "libmachine.a", *objects], at)
        for name in objects:
            (at / name).unlink()

    try:
        return _entry("machine", key, build) / "libmachine.a"
    except CompileFailure as failure:
        raise OLD_COMPILER.error(
            f"{compiler.version} cannot compile the CPU model:\n{_first(str(failure))}",
            help="use g++ 11 or clang++ 14, or later; versions live side by side: apt-get install g++-12, "
            "then --cxx g++-12",
        ) from failure


def _first(words: str, lines: int = 12) -> str:
    """The beginning of a compiler's output; an old compiler can print pages."""
    said = words.splitlines()
    return "\n".join(said[:lines] + ([f"... and {len(said) - lines} more lines"] if len(said) > lines else []))


def compile_program(
    compiler: Compiler,
    main: str,
    headers: Mapping[str, str],
    *,
    extra_flags: Sequence[str] = (),
    include: Sequence[Path] = (),
    system: Sequence[Path] = (),
) -> Program:
    """Compile and link ``main`` against the CPU model.

    Args:
        headers: path below an include root of its own → text; warnings in them are kept.
        extra_flags: of the compiler, before the include roots.
        include: more include roots, whose warnings are kept too.
        system: include roots after those, whose warnings are not.

    Raises CompileFailure with the compiler's words if it refuses, EvtgenError with status 3 if it cannot be run.
    """
    library = machine_library(compiler)
    flags = [*PROGRAM_FLAGS, *extra_flags]
    roots = [*include, *system]
    texts = [
        compiler.version,
        *flags,
        str(library),
        main,
        *map(str, roots),
        *(t for item in sorted(headers.items()) for t in item),
    ]
    key = _hash(texts, [header for root in roots for header in _headers(root)])

    def build(at: Path) -> None:
        for path, text in {"harness.cpp": main, **{f"include/{path}": text for path, text in headers.items()}}.items():
            (at / path).parent.mkdir(parents=True, exist_ok=True)
            (at / path).write_text(text, encoding="utf-8")
        # Relative to the entry, so that call sites in reports do not name the directory it was built in.
        search = ["-I", "include", *(part for root in include for part in ("-I", str(root)))]
        search += [part for root in system for part in ("-isystem", str(root))]
        command = [compiler.path, *flags, *search, "harness.cpp", str(library), "-pthread", "-o", "program"]
        (at / "warnings.txt").write_text(run(command, at), encoding="utf-8")

    entry = _entry("programs", key, build)
    return Program(entry / "program", warnings((entry / "warnings.txt").read_text(encoding="utf-8")))


def _entry(kind: str, key: str, build: Callable[[Path], None]) -> Path:
    """The cache's entry ``key``, built into an empty directory by ``build`` if it is not there."""
    parent = cache_directory() / kind
    final = parent / key
    if final.is_dir():
        os.utime(final)
        return final
    try:
        parent.mkdir(parents=True, exist_ok=True)
        _prune(parent)
        temporary = Path(tempfile.mkdtemp(prefix=f".{key[:8]}-", dir=parent))
    except OSError as error:
        raise NO_CACHE.error(
            f"cannot write the cache {parent}: {error.strerror}",
            help="set EVTGEN_CACHE to a directory that can be written",
        ) from error
    try:
        build(temporary)
        try:
            temporary.rename(final)
        except OSError:
            # Another process was faster; its result is the same.
            if not final.is_dir():
                raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return final


def _prune(parent: Path) -> None:
    """Remove entries that have not been used for a while, half-built entries of killed processes included."""
    limit = time.time() - _UNUSED_DAYS * 24 * 3600
    for entry in parent.iterdir():
        try:
            if entry.stat().st_mtime < limit:
                shutil.rmtree(entry, ignore_errors=True)
        except OSError:
            continue


def run(command: Sequence[str], at: Path) -> str:
    """Run a compiler in ``at``; returns its output. Raises CompileFailure if it fails, EvtgenError if it cannot be
    run."""
    try:
        # A fixed locale: warnings are recognised by their text.
        done = processes.run(command, environment={**os.environ, "LC_ALL": "C"}, at=at)
    except OSError as error:
        raise NO_COMPILER.error(
            f"cannot run {command[0]}: {error.strerror}", help="on Debian and Ubuntu: apt-get install g++ binutils"
        ) from error
    if done.status != 0:
        raise CompileFailure(done.stderr.strip() or done.stdout.strip())
    return done.stderr


def warnings(text: str) -> tuple[str, ...]:
    """The warnings in a compiler's output."""
    return tuple(line.removeprefix("include/") for line in text.splitlines() if ": warning: " in line)


def _headers(root: Path) -> list[Path]:
    if not root.is_dir():
        return []
    return sorted(path for path in root.rglob("*") if path.suffix in _HEADERS and path.is_file())


def _hash(texts: Iterable[str], files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode() + b"\0")
    for path in files:
        digest.update(path.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:32]
