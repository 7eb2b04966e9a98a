"""What the compiler asks of kernels whose vector cores write a widened B to L1."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor
from evtgen.graph.types import ColumnMajor, float32, half, int8
from evtgen.nodes import AccLoad, AuxStore
from evtgen.planner.plan import Plan, lower

from ..support.cpp import INCLUDES, check_syntax, compilers, quick_compilers, write

pytestmark = pytest.mark.cxx

OPTION = "ENABLE_CV_COMM_VIA_SSBUF"
"""AscendC API reference, DataCopy from UB to L1."""

LAUNCH = """\
#include "fed.hpp"
#include "catlass/gemm/kernel/splitk_matmul_visitor.hpp"
using namespace Catlass;
using namespace Evt::fed;
using Split = Gemm::Kernel::SplitkMatmulVisitor<BlockMmad, WidenedEpilogue, BlockScheduler, 2>;
void Launch()
{
    LAUNCHED kernel;
    kernel.template operator()<AscendC::AIV>(LAUNCHED::ToUnderlyingArguments({}, nullptr));
}
"""


@cache
def plan(gemm: Gemm) -> Plan:
    """D = C on Ascend950."""
    return lower(Epilogue("fed", TreeVisitor(AuxStore("D", float32), AccLoad(float32)), gemm=gemm, arch="Ascend950"))


def headers(gemm: Gemm) -> dict[str, str]:
    """The header of such an epilogue, and the framework."""
    return {**framework_files(Framework()), **epilogue_files(plan(gemm), Framework())}


@pytest.mark.parametrize("cxx", compilers())
def test_the_option_for_copies_to_l1_must_be_on(tmp_path: Path, cxx: str) -> None:
    """On the device, whose compiler defines ``__CCE__``, where B is fed and nowhere else."""
    words = f'"Vector cores write B to L1: compile with -D{OPTION}=true (see DataCopy from UB to L1 in AscendC)"'
    source = '#include "kernel_operator.h"\n#include "fed.hpp"\n'
    for given, fed in (Gemm(half, int8), True), (Gemm(half, int8, policy="preload_async"), False), (Gemm(half), False):
        write(tmp_path, headers(given))
        for option in ((), ("-D__CCE__",), *(("-D__CCE__", f"-D{OPTION}={value}") for value in ("false", "true", "1"))):
            command = [cxx, "-std=c++17", "-E", "-DCATLASS_ARCH=3510", *option, f"-I{tmp_path}"]
            command += [*(f"-I{path}" for path in INCLUDES), "-x", "c++", "-"]
            done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
            errors = re.findall(r"error: (.*)", done.stderr)
            wrong = fed and option[-1:] in (("-D__CCE__",), (f"-D{OPTION}=false",))
            assert (done.returncode != 0, len(errors)) == (wrong, wrong), done.stderr
            assert all(words in error for error in errors)


@pytest.mark.parametrize("gemm", [Gemm(half, int8), Gemm(half, int8, layout_b=ColumnMajor)], ids=["rows", "columns"])
@pytest.mark.parametrize("cxx", quick_compilers())
def test_the_tiles_are_stored_as_they_lie_in_l1(tmp_path: Path, cxx: str, gemm: Gemm) -> None:
    files = headers(gemm)
    lines, length = re.findall(r"VisitorWideStore<half, (\d+), (\d+)>", files["fed.hpp"])[0]
    for other in ((lines, length), (length, lines), (lines, f"{2 * int(length)}")):
        text = files["fed.hpp"].replace(f"<half, {lines}, {length}>", f"<half, {', '.join(other)}>")
        write(tmp_path, {**files, "fed.hpp": text})
        done = check_syntax(cxx, tmp_path, LAUNCH.replace("LAUNCHED", "Kernel"), npu=3510)
        assert (done.returncode == 0) == (other == (lines, length)), done.stderr
        assert done.returncode == 0 or "VisitorWideStore of the lines and the length of B's tiles in L1" in done.stderr


@pytest.mark.parametrize("cxx", quick_compilers())
def test_no_slices_of_k_are_fed(tmp_path: Path, cxx: str) -> None:
    """Of a split K the same block matmul is refused, and without TileCopyFed it is not."""
    files = headers(Gemm(half, int8, handoff="gm"))
    plain, count = re.subn(r"Gemm::Block::TileCopyFed<(.*?)>;", r"\1;", files["fed.hpp"], flags=re.DOTALL)
    assert count == 1
    for text, wrong in ((files["fed.hpp"], True), (plain, False)):
        write(tmp_path, {**files, "fed.hpp": text})
        done = check_syntax(cxx, tmp_path, LAUNCH.replace("LAUNCHED", "Split"), npu=3510)
        assert (done.returncode != 0) == wrong, done.stderr
        assert not wrong or "BlockMmad must not have TileCopyFed" in done.stderr
