"""Accesses through pointers of a foreign program are checked as those of tensors are. So is its stack, and so is the
host, which must not touch what its streams use."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evtgen.options import CpuOptions
from evtgen.pipeline.program import Program, run

from ..support.cpp import compilers

pytestmark = pytest.mark.cxx

SOURCE = """\
#include <cstdio>
#include <vector>
#include "acl/acl.h"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t kCount = 256;
typedef float Wide __attribute__((vector_size(32), aligned(4)));  // clang++ turns structures into memcpy
using K = HardEvent;

struct Tile {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    LocalTensor<float> x;
    GlobalTensor<float> gm;
    explicit Tile(GM_ADDR at)
    {
        pipe.InitBuffer(buffer, kCount * 4);
        x = buffer.Get<float>();
        gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(at));
    }
    __ubuf__ float* Ub() { return reinterpret_cast<__ubuf__ float*>(x.GetPhyAddr()); }
};
template <HardEvent event> void Sync() { SetFlag<event>(0); WaitFlag<event>(0); }
#define KERNEL(name) extern "C" __global__ __vector__ void name(GM_ADDR at)

KERNEL(reads_gm_within) { float last = reinterpret_cast<__gm__ float*>(at)[kCount - 1]; if (last == 3) Tile t(at); }
KERNEL(reads_gm_beyond) {
    float beyond = reinterpret_cast<__gm__ float*>(at)[kCount];  // EVT102
    if (beyond == 3) Tile t(at);
}
KERNEL(writes_gm_beyond) {
    reinterpret_cast<__gm__ float*>(at)[kCount] = 1;  // EVT102
    PipeBarrier<PIPE_ALL>();
}
KERNEL(writes_wide_over_the_end) {
    *reinterpret_cast<__gm__ Wide*>(at + kCount * 4 - 16) = Wide{};  // EVT102
    PipeBarrier<PIPE_ALL>();
}
KERNEL(reads_ub_in_order) {
    Tile t(at);
    Duplicate(t.x, 1.0f, kCount);
    Sync<K::V_S>();
    float first = t.Ub()[0];
    if (first == 3) PipeBarrier<PIPE_V>();
}
KERNEL(reads_ub_early) {
    Tile t(at);
    Duplicate(t.x, 1.0f, kCount);  // EVT120
    float first = t.Ub()[0];  // EVT120
    if (first == 3) PipeBarrier<PIPE_V>();
}
KERNEL(writes_ub_wide_in_order) {
    Tile t(at);
    *reinterpret_cast<__ubuf__ Wide*>(t.Ub()) = Wide{};
    Sync<K::S_V>();
    Adds(t.x, t.x, 1.0f, 8);
}
KERNEL(writes_ub_wide_early) {
    Tile t(at);
    *reinterpret_cast<__ubuf__ Wide*>(t.Ub()) = Wide{};  // EVT120 EVT122
    Adds(t.x, t.x, 1.0f, 8);  // EVT120 EVT122
}
KERNEL(writes_beyond_ub) {
    Tile t(at);
    t.Ub()[192 * 256 + 3] = 1;  // EVT103
    PipeBarrier<PIPE_ALL>();
}
KERNEL(array_that_fits) {
    float volatile array[6000];
    for (uint32_t i = 0; i < 6000; ++i) array[i] = i;
    if (array[7] == 3) Tile t(at);
}
KERNEL(array_larger_than_the_stack) {
    float volatile array[9000];
    for (uint32_t i = 0; i < 9000; ++i) array[i] = i;  // EVT244
    if (array[7] == 3) Tile t(at);
}

int main()
{
    float volatile large[20000];  // the host's stack is another
    for (uint32_t i = 0; i < 20000; ++i) large[i] = 0;
    std::vector<float> host(kCount, static_cast<float>(large[7]));
    void* gm = nullptr;
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    aclrtMalloc(&gm, kCount * 4, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(gm, kCount * 4, host.data(), kCount * 4, ACL_MEMCPY_HOST_TO_DEVICE);
    GM_ADDR const at = static_cast<GM_ADDR>(gm);
    LAUNCHES
    aclrtMemcpyAsync(host.data(), kCount * 4, gm, kCount * 4, ACL_MEMCPY_DEVICE_TO_HOST, stream);  // EVT242
    float const early = host[5];  // EVT242
    aclrtMemcpyAsync(host.data(), kCount * 4, gm, kCount * 4, ACL_MEMCPY_DEVICE_TO_HOST, stream);
    aclrtSynchronizeStream(stream);
    std::printf("%g", early + host[6]);
}
"""


@pytest.mark.parametrize("cxx", compilers())
def test_pointers_the_stack_and_the_host(tmp_path: Path, cxx: str) -> None:
    kernels = re.findall(r"^KERNEL\((\w+)\)", SOURCE, re.M)
    launches = " ".join(f"{kernel}<<<1, nullptr, stream>>>(at);" for kernel in kernels)
    text = SOURCE.replace("LAUNCHES", launches)
    (tmp_path / "pointers.cpp").write_text(text)
    found = run(Program(tmp_path / "pointers.cpp", capture=True, options=CpuOptions(cxx=cxx)))
    assert found.diagnostics == ()
    places = {
        (hazard["code"], Path(site["file"]).name, site["line"])
        for hazard in found.hazards if hazard["severity"] == "error"
        for site in hazard["sites"]
    }  # fmt: skip
    wanted = {
        (code, "pointers.cpp", number)
        for number, line in enumerate(text.splitlines(), 1)
        for code in line.partition("//")[2].split() if code.startswith("EVT")
    }  # fmt: skip
    assert places == wanted, found.hazards
