"""Ascend950 with AscendC's own headers, which are compiled for it and do not run."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from evtgen.check import check, has_errors
from evtgen.check.evg import refusals
from evtgen.checkouts.ascendc import recognise
from evtgen.emit.framework import Framework
from evtgen.emit.render import header_files
from evtgen.frontend.load import load
from evtgen.graph.ir import DEFAULT_ARCH
from evtgen.model import harness
from evtgen.model.roots import include_roots
from evtgen.planner.plan import Plan, lower

from ..support.ascendc import asc_devkit, needs_ascendc
from ..support.command import run
from ..support.cpp import compilers, write
from ..support.emitted import SPECS
from ..support.paths import DEVICE, EXAMPLES

pytestmark = [pytest.mark.cxx, needs_ascendc]

RIGHT = """\
Add(L<bfloat16_t>(), L<bfloat16_t>(), L<bfloat16_t>(), 64);
Exp(L<half>(), L<half>(), 64);
CrossCoreSetFlag<4, PIPE_V>(0);
CrossCoreWaitFlag<4, PIPE_V>(0);
Cast(L<fp8_e4m3fn_t>(), L<float>(), RoundMode::CAST_RINT, 64);
DataCopyPad(L<float>(), G<float>(), DataCopyExtParams{1, 4, 0, 0, 0}, DataCopyPadExtParams<float>{false, 0, 0, 0});
WholeReduceSum<float>(L<float>(), L<float>(), 64, 1, 1, 1, 8);
Select(L<float>(), L<uint8_t>(), L<float>(), 1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
Brcb(L<float>(), L<float>(), 8, BrcbRepeatParams{1, 8});
SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
""".splitlines()
WRONG = """\
Add(L<float>(), L<half>(), L<float>(), 64);
Add(L<double>(), L<double>(), L<double>(), 64);
Exp(L<int32_t>(), L<int32_t>(), 64);
AddNothing(L<float>(), L<float>(), L<float>(), 64);
CrossCoreSetFlag<4>(0);
CrossCoreSetFlag<PIPE_V, 4>(0);
CrossCoreWaitFlag<4, HardEvent::V_S>(0);
Cast(L<fp8_e4m3fn_t>(), L<float>(), 0, 64);
DataCopyPad(L<float>(), G<half>(), DataCopyExtParams{1, 4, 0, 0, 0}, DataCopyPadExtParams<float>{false, 0, 0, 0});
WholeReduceSum<int8_t>(L<int8_t>(), L<int8_t>(), 64, 1, 1, 1, 8);
Select(L<float>(), L<float>(), L<float>(), 1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
Brcb(L<float>(), L<float>(), 8);
SetFlag<PIPE_V>(EVENT_ID0);
""".splitlines()
CALLS = """\
#include "kernel_operator.h"
using namespace AscendC;
template <class T> LocalTensor<T> L() { return LocalTensor<T>(TPosition::VECCALC, 0, 1024); }
template <class T> GlobalTensor<T> G() { return {}; }
void Calls() {
"""


def compiled(cxx: str, source: str, *more: str, roots: list[Path] | None = None) -> subprocess.CompletedProcess[str]:
    search = [*(roots or include_roots(None, intrinsics=True)), *recognise(asc_devkit()).include]
    command = [cxx, "-std=c++17", "-fsyntax-only", "-DCATLASS_ARCH=3510", *more]
    command += [*(f"-isystem{root}" for root in search), "-xc++", "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True, check=False)


def refused(cxx: str, calls: list[str], roots: list[Path] | None = None) -> tuple[set[str], str]:
    """The calls that a compiler refuses, and its words."""
    unlimited = "-ferror-limit=0" if "clang" in cxx else "-fmax-errors=0"
    done = compiled(cxx, CALLS + "\n".join([*calls, "}"]), unlimited, roots=roots)
    # An error in a template names the line that instantiates it in a note.
    words = [line for line in done.stderr.splitlines() if re.search(r"error:|requested here|required from", line)]
    first = CALLS.count("\n") + 1
    lines = {int(found[1]) - first for line in words if (found := re.match(r"<stdin>:(\d+)", line))}
    assert (done.returncode != 0) == bool(lines)
    return {calls[line] for line in lines}, done.stderr


@pytest.mark.parametrize("cxx", compilers())
def test_wrong_calls_are_refused_and_near_misses_are_not(cxx: str) -> None:
    assert refused(cxx, RIGHT)[0] == set()
    assert refused(cxx, [*RIGHT, *WRONG])[0] == set(WRONG)


def test_an_intrinsic_that_is_not_declared_is_named(tmp_path: Path) -> None:
    shutil.copytree(DEVICE, tmp_path / "device")
    declared = tmp_path / "device/cce/cce/declared.def"
    declared.write_text(declared.read_text().replace("INTRINSIC(vexp)", ""))
    roots = [tmp_path / "device" / root.relative_to(DEVICE) for root in include_roots(None, intrinsics=True)]
    lines, words = refused("clang++" if shutil.which("clang++") else "g++", RIGHT, roots)
    assert lines == {"Exp(L<half>(), L<half>(), 64);"}
    assert "'vexp'" in words or "‘vexp’" in words


@pytest.mark.parametrize("cxx", compilers())
def test_every_call_of_the_model_compiles(cxx: str) -> None:
    done = compiled(cxx, Path(__file__).with_name("calls.cpp").read_text(), "-w")
    assert done.returncode == 0, done.stderr


def both_ways(spec: Path) -> Iterator[Plan]:
    """The plans of a spec for Ascend950, through GM and, where that is possible, through UB."""
    token = DEFAULT_ARCH.set("Ascend950")
    try:
        for epilogue in load([spec]):
            for way in ("gm", "ub"):
                named = replace(epilogue, name=f"{epilogue.name}_{way}", gemm=replace(epilogue.gemm, handoff=way))
                if way == "gm" or not has_errors(check(named)):
                    yield lower(named)
    finally:
        DEFAULT_ARCH.reset(token)


@pytest.mark.slow
@pytest.mark.parametrize("framework", [Framework(), Framework(catlass=True)], ids=["evtgen", "catlass"])
@pytest.mark.parametrize("cxx", compilers())
def test_all_that_emitted_code_calls_fits_the_declarations(tmp_path: Path, cxx: str, framework: Framework) -> None:
    """Every example and the whole gallery, with both handoffs, in one program per spec."""
    ways: Counter[str | None] = Counter()
    for spec in SPECS:
        plans = [plan for plan in both_ways(spec) if not (framework.catlass and any(refusals(plan)))]
        if not plans:
            continue
        ways.update(plan.gemm.handoff for plan in plans)
        write(tmp_path / spec.stem, header_files(plans, framework))
        done = compiled(cxx, harness.source(plans, catlass=framework.catlass), f"-I{tmp_path / spec.stem}")
        assert done.returncode == 0, f"{spec}: {done.stderr}"
    assert ways["gm"] > ways["ub"] >= 30


def test_verify_compiles_with_the_headers_and_runs_with_the_model_own(tmp_path: Path) -> None:
    root = tmp_path / "include"
    assert run("build", EXAMPLES[0], "--arch", "Ascend950", "-o", root, cwd=tmp_path).returncode == 0
    options: list[str | Path] = ["--arch", "Ascend950", "--headers", root, "--ascendc", asc_devkit()]
    options += ["--shape", "3x7x5", "--data", "int", "--json"]

    def verified() -> dict:  # type: ignore[type-arg]
        (result,) = json.loads(run("verify", EXAMPLES[0], *options, cwd=tmp_path).stdout)
        return dict(result)

    result = verified()
    name = recognise(asc_devkit()).name
    assert (result["ok"], result["ascendc"], result["ascendc_use"]) == (True, name, "compiled")

    operations = root / "catlass/epilogue/fusion/operations/arithmetic.hpp"
    text = operations.read_text()
    assert "AscendC::Add(" in text
    operations.write_text(text.replace("AscendC::Add(", "AscendC::Plus("))
    result = verified()
    assert not result["ok"]
    assert f"refuses the header with the headers of {name}" in result["error"]
    assert "Plus" in result["error"]
