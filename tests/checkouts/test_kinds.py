"""The kind of core of a foreign kernel, and the pass of the compiler for each kind."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from evtgen.model.passes import _CALLS

from ..support.command import run
from ..support.cpp import compilers
from ..support.paths import DEVICE

pytestmark = pytest.mark.cxx

MAIN = """\
#include "acl/acl.h"
#include "kernel_operator.h"
#include <cstdio>

__global__ __aicore__ __mix__(1, 2) void Which(GM_ADDR gm)
{
    AscendC::GlobalTensor<int32_t> out;
    out.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(gm));
#ifdef __DAV_CUBE__
    if (block_idx == 1) {
        out.SetValue(0, __CCE_AICORE__ + g_coreType);
    }
#elif defined(__DAV_VEC__)
    if (get_block_idx() == 1 && get_subblockid() == 1) {
        out.SetValue(16, __NPU_ARCH__ + g_coreType);
    }
#endif
}

#define KERNEL(NAME, SAID)                                                                                         \\
    __global__ __aicore__ void NAME(GM_ADDR gm)                                                                    \\
    {                                                                                                              \\
        SAID;                                                                                                      \\
        AscendC::GlobalTensor<int32_t> out;                                                                        \\
        out.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(gm));                                                \\
        if (g_coreType == AscendC::AIV && AscendC::GetBlockIdx() == 1) {                                             \\
            out.SetValue(32, AscendC::GetSubBlockNum() + offset);                                                  \\
        }                                                                                                          \\
    }
constexpr int offset = 5;
#include "made.hpp"
#define START(NAME, ...) NAME<<<2, nullptr, stream>>>(__VA_ARGS__)

uint8_t* device = nullptr;

int main()
{
    aclrtStream stream{nullptr};
    aclrtMalloc(reinterpret_cast<void**>(&device), 1024, ACL_MEM_MALLOC_HUGE_FIRST);
    int32_t host[64] = {};
    aclrtMemcpy(device, 256, host, 256, ACL_MEMCPY_HOST_TO_DEVICE);
    Which<<<2, nullptr, stream>>>(device);
    START(Made, device);
    aclrtSynchronizeStream(stream);
    aclrtMemcpy(host, 256, device, 256, ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf("%d %d %d\\n", host[0], host[16], host[32]);
}
"""


def ran(at: Path, made: str, *options: str) -> dict[str, Any]:
    (at / "made.hpp").write_text(f"{made}\n")
    (at / "which.asc").write_text(MAIN)
    done = run("cpu", "which.asc", "--json", *options, cwd=at)
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("cxx", compilers())
def test_each_kind_of_core_runs_the_code_of_its_pass(tmp_path: Path, cxx: str) -> None:
    found = ran(tmp_path, "KERNEL(Made, KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY))", "--cxx", cxx)
    assert found["stdout"] == f"{220 + 1} {2201 + 2} 6\n", found
    assert found["kinds"] == [
        {"kernel": "Which", "kind": "mix", "source": "declared"},
        {"kernel": "Made", "kind": "vector", "source": "declared"},
    ]
    assert found["hazards"] == []


VECTOR = """\
__global__ __aicore__ void Made(GM_ADDR gm)
{
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    auto const local = buffer.Get<float>();
    AscendC::Duplicate(local, 1.0f, 64);
    KERNEL_BODY
}
"""


@pytest.mark.parametrize(
    ("made", "options", "kind", "source", "printed"),
    [
        ("KERNEL(Made, (void)0)", (), "vector", "derived", "6"),
        ("KERNEL(Made, (void)0)", ("--kind", "mix"), "mix", "given", "7"),
        ("#define __other__ __vector__\n__other__ KERNEL(Made, (void)0)", (), "vector", "declared", "6"),
        (VECTOR.replace("KERNEL_BODY", ""), (), "vector", "derived", "0"),
        (VECTOR.replace("KERNEL_BODY", "if ASCEND_IS_AIC { return; }"), (), "vector", "derived", "0"),
    ],
)
def test_the_kind_is_what_the_kernel_says_else_what_its_calls_say(
    tmp_path: Path, made: str, options: tuple[str, ...], kind: str, source: str, printed: str
) -> None:
    found = ran(tmp_path, made, *options)
    assert found["kinds"][1] == {"kernel": "Made", "kind": kind, "source": source}
    assert found["stdout"].split()[-1:] == [printed] and found["hazards"] == [], found


def test_a_derived_kind_is_printed(tmp_path: Path) -> None:
    ran(tmp_path, "KERNEL(Made, (void)0)")
    said = run("cpu", "which.asc", cwd=tmp_path).stderr
    assert "by its calls Made runs on vector cores" in said and "Which runs" not in said


def test_every_call_of_the_vector_unit_is_one_that_kinds_are_derived_from() -> None:
    """The machine's functions that record work of V, against the table that kinds are read from."""
    headers = ("vector", "reduce", "select", "sort", "gather", "transpose")
    text = "".join((DEVICE / "machine" / f"{name}.hpp").read_text() for name in headers)
    recorded = set(re.findall(r"^void (Record\w+)\(", text, re.MULTILINE))
    known = {name for name in recorded if _CALLS["vector"].search(f"_ZN7machine{len(name)}{name}E")}
    assert recorded and known == recorded
    assert re.search(r"\bKeepBlock\(", (DEVICE / "machine" / "keep.hpp").read_text())
