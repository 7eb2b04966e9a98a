"""The numbers of the framework's operators stand in the code, as operands of instructions, and nowhere in memory, from
where S of an AIV would have to read them."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from evtgen.emit.framework import Framework
from evtgen.emit.functor import FunctorView
from evtgen.emit.places import OPERATIONS
from evtgen.emit.render import framework_files
from evtgen.operators.declaration import Operator
from evtgen.operators.table import FRAMEWORK

from ..support.cpp import INCLUDES

pytestmark = [
    pytest.mark.cxx,
    pytest.mark.skipif(
        not all(map(shutil.which, ("clang++", "readelf", "nm"))), reason="clang++, readelf or nm is not installed"
    ),
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the options that make floats whole numbers are x86's"),
]

SOFT = ("-msoft-float", "-mno-sse")
"""Floats are passed as whole numbers: without them every constant of x86 is one in memory."""


def call(op: Operator) -> str:
    """The operator on values of float, with constants that it cannot know."""
    view = FunctorView(op, "Fusion::")
    tiles = [tile.element.replace("Element", "float") for tile in view.tiles]
    given = [f"Tile<{element}>({1 + i})" for i, element in enumerate(tiles)]
    functor = f"Fusion::{op.cpp}<float>{{{', '.join(['{}'] * bool(view.bases) + ['x'] * len(op.constants))}}}"
    return f"    {functor}(Tile<{view.dst.replace('Element', 'float')}>(0), count, {', '.join(given)});\n"


def text() -> str:
    head = """#include "kernel_operator.h"
#include "catlass/epilogue/fusion/operations.hpp"
namespace Fusion = Catlass::Epilogue::Fusion;
template <class T>
AscendC::LocalTensor<T> Tile(int number);
"""
    bodies = "".join(map(call, FRAMEWORK))
    return f"{head}void Run(uint32_t count, float x)\n{{\n{bodies}}}\n"


def object_of(files: dict[str, str], root: Path, level: str) -> Path:
    for path, header in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(header)
    (root / "run.cpp").write_text(text())
    system = [word for include in INCLUDES for word in ("-isystem", str(include))]
    command = ["nice", "clang++", "-std=c++17", level, *SOFT, "-I.", *system, "-c", "run.cpp", "-o", "run.o"]
    subprocess.run(command, cwd=root, check=True)
    return root / "run.o"


def in_memory(made: Path) -> list[str]:
    """The sections of an object with constants that are no text, and what it defines of ours that is no function."""
    sections = subprocess.run(["readelf", "-SW", made], capture_output=True, text=True, check=True).stdout
    symbols = subprocess.run(["nm", "-C", made], capture_output=True, text=True, check=True).stdout
    constants = re.findall(r"\.rodata(?!\.str|\._ZN7(?:AscendC|machine))\S*", sections)
    return constants + re.findall(r"^\w+ [^TtWU] (Catlass::.*)", symbols, re.MULTILINE)


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_no_number_of_an_operator_stands_in_memory(level: str, tmp_path: Path) -> None:
    files = framework_files(Framework())
    assert in_memory(object_of(files, tmp_path, level)) == []
    # What it looks for is found: coefficients in an array.
    path = f"{Framework.directory}/{OPERATIONS}/approximation.hpp"
    old = "AscendC::Muls(tmp, x, 0.0034172826f, count);"
    array = "constexpr float P[] = {0.0034172826f, 1.0f, 3.0f, 4.0f, 5.0f};\n" + old.replace(
        "0.0034172826f", "P[count % 5]"
    )
    assert old in files[path]
    assert in_memory(object_of({**files, path: files[path].replace(old, array)}, tmp_path, level))
