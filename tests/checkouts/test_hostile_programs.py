"""Programs that do what no program should: each ends, is reported, and never with exit status 0.

They are one program, which is told by its argument which of them to be, and which is compiled once. Every second one;
with EVTGEN_FULL=1 all.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from evtgen.options import CpuOptions
from evtgen.pipeline.program import Outcome, Program, run
from evtgen.report.programs import describe

from ..support.command import gone
from ..support.epilogues import FULL

pytestmark = pytest.mark.cxx

SOURCE = """\
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include "acl/acl.h"
#include "kernel_operator.h"

using namespace AscendC;

int chosen = 0;
int volatile zero = 0;
int* volatile nowhere = nullptr;
int Endless(int n) { int volatile here[64] = {n}; return zero == 1 ? n : Endless(n + 1) + here[zero]; }
__attribute__((noinline)) void Large() { char volatile large[4 << 20]; large[zero] = 1; }
__global__ __aicore__ void Other(GM_ADDR) {}

__global__ __aicore__ void Kernel(GM_ADDR gm)
{
    if ASCEND_IS_AIV {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 1024);
        LocalTensor<float> x = buffer.Get<float>();
        GlobalTensor<float> global;
        global.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(gm));
        if (GetBlockIdx() == 0) {
            Duplicate(x, 1.0f, 64);  // before
            switch (chosen) { KERNEL }
        }
        (void)global;
    }
}

int main(int, char** arguments)
{
    chosen = std::atoi(arguments[1]);
    int64_t blocks = 1;
    switch (chosen) { BLOCKS }
    switch (chosen) { BEFORE }
    uint8_t* gm = nullptr;
    if (aclrtMalloc(reinterpret_cast<void**>(&gm), 1024, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) { return 9; }
    aclrtMemset(gm, 1024, 0, 1024);
    Kernel<<<blocks, nullptr, nullptr>>>(gm);  // launch
    switch (chosen) { AFTER }
    return 0;
}
"""


@dataclass(frozen=True)
class Case:
    """Pieces of a program, the codes that it must be reported with, and words of the report."""

    codes: str
    words: str = ""
    kernel: str = ""
    blocks: str = ""
    after: str = ""
    before: str = ""
    timeout: float = 20


IN_KERNEL = {
    "exit": Case("EVT144", "exit on AIV 0", "std::exit(0);"),
    "exit of another status": Case("EVT144", "exit on AIV 0", "std::exit(3);"),
    "_exit": Case("EVT144", "nothing says how", "_exit(0);"),
    "quick_exit": Case("EVT144", "nothing says how", "std::quick_exit(0);"),
    "abort": Case("EVT075 EVT144", "SIGABRT on AIV 0", "std::abort();"),
    "terminate": Case("EVT075 EVT144", "SIGABRT on AIV 0", "std::terminate();"),
    "SIGKILL": Case("EVT075 EVT144", "was ended by SIGKILL", "raise(SIGKILL);"),
    "SIGTERM": Case("EVT075 EVT144", "SIGTERM on AIV 0", "raise(SIGTERM);"),
    "null pointer": Case("EVT075 EVT144", "SIGSEGV on AIV 0", "*nowhere = 1;"),
    "division by zero": Case("EVT075 EVT144", "SIGFPE on AIV 0", "nowhere += 100 / zero;"),
    "trap": Case("EVT075 EVT144", "on AIV 0", "__builtin_trap();"),
    "endless recursion": Case("EVT075 EVT144", "stack overflow on AIV 0", "Endless(0);"),
    "array larger than the stack": Case("EVT075 EVT144", "stack overflow on AIV 0", "Large();"),
    "endless loop": Case("EVT075 EVT144", "not done after 1 seconds", "for (;;) zero = 0;", timeout=1),
    "endless barriers": Case("EVT075 EVT144", "not done after", "for (;;) PipeBarrier<PIPE_ALL>();", timeout=2),
    "endless waits": Case("EVT132", "MTE2_V, id 3", "for (;;) WaitFlag<HardEvent::MTE2_V>(3);"),
    "endless output": Case("EVT075 EVT144", "64 MB of output", "for (;;) std::puts(__PRETTY_FUNCTION__);", timeout=60),
    "exception": Case("EVT145", "of its own", 'throw std::runtime_error("of its own");'),
    "exception of another kind": Case("EVT145", "not a std::exception", "throw 1;"),
    "launch": Case("EVT143", "from inside the kernel Kernel", "Other<<<1, nullptr, nullptr>>>(gm);"),
    "exit of a child": Case("", "", "if (fork() == 0) { std::exit(0); } wait(nullptr);"),
}
LAUNCHES = {
    "-1 blocks": Case("EVT143", "-1 blocks", blocks="blocks = -1;"),
    "no blocks": Case("EVT143", "0 blocks", blocks="blocks = 0;"),
    "10^6 blocks": Case("EVT143", "1000000 blocks", blocks="blocks = 1000000;"),
    "2^32 - 1 blocks": Case("EVT143", "4294967295 blocks", blocks="blocks = UINT32_MAX;"),
    "2^40 blocks": Case("EVT143", "1099511627776 blocks", blocks="blocks = int64_t{1} << 40;"),
}
COUNTS = {
    "-1": Case("EVT114", "count is negative", "Adds(x, x, 1.0f, -1);"),
    "smallest": Case("EVT114", "count is negative", "Adds(x, x, 1.0f, INT32_MIN);"),
    "largest": Case("EVT103", "of 196608", "Adds(x, x, 1.0f, INT32_MAX);"),
    "beyond the buffer": Case("EVT104 EVT119", "bytes 0 to 4095", "Duplicate(x, 1.0f, 1024);"),
    "-1 in a copy in": Case(
        "EVT102 EVT103 EVT113", "which has 1024", "DataCopy(x, global, static_cast<uint32_t>(-1));"
    ),
    "2^30 in a copy in": Case("EVT102 EVT103", "which has 1024", "DataCopy(x, global, 1u << 30);"),
    "2^30 in a copy out": Case("EVT102 EVT103", "which has 1024", "DataCopy(global, x, 1u << 30);"),
    "-1 repeats": Case("EVT114", "repeatTime", "WholeReduceSum(x, x, 64, -1, 1, 1, 8);"),
    "-1 as mask": Case("EVT114", "mask is more", "WholeReduceSum(x, x, -1, 1, 1, 1, 8);"),
}
ON_HOST = {
    "abort": Case("EVT075", "ended by SIGABRT after 1 launch, the last of Kernel at ", after="std::abort();"),
    "exception": Case("EVT075", "ended by SIGABRT after 1 launch", after="throw 1;"),
    "null pointer": Case("EVT075", "ended by SIGSEGV after 1 launch", after="*nowhere = 1;"),
    "endless recursion": Case("EVT075", "ended by SIGSEGV after 1 launch", after="Endless(0);"),
    "endless loop": Case("EVT075", "after 1 launch", after="for (;;) zero = 0;", timeout=1),
    "_exit before a launch": Case("EVT075", "without a report", before="_exit(0);"),
    "endless loop before a launch": Case("EVT075", "before its first launch", before="for (;;) zero = 0;", timeout=1),
    "device call, then _exit": Case("EVT142", "", after="PipeBarrier<PIPE_V>(); _exit(0);"),
    "exit": Case("", "", after="std::exit(0);"),
    "_exit": Case("", "", after="_exit(0);"),
    "another directory, no environment": Case("", "", before='if (chdir("/") == 0) { clearenv(); }'),
    "no descriptors": Case("", "", before="for (int i = 0; i < 64; ++i) { close(i); }"),
    "a child that stays": Case(
        "",
        "",
        after='int const child = fork(); if (child == 0) { for (;;) pause(); } std::printf("%d", child);',
    ),
}
CASES = {
    f"{group}: {name}": case
    for group, cases in {"kernel": IN_KERNEL, "launch": LAUNCHES, "count": COUNTS, "host": ON_HOST}.items()
    for name, case in cases.items()
}


STAYS = "host: a child that stays"

NAMES = list(CASES)


def line(mark: str) -> int:
    return next(number for number, text in enumerate(SOURCE.splitlines(), 1) if text.endswith(f"// {mark}"))


@dataclass(frozen=True)
class Hostile:
    """The program: its source, and a compiler that compiles it once."""

    file: Path
    compiler: Path

    def be(self, name: str) -> Outcome:
        """Run the program as one of the cases."""
        arguments = (str(NAMES.index(name)),)
        options = CpuOptions(cxx=str(self.compiler), timeout=CASES[name].timeout)
        return run(Program(self.file, arguments, capture=True, options=options))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Hostile:
    at = tmp_path_factory.mktemp("hostile")
    text = SOURCE
    for field in ("kernel", "blocks", "after", "before"):
        pieces = [f"case {number}: {{ {getattr(case, field)} }} break;" for number, case in enumerate(CASES.values())]
        text = text.replace(field.upper(), " ".join(pieces))
    (at / "hostile.cpp").write_text(text)
    compiler, kept = at / "compiler", at / "kept"
    kept.mkdir()
    real = shutil.which("g++") or shutil.which("clang++")
    compiler.write_text(COMPILER.format(real=real, kept=kept))
    compiler.chmod(0o755)
    return Hostile(at / "hostile.cpp", compiler)


COMPILER = """\
#!/bin/sh
for output; do :; done
case "$output" in
*_seen.ii | vector.o | program) test -f {kept}/"$output" || {{ {real} "$@" && cp "$output" {kept}; }} || exit
    cp {kept}/"$output" "$output" ;;
