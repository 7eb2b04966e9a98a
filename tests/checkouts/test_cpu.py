"""Programs written for Catlass, run on the CPU model by ``evtgen cpu``."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evtgen.checkouts.launches import rewrite

from ..support.command import environment, gone, run
from ..support.cpp import compilers
from ..support.paths import DEVICE, EXAMPLES
from ..support.said import named

pytestmark = pytest.mark.cxx

LAUNCH = """\
#include <iostream>
#include "helper.hpp"
#include "kernel_operator.h"

template <class Element>
__schedmode__(1) __global__ __aicore__ void Twice(GM_ADDR gm, uint32_t count)
{
    if ASCEND_IS_AIV {
        AscendC::TPipe pipe;
        AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, count * sizeof(Element));
        AscendC::LocalTensor<Element> local = buffer.Get<Element>();
        AscendC::GlobalTensor<Element> global;
        global.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(gm));
        if (AscendC::GetBlockIdx() == 0) {
            AscendC::DataCopy(local, global, count);
            AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);
            AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);
            AscendC::Add(local, local, local, count);
            SYNC
            AscendC::DataCopy(global, local, count);
        }
    }
}

int main(int argc, char const** argv)
{
    uint32_t const count = 64;
    std::vector<float> host(count, 2.0f);
    uint8_t* device{nullptr};
    aclrtStream stream{nullptr};
    ACL_CHECK(aclrtMalloc(reinterpret_cast<void**>(&device), count * 4, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_CHECK(aclrtMemcpy(device, count * 4, host.data(), count * 4, ACL_MEMCPY_HOST_TO_DEVICE));
    Twice<float><<<1, nullptr, stream>>>(device, count);
    ACL_CHECK(aclrtSynchronizeStream(stream));
    ACL_CHECK(aclrtMemcpy(host.data(), count * 4, device, count * 4, ACL_MEMCPY_DEVICE_TO_HOST));
    std::cout << host[0] << " " << (argc > 1 ? argv[1] : "") << std::endl;
    return argc > 2 ? 7 : 0;
}
"""
SYNC = (
    "AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);"
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("built")
    assert run("build", *EXAMPLES, "-o", root / "include", "--examples", root / "examples", cwd=root).returncode == 0
    assert run("data", *EXAMPLES, "-o", "data", "--shape", "87x198x120", cwd=root).returncode == 0
    return root


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
@pytest.mark.parametrize("cxx", compilers())
def test_an_emitted_example_passes_unchanged(built: Path, cxx: str, standard: str) -> None:
    program = built / "examples" / "row_broadcast_reduction_evt" / "row_broadcast_reduction_evt.cpp"
    done = run("cpu", program, "--cxx", cxx, "--std", standard, "--", "data/row_broadcast_reduction_evt", cwd=built)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Compare success.\n"
    assert "no hazards" in done.stderr and "warning:" not in done.stderr


def test_json_and_include_directories(built: Path, tmp_path: Path) -> None:
    program = tmp_path / "moved.cpp"
    shutil.copy(built / "examples" / "cast_evt" / "cast_evt.cpp", program)
    done = run("cpu", program, "--json", cwd=tmp_path)
    assert done.returncode == 2 and "--example-includes" in json.loads(done.stdout)["diagnostics"][0]["help"]
    include = ("--example-includes", built / "include", "-I", built / "examples" / "common")
    done = run("cpu", program, *include, "--json", "--", built / "data" / "cast_evt", cwd=tmp_path)
    result = json.loads(done.stdout)
    assert done.returncode == 0 and result["ok"] and result["stdout"] == "Compare success.\n"
    assert result["launches"] == 1 and result["hazards"] == [] and result["compiler"]


def test_launches_arguments_and_exit_status(tmp_path: Path) -> None:
    (tmp_path / "twice.cpp").write_text(LAUNCH.replace("SYNC", SYNC))
    done = run("cpu", "twice.cpp", "--", "hello", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "4 hello\n"), done.stderr
    assert "warning:" not in done.stderr
    assert run("cpu", "twice.cpp", "--", "a", "b", cwd=tmp_path).returncode == 7


def test_a_hazard_fails_a_program_that_succeeds(tmp_path: Path) -> None:
    (tmp_path / "twice.cpp").write_text(LAUNCH.replace("SYNC", ""))
    done = run("cpu", "twice.cpp", cwd=tmp_path)
    assert done.returncode == 1 and done.stdout == "4 \n"
    assert "error[EVT120]" in done.stderr and f"{tmp_path}/twice.cpp:21" in done.stderr


def test_launches_in_headers_of_the_programs_directory(tmp_path: Path) -> None:
    kernel, main = LAUNCH.replace("SYNC", SYNC).split("int main(")
    launch = "Twice<float><<<1, nullptr, stream>>>(device, count);"
    wrapper = f"inline void Start(uint8_t* device, aclrtStream stream, uint32_t count)\n{{\n    {launch}\n}}\n"
    (tmp_path / "impl").mkdir()
    (tmp_path / "impl" / "kernel.hpp").write_text(f"#pragma once\n{kernel}{wrapper}")
    # A header without a launch leads to the one with it: it must find the rewritten one beside it.
    (tmp_path / "impl" / "all.hpp").write_text('#pragma once\n#include "kernel.hpp"\n')
    program = tmp_path / "twice.cpp"
    program.write_text('#include "impl/all.hpp"\nint main(' + main.replace(launch, "Start(device, stream, count);"))
    done = run("cpu", program, "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert (done.returncode, found["stdout"], found["launches"]) == (0, "4 \n", 1), done.stdout
    (tmp_path / "impl" / "kernel.hpp").write_text(f"#pragma once\n{kernel.replace(SYNC, '')}{wrapper}")
    said = run("cpu", program, cwd=tmp_path).stderr
    assert "error[EVT120]" in said and f"{tmp_path}/impl/kernel.hpp:22" in said


def test_launches_in_headers_of_a_checkout(tmp_path: Path) -> None:
    include = tmp_path / "home" / "include"
    for path in (DEVICE / "catlass").rglob("*.hpp"):
        if "examples_common" not in path.parts:
            target = include / path.relative_to(DEVICE / "catlass")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    shutil.copytree(DEVICE / "catlass" / "examples_common", tmp_path / "home" / "examples" / "common")
    text = LAUNCH.replace("SYNC", SYNC).replace(
        "Twice<float><<<1, nullptr, stream>>>(device, count);", "Go(device, stream);"
    )
    launch = "Twice<float><<<1, nullptr, stream>>>(device, 64);"
    starter = f"inline void Go(uint8_t* device, aclrtStream stream)\n{{\n    {launch}\n}}\n"
    (include / "catlass" / "device").mkdir()
    (include / "catlass" / "device" / "go.hpp").write_text(starter)
    program = tmp_path / "twice.cpp"
    program.write_text(text.replace("int main(", '#include "catlass/device/go.hpp"\nint main('))
    done = run("cpu", program, "--catlass", tmp_path / "home", "--json", cwd=tmp_path)
    assert (done.returncode, json.loads(done.stdout)["launches"]) == (0, 1), done.stdout


def test_what_the_model_does_not_have_is_said_first(tmp_path: Path) -> None:
    (tmp_path / "cube.cpp").write_text('#include "kernel_operator.h"\nint main() { AscendC::Fixpipe(1, 2); }\n')
    done = run("cpu", "cube.cpp", "--json", cwd=tmp_path)
    [diagnostic] = json.loads(done.stdout)["diagnostics"]
    assert done.returncode == 2 and diagnostic["code"] == "EVT089"
    assert named(diagnostic["message"].splitlines()[0], "CPU model … AscendC::Fixpipe")
    assert "BlockMmad" in diagnostic["help"]
    assert "cannot compile" in diagnostic["message"].splitlines()[1]


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
def test_a_program_that_needs_clang_gets_it(tmp_path: Path) -> None:
    text = "struct A {\n template <int I> void f();\n template <> void f<1>() {}\n};\nint main() {}\n"
    (tmp_path / "in_class.cpp").write_text(text)
    done = run("cpu", "in_class.cpp", "--cxx", "g++", cwd=tmp_path)
    assert done.returncode == 2 and "EVT089" in done.stderr
    assert "clang++" in done.stderr.partition("cannot compile")[0]
    if shutil.which("clang++"):
        done = run("cpu", "in_class.cpp", "--json", cwd=tmp_path)
        assert done.returncode == 0 and "clang" in json.loads(done.stdout)["compiler"]


POLLS = """#include "acl/acl.h"
#include "kernel_operator.h"
__global__ __vector__ void Polls(GM_ADDR flag)
{
    AscendC::GlobalTensor<int32_t> gm;
    gm.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(flag));
    while (gm.GetValue(0) == 0) {
        AscendC::DataCacheCleanAndInvalid<int32_t, AscendC::CacheLine::SINGLE_CACHE_LINE>(gm);
    }
}
int main()
{
    void* flag = nullptr;
    aclrtMalloc(&flag, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemset(flag, 64, 0, 64);
    Polls<<<1, nullptr, nullptr>>>(static_cast<GM_ADDR>(flag));
}
"""


def test_a_core_that_polls_is_told_so_at_its_timeout(tmp_path: Path) -> None:
    (tmp_path / "polls.cpp").write_text(POLLS)
    done = run("cpu", "polls.cpp", "--timeout", "1", "--json", cwd=tmp_path)
    [ending] = (hazard for hazard in json.loads(done.stdout)["hazards"] if hazard["code"] == "EVT144")
    assert done.returncode == 1 and "times in a row" in ending["message"]


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
@pytest.mark.skipif(shutil.which("clang++") is None, reason="clang++ is not installed")
def test_a_call_without_its_namespace_gets_clang(tmp_path: Path) -> None:
    text = '#include "kernel_operator.h"\nint main() {}\n'
    call = "void F(AscendC::LocalTensor<float> t) { ReduceSum<float>(t, t, t, 64); }\n"
    (tmp_path / "call.cpp").write_text(text + call)
    done = run("cpu", "call.cpp", "--json", cwd=tmp_path)
    assert done.returncode == 0 and "clang" in json.loads(done.stdout)["compiler"]
    done = run("cpu", "call.cpp", "--cxx", "g++", cwd=tmp_path)
    assert done.returncode == 2 and "clang++" in done.stderr.partition("cannot compile")[0]


def test_no_file(tmp_path: Path) -> None:
    done = run("cpu", "nowhere.cpp", cwd=tmp_path)
    assert done.returncode == 2 and "EVT089" in done.stderr


HUNG = """\
#include <chrono>
#include <cstdio>
#include <thread>
#include "kernel_operator.h"
#include <unistd.h>
__global__ __aicore__ void Hung(GM_ADDR)
{
    std::fprintf(std::fopen("pid", "w"), "%d", getpid());
    std::fflush(nullptr);
    for (;;) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}
int main() { Hung<<<1, nullptr, nullptr>>>(nullptr); }
"""


def started(tmp_path: Path, *options: str) -> tuple[subprocess.Popen[str], int]:
    """evtgen, and the process of a program that never ends."""
    (tmp_path / "hung.cpp").write_text(HUNG)
    (tmp_path / "tmp").mkdir()
    command = [sys.executable, "-m", "evtgen", "cpu", "hung.cpp", *options]
    variables = environment(TMPDIR=str(tmp_path / "tmp"))
    evtgen = subprocess.Popen(command, cwd=tmp_path, env=variables, stderr=subprocess.PIPE, text=True)
    pid = tmp_path / "pid"
    while not (pid.exists() and pid.read_text()):
        assert evtgen.poll() is None
        time.sleep(0.05)
    return evtgen, int(pid.read_text())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_program_and_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    evtgen, program = started(tmp_path)
    evtgen.send_signal(number)
    _, stderr = evtgen.communicate(timeout=20)
    assert (evtgen.returncode, stderr) == (128 + number, "interrupted\n")
    assert gone(program)
    assert not list((tmp_path / "tmp").iterdir())


def test_the_program_ends_when_evtgen_is_killed(tmp_path: Path) -> None:
    evtgen, program = started(tmp_path)
    evtgen.kill()
    evtgen.wait()
    assert gone(program)


def test_a_timeout_ends_the_program_and_says_where_it_was(tmp_path: Path) -> None:
    (tmp_path / "hung.cpp").write_text(HUNG)
    done = run("cpu", "hung.cpp", "--timeout", "1", cwd=tmp_path)
    assert done.returncode == 1
    assert "error[EVT075]" in done.stderr and "not done after 1 seconds" in done.stderr and "--timeout" in done.stderr
    assert "error[EVT144]" in done.stderr and f"{tmp_path}/hung.cpp:12" in done.stderr
    done = run("cpu", "hung.cpp", "--timeout", "1", "--json", cwd=tmp_path)
    result = json.loads(done.stdout)
    assert done.returncode == 1 and not result["ok"] and result["status"] == 143
    assert [found["code"] for found in result["diagnostics"]] == ["EVT075"]
    assert [found["code"] for found in result["hazards"]] == ["EVT144"]


def test_what_the_compiler_inserts_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "reads.cpp").write_text(LAUNCH.replace("SYNC", "(void)local.GetValue(0);" + SYNC))
    done = run("cpu", "reads.cpp", cwd=tmp_path)
    assert done.returncode == 0 and "warning[EVT239]" in done.stderr
    done = run("cpu", "reads.cpp", "--no-auto-sync", cwd=tmp_path)
    assert done.returncode == 1 and "error[EVT239]" in done.stderr


def test_a_launch_starts_with_either_mode_of_saturation(tmp_path: Path) -> None:
    shown = 'AscendC::printf("CTRL[48] %d\\n", static_cast<int>(AscendC::GetCtrlSpr<48, 48>()));'
    (tmp_path / "mode.cpp").write_text(LAUNCH.replace("SYNC", shown + SYNC))
    assert "CTRL[48] 1" in run("cpu", "mode.cpp", cwd=tmp_path).stdout
    assert "CTRL[48] 0" in run("cpu", "mode.cpp", "--saturation", cwd=tmp_path).stdout
    host = "aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION);"
    program = LAUNCH.replace("SYNC", shown + SYNC).replace("uint8_t* device", f"{host} uint8_t* device")
    (tmp_path / "host.cpp").write_text(program)
    assert "CTRL[48] 0" in run("cpu", "host.cpp", cwd=tmp_path).stdout


def test_an_element_by_its_reference_is_as_by_get_value(tmp_path: Path) -> None:
    """Page of operator(): as GetValue where it is read, as SetValue where it is assigned."""
    (tmp_path / "element.cpp").write_text(LAUNCH.replace("SYNC", "auto x = local(1); local(0) = x;" + SYNC))
    done = run("cpu", "element.cpp", cwd=tmp_path)
    assert done.returncode == 0 and "warning[EVT239]" in done.stderr and "EVT12" not in done.stderr
    done = run("cpu", "element.cpp", "--no-auto-sync", cwd=tmp_path)
    assert done.returncode == 1 and "error[EVT239]" in done.stderr
    by_pointer = "auto* p = reinterpret_cast<float*>(local.GetPhyAddr()); p[0] = p[1];"
    (tmp_path / "pointer.cpp").write_text(LAUNCH.replace("SYNC", by_pointer + SYNC))
    assert "error[EVT12" in run("cpu", "pointer.cpp", cwd=tmp_path).stderr


def test_a_pointer_to_freed_memory(tmp_path: Path) -> None:
    program = LAUNCH.replace("SYNC", SYNC + "if (reinterpret_cast<__gm__ float*>(gm)[0] < 0) { return; }")
    (tmp_path / "freed.cpp").write_text(program.replace("    Twice<", "    aclrtFree(device);\n    Twice<"))
    done = run("cpu", "freed.cpp", cwd=tmp_path)
    assert done.returncode == 1 and "error[EVT101]: GetValue" in done.stderr
    (tmp_path / "held.cpp").write_text(program)
    assert "EVT101" not in run("cpu", "held.cpp", cwd=tmp_path).stderr


def test_strict_counts_warnings(tmp_path: Path) -> None:
    twice = "AscendC::Add(local, local, local, count);"
    (tmp_path / "warns.cpp").write_text(LAUNCH.replace("SYNC", twice + SYNC))
    assert run("cpu", "warns.cpp", cwd=tmp_path).returncode == 0
    done = run("cpu", "warns.cpp", "--strict", cwd=tmp_path)
    assert done.returncode == 1 and "error[EVT123]" in done.stderr
    (tmp_path / "unused.cpp").write_text(
        LAUNCH.replace("SYNC", SYNC).replace("uint8_t* device", "int unused; uint8_t* device")
    )
    assert run("cpu", "unused.cpp", cwd=tmp_path).returncode == 0
    done = run("cpu", "unused.cpp", "--strict", cwd=tmp_path)
    assert done.returncode == 1 and "no hazards" in done.stderr and "-Wunused-variable" in done.stderr


TWO = LAUNCH.replace("SYNC", SYNC).replace(
    "    ACL_CHECK(aclrtSynchronizeStream(",
    "    Twice<half><<<3, nullptr, stream>>>(device, count);\n    ACL_CHECK(aclrtSynchronizeStream(",
)


def test_a_trace_and_timings_of_each_launch(tmp_path: Path) -> None:
    (tmp_path / "two.cpp").write_text(TWO)
    done = run("cpu", "two.cpp", "--trace", "trace.json", "--profile", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    first, second = (next(line for line in done.stderr.splitlines() if name in line) for name in ("float>", "half>"))
    assert first.split()[:2] == ["Twice<float>", "1"] and second.split()[:2] == ["Twice<half>", "3"]
    trace = json.loads((tmp_path / "trace.json").read_text())
    names = {event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "process_name"}
    assert {"AIV 0 of Twice<float>", "AIV 2 of Twice<half>"} <= names
    done = run("cpu", "two.cpp", "--profile", "--json", cwd=tmp_path)
    result = json.loads(done.stdout)
    assert [(one["kernel"], one["blocks"]) for one in result["profile"]] == [("Twice<float>", 1), ("Twice<half>", 3)]
    for launch, timing in zip(result["stats"]["launches"], result["profile"], strict=True):
        assert timing["cycles"] == launch["makespan"] > 0
        assert all(0 < timing["busy"]["AIV"][pipe] < 1 for pipe in ("MTE2", "V", "MTE3"))
        assert timing["source"] == "cost model, not a measurement"


@pytest.mark.parametrize("command", [("cpu", "nowhere.cpp"), ("profile", "nowhere.py")])
def test_a_trace_that_cannot_be_written_is_said_before_the_work(tmp_path: Path, command: tuple[str, str]) -> None:
    for trace in (tmp_path / "missing" / "trace.json", tmp_path):
        done = run(*command, "--trace", trace, cwd=tmp_path)
        assert done.returncode == 2 and "EVT073" in done.stderr and "nowhere" not in done.stderr


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("K<<<n, nullptr, s>>>(a);", '<0>("K", n, ::machine::StreamOf( nullptr, s))([&]'),
        (
            "a::K<B<1>, (2 > 1)><<<f(1, 2), nullptr, s>>>(a, g(b));",
            '<0>("a::K<B<1>, (2 > 1)>", f(1, 2), ::machine::StreamOf( nullptr, s))([&]',
        ),
        ("K<\n  int\n><<<n, nullptr,\n s>>>(a);", '<0>("K< int >", n, ::machine::StreamOf( nullptr,\n s))([&]'),
    ],
)
def test_rewriting(source: str, expected: str) -> None:
    text, launches = rewrite(source)
    assert len(launches) == 1 and f"::machine::KernelLaunch{expected}" in text and "<<<" not in text
    assert text.count("\n") == source.count("\n")


@pytest.mark.parametrize("source", ["// K<<<1, 2, 3>>>(a)", 'f("K<<<1, 2, 3>>>(a)");', "a <<< b;", "std::cout << x;"])
def test_what_is_no_launch_stays(source: str) -> None:
    assert rewrite(source) == (source, [])


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("__global__ __vector__", "vector"),
        ('extern "C" __global__ __cube__', "cube"),
        ("__global__ __mix__(1, 2)", "mix"),
        ("__vector__ __schedmode__(1) __global__", "vector"),
        ("__global__ __aicore__", None),
        ("__global__ __vector__ void Other(int a) {}\n__global__ __aicore__", None),
        ("// __global__ __vector__ void K(int a)\n__global__ __aicore__", None),
        ("__global__ __vector__ void K(int a) {}\n__global__ __cube__", None),
    ],
)
def test_a_kernel_names_the_cores_that_it_is_for(words: str, kind: str | None) -> None:
    text, [launch] = rewrite(
        f"template <class T>\n{words} void K(int a) {{}}\nvoid f() {{ n::K<int><<<1, 0, 0>>>(a); }}"
    )
    assert (launch.kernel, launch.declared) == ("n::K<int>", kind)
    assert text.count("__global__") == words.count("// __global__") and "__mix__" not in text


QUEUES = """\
#include "acl/acl.h"
#include "kernel_operator.h"
#include <cstdio>
#include <vector>

constexpr uint32_t kTile = 128;

__global__ __vector__ void AddOne(GM_ADDR gm)
{
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::QuePosition::VECIN, 1> in;
    AscendC::TQue<AscendC::QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, kTile * sizeof(float));
    pipe.InitBuffer(out, 2, kTile * sizeof(float));
    AscendC::GlobalTensor<float> global;
    global.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(gm) + AscendC::GetBlockIdx() * 4 * kTile);
    for (uint32_t tile = 0; tile < 4; ++tile) {
        AscendC::LocalTensor<float> x = in.AllocTensor<float>();
        AscendC::DataCopy(x, global[tile * kTile], kTile);
        in.EnQue(x);
        x = in.DeQue<float>();
        AscendC::LocalTensor<float> y = out.AllocTensor<float>();
        AscendC::Adds(y, x, 1.0f, kTile);
        out.EnQue(y);
        in.FreeTensor(x);
        y = out.DeQue<float>();
        AscendC::DataCopy(global[tile * kTile], y, kTile);
        out.FreeTensor(y);
    }
}

