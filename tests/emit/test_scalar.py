"""What is left to the scalar unit, and how often, by a clang++ that inlines as the device's compiler does."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from benchmarks.bench_meetings import EPILOGUES
from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.graph.ir import Epilogue, TreeVisitor
from evtgen.graph.types import half
from evtgen.measure import device_clang as clang
from evtgen.measure.device_program import stack_program
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Compute
from evtgen.planner.plan import lower

from ..support.cpp import INCLUDES, write
from ..support.epilogues import FULL, everything

needs_clang = pytest.mark.skipif(clang.find_clang(None) is None, reason="clang++ is not installed")
pytestmark = [pytest.mark.cxx, needs_clang]


FUSION = "catlass/epilogue/fusion"
PASSES = "catlass/gemm/kernel/visitor_passes.hpp"

SUM = TreeVisitor(Compute("Plus", half), AccLoad(half), AuxLoad("X", half))
SMALL = Epilogue("small", TreeVisitor(AuxStore("D", half), SUM))
"""Enough to see a change of the framework in the code."""


def assembly(root: Path, path: str = "", old: str = "", new: str = "", of: Epilogue | None = None) -> str:
    """The vector core's half of an epilogue, one text of a header of the framework replaced: of one with every kind of
    node, unless it is given."""
    plan = lower(of or everything())
    files = {**framework_files(Framework()), **epilogue_files(plan, Framework())}
    if path:
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


@pytest.fixture(scope="module")
def as_it_is(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The code of an epilogue with every kind of node."""
    return assembly(tmp_path_factory.mktemp("unchanged"))


def divisions(code: str) -> int:
    return len(re.findall(r"^\s+i?div", code, re.MULTILINE))


STRIDE = "static_cast<uint32_t>(static_cast<int32_t>(calCount) / static_cast<int32_t>(tileShape.row()))"


def test_a_tile_takes_no_division(tmp_path: Path, as_it_is: str) -> None:
    """All nodes share the stride of a tile's rows, and it is the factor that the block epilogue multiplied by."""
    base = f"{FUSION}/visitor_impl_base.hpp"
    least = divisions(assembly(tmp_path, base, STRIDE, "calCount & 64"))
    assert divisions(as_it_is) == least > 0  # those of a block
    own = divisions(assembly(tmp_path, of=SMALL))
    assert divisions(assembly(tmp_path, base, STRIDE, "calCount / tileShape.row()", of=SMALL)) > own


def test_the_plan_is_no_data_of_the_kernel(tmp_path: Path, as_it_is: str) -> None:
    """Its numbers stand in the instructions: nothing is planned, laid out or looked up on the device."""
    assert "Planned" not in as_it_is
    old = "constexpr UbParts BEGINS = Tile::SCHEDULE.VisitOf(I).begins;"
    new = "UbParts BEGINS = Tile::SCHEDULE.VisitOf(I + AscendC::GetBlockIdx() / 4096).begins;"
    assert "Planned" in assembly(tmp_path, f"{FUSION}/topological_visitor.hpp", old, new, of=SMALL)


def test_the_code_of_a_phase_is_there_once(tmp_path: Path) -> None:
    """Whether blocks have whole rows or cores meet, which the host chooses, each node is in the code once."""
    visit = "VisitBlocks<PHASE>(params, problems, handoff, pass);"

    def subtractions(**change: str) -> int:
        code = assembly(tmp_path, of=EPILOGUES["rows"], **change)
        return len(re.findall(r"\bcallq?\b.*AscendC\d+SubI", code))

    # V less its largest in the second phase and in the last, and there less its sum, too; once more of whole rows. Each
    # has a call for a repeat of all rows, one for all repeats of a row, and one for the rest of it.
    assert subtractions() == 5 * 3
    if FULL:
        assert subtractions(path=PASSES, old=visit, new=f"{{ {visit} if (pass.isLast) {visit} }}") == 8 * 3
