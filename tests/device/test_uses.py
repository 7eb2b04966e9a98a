"""What no core used again is named: its order was not seen. What one core used again is not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evtgen.report.uses import not_again
from evtgen.report.verification import once
from evtgen.verify import Options, verify_plans

from ..support import seeds
from ..support.paths import CHECKOUT

PROGRAM = """
#include <acl/acl.h>
#include "kernel_operator.h"
using namespace AscendC;

__global__ __vector__ __aicore__ void twice(GM_ADDR x, GM_ADDR y, int32_t tiles)
{
    TPipe pipe;
    TQue<QuePosition::VECIN, 2> in;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, 256);
    pipe.InitBuffer(out, 1, 256);
    GlobalTensor<float> gx, gy;
    gx.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
    gy.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
    for (int32_t i = 0; i < tiles; ++i) {
        auto a = in.AllocTensor<float>();
        DataCopy(a, gx[i * 64], 64);
        in.EnQue(a);
        auto b = in.DeQue<float>();
        auto c = out.AllocTensor<float>();
        Adds(c, b, 1.0f, 64);
        out.EnQue(c);
        in.FreeTensor(b);
        auto d = out.DeQue<float>();
        DataCopy(gy[i * 64], d, 64);
        out.FreeTensor(d);
    }
}

int main(int argc, char** argv)
{
    int32_t const tiles = std::atoi(argv[1]);
    void *x, *y;
    aclrtMalloc(&x, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&y, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemset(x, 4096, 0, 4096);
    twice<<<1, nullptr, nullptr>>>(static_cast<uint8_t*>(x), static_cast<uint8_t*>(y), tiles);
    aclrtSynchronizeStream(nullptr);
    aclrtFree(x);
    aclrtFree(y);
}
"""


def cpu(path: Path, tiles: int, *options: str) -> subprocess.CompletedProcess[str]:
    path.write_text(PROGRAM)
    command = [sys.executable, "-m", "evtgen", "cpu", *options, str(path), "--", str(tiles)]
    return subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)


@pytest.mark.cxx
def test_buffers_and_flags_that_no_core_uses_again(tmp_path: Path) -> None:
    """Two buffers in, one out: the second tile uses that again, the third and the fourth the others."""
    once = {tiles: names(tmp_path, tiles) for tiles in (1, 2, 3, 4)}
    buffers = {tiles: [name for name in found if "buffer" in name] for tiles, found in once.items()}
    assert [len(buffers[tiles]) for tiles in (1, 2, 3, 4)] == [2, 2, 1, 0]
    assert any(name.startswith("flag MTE2_V") for name in once[1]) and once[4] == []
    said = cpu(tmp_path / "program.cpp", 1).stderr
    assert "no core used 6 of the buffers and flags again" in said and "--cores 1" in said
    assert "unchecked" not in cpu(tmp_path / "program.cpp", 4).stderr


def names(directory: Path, tiles: int) -> list[str]:
    done = cpu(directory / "program.cpp", tiles, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    uses: list[dict[str, Any]] = json.loads(done.stdout)["stats"]["uses"]
    assert all(use["kernel"] == "twice" and Path(use["first"]["file"]).name == "program.cpp" for use in uses)
    return [use["name"] for use in uses if not use["again"]]


def test_a_use_again_in_any_launch_counts() -> None:
    def use(name: str, again: int, kernel: str = "k") -> dict[str, Any]:
        return {"kernel": kernel, "name": name, "again": again, "first": {"call": "Add", "file": "a/b.h", "line": 3}}

    assert "used 1 of " in (text := not_again([use("x", 0), use("x", 1), use("y", 0)])) and text.endswith("(y)")
    assert "used 1 of " in (text := not_again([use("x", 0), use("x", 1, "other")])) and text.endswith("(x)")
    assert "used 6 of " in (text := not_again(use(str(number), 0) for number in range(6)))
    assert text.endswith("(0, 1, …)")
    assert not not_again([])


def test_the_default_shapes_use_everything_again() -> None:
    assert once(verify_plans([seeds.plan(seeds.ADD)], Options(data="int"))) == []
    found = verify_plans([seeds.plan(seeds.ADD)], Options(shapes=((40, 40, 40),), data="int"))
    (note,) = once(found)
    listed = found[0].to_json()["uses"]
    count = sum(not use["again"] for use in listed)
    assert note.startswith(f"note: {seeds.plan(seeds.ADD).name}: no core used {count} of the buffers and flags again")
    assert len({use["name"] for use in listed}) == len(listed) > count > 0