int main()
{
    std::vector<float> host(2 * 4 * kTile, 2.0f);
    size_t const bytes = host.size() * sizeof(float);
    void* device = nullptr;
    aclrtStream stream = nullptr;
    aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(device, bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    AddOne<<<2, nullptr, stream>>>(static_cast<GM_ADDR>(device));
    aclrtSynchronizeStream(stream);
    aclrtMemcpy(host.data(), bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    float sum = 0;
    for (float value : host) {
        sum += value;
    }
    std::printf("%g\\n", static_cast<double>(sum));
    aclrtFree(device);
    return 0;
}
"""


def test_a_program_of_queues(tmp_path: Path) -> None:
    (tmp_path / "queues.cpp").write_text(QUEUES)
    done = run("cpu", "queues.cpp", "--json", cwd=tmp_path)
    result = json.loads(done.stdout)
    assert result["hazards"] == [] and result["stdout"] == "3072\n", done.stderr
    assert result["stats"]["launches"][0]["cores"] == 2
    mistakes = {
        "        in.FreeTensor(x);\n": "EVT149",
        "        in.EnQue(x);\n": "EVT148",
        "        y = out.DeQue<float>();\n": "EVT120",
    }
    for line, code in mistakes.items():
        assert line in QUEUES
        (tmp_path / "broken.cpp").write_text(QUEUES.replace(line, ""))
        broken = json.loads(run("cpu", "broken.cpp", "--json", cwd=tmp_path).stdout)
        assert code in {hazard["code"] for hazard in broken["hazards"]}, line
