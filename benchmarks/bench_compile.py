"""Compile time of an epilogue's kernel, the vector core's half (-O1), by number of nodes and form.

CPU time, user and system, of the compiler and its children. The graphs of 4 nodes show what the headers alone take.
Also the wall time of the CPU model, which is built once per compiler."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from evtgen import Epilogue
from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.model import toolchain
from evtgen.model.roots import include_roots
from evtgen.planner.plan import lower

from .graphs import topological, tree

SIZES = (4, 16, 64)
REPEATS = 5
COMPILERS = ("g++", "clang++")

_PROGRAM = """\
#include "kernel_operator.h"
#include "{name}.hpp"
using Kernel = Catlass::Evt::{name}::Kernel;
void Run(Kernel::Params const& params) {{ Kernel kernel; kernel.template operator()<AscendC::AIV>(params); }}
"""


def sources(root: Path) -> dict[Path, str]:
    """Programs below ``root``, each with a name to print, and the headers that they include."""
    programs = {}
    for form in (tree, topological):
        for size in SIZES:
            written = form(size)
            plan = lower(Epilogue(written.name, written.root, compute_length=256))
            for path, text in {**framework_files(Framework()), **epilogue_files(plan, Framework())}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            program = root / f"{plan.name}.cpp"
            program.write_text(_PROGRAM.format(name=plan.name))
            programs[program] = f"{form.__name__:12} {size:3} nodes"
    return programs


def seconds(command: Sequence[str]) -> float:
    """What one run of a compiler takes of the CPU."""
    child = os.posix_spawnp(command[0], list(command), os.environ)
    _, status, usage = os.wait4(child, 0)
    if status:
        raise SystemExit(f"{command[0]} failed")
    return usage.ru_utime + usage.ru_stime


def run() -> Iterator[str]:
    """Interleaved, so that a busy machine slows all of them; the best of several runs."""
    compiler, own = toolchain.find_compiler(), os.environ.get("EVTGEN_CACHE")
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["EVTGEN_CACHE"] = scratch
        started = time.perf_counter()
        toolchain.machine_library(compiler)
        yield f"the CPU model with {compiler.version}: {time.perf_counter() - started:.1f} s"
        del os.environ["EVTGEN_CACHE"]
        os.environ |= {} if own is None else {"EVTGEN_CACHE": own}
        root = Path(scratch)
        programs = sources(root)
        includes = [f"-I{path}" for path in (root, *include_roots(None))]
        flags = ["-std=c++17", "-O1", "-DCATLASS_ARCH=2201", *includes, "-c", "-o", os.devnull]
        taken: dict[tuple[Path, str], list[float]] = {}
        for _ in range(REPEATS):
            for program in programs:
                for cxx in filter(shutil.which, COMPILERS):
                    taken.setdefault((program, cxx), []).append(seconds([cxx, *flags, str(program)]))
    for (program, cxx), results in taken.items():
        yield f"{programs[program]}  {cxx:8} {min(results):5.2f} s"
