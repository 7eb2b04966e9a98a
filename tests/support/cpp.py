"""Compiling C++ against the model's headers, for tests that are about the emitted text itself."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

from evtgen.model import cache as store
from evtgen.model.toolchain import find_compiler, headers_below, machine_library

from .epilogues import FULL
from .paths import DEVICE

INCLUDES = (DEVICE / "catlass", DEVICE / "ascendc", DEVICE)

INSTANTIATE = """
template <class Kernel>
void Instantiate(typename Kernel::Params const& params)
{
    Kernel kernel;
    kernel.template operator()<AscendC::AIC>(params);
    kernel.template operator()<AscendC::AIV>(params);
}
"""
"""C++ that instantiates both halves of a mixed kernel."""


MOST_PRECOMPILED = 48
"""More than the tests of three checkouts use at once: each has two compilers with two standards, one of these with two
architectures, and a header of each worker's own."""


USUAL = "g++" if shutil.which("g++") else None
"""The compiler of most users, where ``make proof`` has clang++, which takes half the time."""


def compilers() -> list[object]:
    """Every compiler the suite knows, each skipped by name where it is missing."""
    return [
        pytest.param(cxx, marks=pytest.mark.skipif(shutil.which(cxx) is None, reason=f"{cxx} is not installed"))
        for cxx in ("g++", "clang++")
    ]


def is_quick(cxx: str) -> bool:
    """Whether it takes least time of those that are installed, or EVTGEN_FULL is 1: others take a sample."""
    return FULL or cxx == "clang++" or shutil.which("clang++") is None


def quick_compilers() -> list[object]:
    """Those of them, most often one."""
    return compilers() if is_quick("g++") else compilers()[1:]


def quick_compiler(path: Path, log: Path | None = None) -> Path:
    """A compiler at ``path`` that takes the objects of the CPU model out of its library, which is built if it must be,
    and compiles everything else. It notes in ``log`` what it is called with."""
    compiler = find_compiler()
    library = machine_library(compiler)
    path.write_text(f"""\
#!/bin/sh
echo "$*" >> {log or os.devnull}
for output; do :; done
case "$*" in
*" -c unit"*.cpp*) exec ar p {library} "$output" > "$output" ;;
*) exec {compiler.path} "$@" ;;
esac
""")
    path.chmod(0o755)
    return path


OPERATOR = DEVICE / "ascendc" / "kernel_operator.h"


def check_syntax(
    cxx: str, root: Path, source: str, standard: str = "c++17", npu: int = 2201, first: Path = OPERATOR
) -> subprocess.CompletedProcess[str]:
    """Compile ``source`` against the emitted headers below ``root`` without writing an object, behind the
    header ``first``: the kernel operator's, or one that includes it."""
    flags = (f"-std={standard}", "-Wall", "-Wextra", "-Werror", f"-DCATLASS_ARCH={npu}")
    includes = [f"-I{path}" for path in (root, *INCLUDES)]
    return subprocess.run(
        [cxx, *flags, *start(cxx, flags, first), "-fsyntax-only", *includes, "-x", "c++", "-"],
        input=f'#include "kernel_operator.h"\n{source}',
        capture_output=True,
        text=True,
        check=False,
    )


@cache
def start(cxx: str, flags: Sequence[str], header: Path = OPERATOR) -> tuple[str, ...]:
    """Options by which a compilation with ``flags`` starts from a header, precompiled at first use: that is most of
    what a small program compiles."""
    compiler = find_compiler(cxx)
    own = () if header == OPERATOR else (header.parent,)
    clang = "clang" in compiler.version
    # As for the programs of verify, the key has the contents of the headers.
    more = ("-Xclang", "-fno-pch-timestamp", "-fpch-instantiate-templates") if clang else ()
    search = [f"-I{path}" for path in (*own, *INCLUDES)]
    command = [compiler.path, *flags, *more, *search, "-x", "c++-header", str(header)]
    name = f"{header.name}.gch"

    def build(at: Path) -> None:
        done = subprocess.run([*command, "-o", name], cwd=at, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    key = store.key([compiler.version, *command], [path for root in (*own, DEVICE) for path in headers_below(root)])
    built = store.entry("tests-headers", key, [name], build, most=MOST_PRECOMPILED) / name
    return ("-include-pch", str(built)) if clang else ("-include", str(built.with_suffix("")), "-Winvalid-pch")


def write(root: Path, files: Mapping[str, str]) -> None:
    """Write emitted files below an include root."""
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
