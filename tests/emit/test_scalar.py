"""What is left to the scalar unit, in the code of a clang++ that inlines as the device's compiler does."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.language import clang
from evtgen.language.program import stack_program
from evtgen.planner.plan import lower

from ..support.cpp import INCLUDES, write
from ..support.epilogues import everything

needs_clang = pytest.mark.skipif(clang.find_clang(None) is None, reason="clang++ is not installed")
pytestmark = [pytest.mark.cxx, needs_clang]


def assembly(root: Path, header: str = "", old: str = "", new: str = "") -> str:
    """The vector core's half of an epilogue with every kind of node, one text of a header of the framework replaced."""
    plan = lower(everything())
    files = {**framework_files(Framework()), **epilogue_files(plan, Framework())}
    if header:
        path = f"catlass/epilogue/fusion/{header}"
        assert files[path].count(old) == 1
        files[path] = files[path].replace(old, new)
    write(root, files)
    compiler = clang.find_clang(None)
    assert compiler is not None
    done = subprocess.run(
        [compiler.path, "-std=c++17", "-O1", "-S", "-o", "-", "-DCATLASS_ARCH=2201", "-x", "c++", "-"]
        + [f"-I{path}" for path in (root, *INCLUDES)],
        input=stack_program({plan.name: f"Catlass::Evt::{plan.name}::Kernel"}),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def divisions(code: str) -> int:
    return len(re.findall(r"^\s+i?div", code, re.MULTILINE))


STRIDE = "static_cast<uint32_t>(static_cast<int32_t>(calCount) / static_cast<int32_t>(tileShape.row()))"


def test_a_tile_takes_no_division(tmp_path: Path) -> None:
    """All nodes share the stride of a tile's rows, and it is the factor that the block epilogue multiplied by."""
    base = "visitor_impl_base.hpp"
    least = divisions(assembly(tmp_path, base, STRIDE, "calCount & 64"))
    assert divisions(assembly(tmp_path)) == least > 0  # those of a block
    assert divisions(assembly(tmp_path, base, STRIDE, "calCount / tileShape.row()")) > least


def test_the_plan_is_no_data_of_the_kernel(tmp_path: Path) -> None:
    """Its numbers stand in the instructions: nothing is planned, laid out or looked up on the device."""
    assert "Planned" not in assembly(tmp_path)
    changed = assembly(tmp_path, "topological_visitor.hpp", "constexpr uint32_t bytes =", "uint32_t bytes =")
    assert "Planned" in changed
