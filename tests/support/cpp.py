"""Compiling C++ against the model's headers, for tests that are about the emitted text itself."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from evtgen.model.toolchain import find_compiler, machine_library

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


def compilers() -> list[object]:
    """Every compiler the suite knows, each skipped by name where it is missing."""
    return [
        pytest.param(cxx, marks=pytest.mark.skipif(shutil.which(cxx) is None, reason=f"{cxx} is not installed"))
        for cxx in ("g++", "clang++")
    ]


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
*" -c "*/machine/*.cpp*) exec ar p {library} "$output" > "$output" ;;
*) exec {compiler.path} "$@" ;;
esac
""")
    path.chmod(0o755)
    return path


def check_syntax(cxx: str, root: Path, source: str, standard: str = "c++17") -> subprocess.CompletedProcess[str]:
    """Compile ``source`` against the emitted headers below ``root`` without writing an object."""
    includes = [f"-I{path}" for path in (root, *INCLUDES)]
    flags = [f"-std={standard}", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-DCATLASS_ARCH=2201"]
    return subprocess.run(
        [cxx, *flags, *includes, "-x", "c++", "-"],
        input=f'#include "kernel_operator.h"\n{source}',
        capture_output=True,
        text=True,
        check=False,
    )


def write(root: Path, files: Mapping[str, str]) -> None:
    """Write emitted files below an include root."""
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