*) exec {real} "$@" ;;
esac
"""
"""The last argument of a command is its output."""


@pytest.mark.parametrize("name", [*CASES][:: 1 if FULL else 2])
def test_a_hostile_program_is_reported(hostile: Hostile, name: str) -> None:
    case = CASES[name]
    found = hostile.be(name)
    serious = [hazard for hazard in found.hazards if hazard["severity"] == "error"]
    codes = {hazard["code"] for hazard in serious} | {diagnostic.code for diagnostic in found.diagnostics}
    assert codes == set(case.codes.split()), (found.hazards, found.diagnostics, found.stderr)
    assert found.exit_status == int(bool(case.codes))
    report = "\n".join([*describe(found), *(diagnostic.message for diagnostic in found.diagnostics)])
    assert case.words in report, report
    for hazard in serious:
        assert hazard["code"] == "EVT142" or "hostile.cpp:" in report, report
    if "EVT144" in case.codes:
        assert f"{hostile.file}:{line('launch')}" in report
    if "AIV 0" in case.words:
        assert f"the last call before is Duplicate on V of AIV 0 at {hostile.file}:{line('before')}" in report
    if case.codes == "EVT075 EVT144":
        assert f" in the launch of Kernel at {hostile.file}:{line('launch')}" in report


def test_a_child_that_stays_is_ended(hostile: Hostile) -> None:
    found = hostile.be(STAYS)
    assert found.exit_status == 0
    assert gone(int(found.stdout))
