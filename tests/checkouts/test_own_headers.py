"""Programs and emitted headers with AscendC's own headers, on the CPU model."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from evtgen.checkouts.ascendc import recognise
from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.frontend.load import load
from evtgen.model import harness
from evtgen.model.roots import include_roots
from evtgen.planner.plan import lower

from ..support.ascendc import asc_devkit, needs_ascendc
from ..support.command import run
from ..support.cpp import compilers, write
from ..support.emitted import SPECS
from ..support.paths import EXAMPLES

pytestmark = [pytest.mark.cxx, needs_ascendc]

PROGRAM = """\
#include "acl/acl.h"
#include "kernel_operator.h"
#include <cstdio>
#include <vector>

using namespace AscendC;

__global__ __vector__ __aicore__ void Run(GM_ADDR gm)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 64 * 1024);
    GlobalTensor<float> global;
    global.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(gm));
    LocalTensor<float> x = buffer.Get<float>(1024);
    LocalTensor<float> y = buffer.Get<float>()[2048];
    [[maybe_unused]] LocalTensor<float> temporary = buffer.Get<float>()[4096];
    DataCopy(x, global, 1024);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    BODY
}

int main()
{
    std::vector<float> host(1024);
    for (int i = 0; i < 1024; ++i) {
        host[i] = static_cast<float>(i % 7);
    }
    uint8_t* device = nullptr;
    aclrtMalloc(reinterpret_cast<void**>(&device), 4096, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(device, 4096, host.data(), 4096, ACL_MEMCPY_HOST_TO_DEVICE);
    Run<<<1, nullptr, nullptr>>>(device);
    aclrtSynchronizeStream(nullptr);
    aclrtMemcpy(host.data(), 4096, device, 4096, ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf("%g %g %g\\n", host[0], host[1], host[999]);
}
"""
STORE = """\
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(global, y, 1024);
"""


def ran(body: str, tmp_path: Path, *more: str | Path) -> subprocess.CompletedProcess[str]:
    program = tmp_path / "program.cpp"
    program.write_text(PROGRAM.replace("BODY", body))
    return run("cpu", program, "--ascendc", asc_devkit(), "--json", *more, cwd=tmp_path)


def outcome(body: str, tmp_path: Path, *more: str | Path) -> dict:  # type: ignore[type-arg]
    done = ran(body, tmp_path, *more)
    assert done.stdout, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("cxx", compilers())
def test_a_program_runs(tmp_path: Path, cxx: str) -> None:
    found = outcome(f"Adds(y, x, 2.0f, 1024);\n{STORE}", tmp_path, "--cxx", cxx)
    assert found["ascendc"] == recognise(asc_devkit()).name
    assert (found["stdout"], found["hazards"]) == ("2 3 7\n", [])


def test_a_missing_wait_is_found(tmp_path: Path) -> None:
    found = outcome("Adds(y, x, 2.0f, 1024);\n    DataCopy(global, y, 1024);\n", tmp_path)
    # V may still write what MTE3 reads, and MTE2 may still read what MTE3 overwrites.
    assert {hazard["code"] for hazard in found["hazards"]} == {"EVT120", "EVT121"}


def test_ascendc_reads_and_writes_through_pointers(tmp_path: Path) -> None:
    """ReduceMax takes the largest element, the first 6, out of UB by a pointer; so it writes that and its index."""
    body = """
    Adds(y, x, 0.0f, 1024);
    ReduceMax(y, x, temporary, 1000, true);
    SetFlag<HardEvent::V_S>(EVENT_ID1);
    WaitFlag<HardEvent::V_S>(EVENT_ID1);
    float bits = y.GetValue(1);
    y.SetValue(1, static_cast<float>(*reinterpret_cast<int32_t*>(&bits)));
    SetFlag<HardEvent::S_MTE3>(EVENT_ID1);
    WaitFlag<HardEvent::S_MTE3>(EVENT_ID1);
"""
    found = outcome(body + STORE, tmp_path)
    assert found["stdout"] == "6 6 5\n"
    assert [hazard for hazard in found["hazards"] if hazard["severity"] == "error"] == []


def test_selections_use_ascendc_own_scratch(tmp_path: Path) -> None:
    """Scalars and addresses of a selection go through bytes of UB that AscendC keeps for itself."""
    body = """
    LocalTensor<uint8_t> bits = buffer.Get<uint8_t>()[32768];
    CompareScalar(bits, x, 3.0f, CMPMODE::LT, 1024);
    PipeBarrier<PIPE_V>();
    Select(temporary, bits, x, -1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 1024);
    PipeBarrier<PIPE_V>();
    Select(y, bits, temporary, x, SELMODE::VSEL_TENSOR_TENSOR_MODE, 1024);
"""
    found = outcome(body + STORE, tmp_path)
    assert (found["stdout"], found["hazards"]) == ("0 1 5\n", [])


def test_elements_of_4_bits_are_cast_two_at_a_time(tmp_path: Path) -> None:
    body = """
    LocalTensor<half> halves = temporary.ReinterpretCast<half>();
    LocalTensor<int4b_t> fours = y.ReinterpretCast<int4b_t>();
    Cast(halves, x, RoundMode::CAST_NONE, 1024);
    PipeBarrier<PIPE_V>();
    Cast(fours, halves, RoundMode::CAST_RINT, 1024);
    PipeBarrier<PIPE_V>();
    Cast(halves, fours[0], RoundMode::CAST_NONE, 1024);
    PipeBarrier<PIPE_V>();
    Cast(y, halves, RoundMode::CAST_NONE, 1024);
"""
    found = outcome(body + STORE, tmp_path)
    assert (found["stdout"], found["hazards"]) == ("0 1 5\n", [])


def test_a_missing_intrinsic_is_named_by_the_compiler(tmp_path: Path) -> None:
    halves = "x.ReinterpretCast<half>()"
    body = f"MulCast(y.ReinterpretCast<int8_t>(), {halves}, {halves}, 64);\n"
    done = ran(body + STORE, tmp_path)
    assert done.returncode != 0
    assert "the CPU model does not have the intrinsic vmulconv_f162s8\\n" in done.stdout + done.stderr


def test_an_example_verifies(tmp_path: Path) -> None:
    options: list[str | Path] = ["--ascendc", asc_devkit(), "--shape", "87x198x120", "--schedules", "1", "--json"]
    done = run("verify", EXAMPLES[0], *options, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(result["ascendc"] == recognise(asc_devkit()).name for result in json.loads(done.stdout))


def test_a_wait_that_is_taken_out_of_an_emitted_header_is_found(tmp_path: Path) -> None:
    root = tmp_path / "include"
    assert run("build", EXAMPLES[0], "-o", root, cwd=tmp_path).returncode == 0
    block = root / "catlass" / "epilogue" / "block" / "block_epilogue_visitor.hpp"
    lines = block.read_text().splitlines()
    wait = next(i for i, line in enumerate(lines) if "WaitFlag<AscendC::HardEvent::MTE2_V>" in line)
    block.write_text("\n".join([*lines[:wait], *lines[wait + 1 :]]) + "\n")
    options: list[str | Path] = [
        "--headers",
        root,
        "--ascendc",
        asc_devkit(),
        "--shape",
        "87x198x120",
        "--data",
        "int",
        "--json",
    ]
    done = run("verify", EXAMPLES[0], *options, cwd=tmp_path)
    (result,) = json.loads(done.stdout)
    assert not result["ok"]
    assert {"EVT120", "EVT131"} <= {hazard["code"] for hazard in result["hazards"]}


@pytest.mark.slow
@pytest.mark.parametrize("cxx", compilers())
def test_all_that_emitted_code_calls_fits_the_declarations(tmp_path: Path, cxx: str) -> None:
    """Every example and the whole gallery, in one program per spec that instantiates both halves of each kernel."""
    roots = [*include_roots(None, intrinsics=True), *recognise(asc_devkit()).include]
    for spec in SPECS:
        plans = [plan for plan in map(lower, load([spec])) if plan.arch.npu == 2201]
        if not plans:
            continue
        root = tmp_path / spec.stem
        files = dict(framework_files(Framework()))
        for plan in plans:
            files |= epilogue_files(plan, Framework())
        write(root, files)
        done = subprocess.run(
            [cxx, "-std=c++17", "-fsyntax-only", f"-I{root}", *(f"-isystem{path}" for path in roots), "-xc++", "-"],
            input=harness.source(plans),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{spec}: {done.stderr}"
