"""Entries that make a kernel's parameters on the device: as code of a device and of a host, and on the CPU model."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evtgen import Acc, RowVector, epilogue, float32, half, int8, ops
from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.graph.ir import Gemm
from evtgen.measure import device_clang as clang
from evtgen.measure.device_program import device_program
from evtgen.model.compiler import CompileFailure
from evtgen.model.programs import Sources
from evtgen.model.roots import include_roots
from evtgen.planner.plan import lower

from ..support.command import run
from ..support.paths import CHECKOUT


@epilogue
def biased(acc: Acc[half], bias: RowVector[half]) -> Any:
    return {"D": ops.relu(acc + bias)}


@epilogue
def summed(acc: Acc[half], bias: RowVector[half]) -> Any:
    d = ops.relu(acc + bias)
    return {"D": d, "total": ops.scalar_reduce(d.cast(float32), "add")}


GEMMS = {
    "batched": Gemm(batch=True),
    "grouped": Gemm(group="m"),
    "split": Gemm(split_k=2),
    "weights": Gemm(a=half, b=int8),
}
PLANS = [
    lower(biased),
    *(lower(replace(summed, name=name, gemm=gemm, deterministic=True)) for name, gemm in GEMMS.items()),
]
HEADERS = dict(framework_files(Framework()))
for plan in PLANS:
    HEADERS |= epilogue_files(plan, Framework())

PAGE = (CHECKOUT / "docs" / "kernels.md").read_text(encoding="utf-8")
SHOWN = next(text for text in re.findall(r"```cpp\n(.*?)```", PAGE, re.DOTALL) if "BiasedMatmul" in text)
PROGRAM = SHOWN + Path(__file__).with_name("entries.cpp").read_text(encoding="utf-8")


def written(root: Path, headers: dict[str, str]) -> Path:
    for path, text in headers.items():
        (root / "include" / path).parent.mkdir(parents=True, exist_ok=True)
        (root / "include" / path).write_text(text, encoding="utf-8")
    return root


def refused(root: Path, program: str, headers: dict[str, str], device: bool) -> list[str]:
    """What clang++ says of a program, in its pass for the device or that for the host; __gm__ is an address space."""
    compiler = clang.find_clang(None)
    if compiler is None:
        pytest.skip("clang++ is not installed")
    given = Sources(headers, [], include_roots(None), None, [])
    # clang++ takes one of the two words in front of a kernel
    text = device_program({}, given) + "#undef __aicore__\n#define __aicore__\n#define ENTRIES_ALONE\n" + program
    (written(root, headers) / "entries.cpp").write_text(text, encoding="utf-8")
    roots = ["-I", "include", *(part for path in given.system for part in ("-isystem", str(path)))]
    try:
        clang.as_device(
            compiler, ["-DCATLASS_ARCH=2201", *clang.FLAGS, *roots, "-fsyntax-only", "entries.cpp"], root, device=device
        )
    except CompileFailure as failure:
        return [complaint.text for complaint in clang.complaints(str(failure))] or [str(failure)]
    return []


@pytest.mark.parametrize("device", [True, False], ids=["device", "host"])
def test_both_passes_compile_with_an_address_space(tmp_path: Path, device: bool) -> None:
    assert refused(tmp_path, PROGRAM, HEADERS, device) == []


@pytest.mark.parametrize("device", [True, False], ids=["device", "host"])
def test_a_pointer_of_the_host_is_none_of_the_device(tmp_path: Path, device: bool) -> None:
    for old in ("GM_ADDR workspace)\n{", "GM_ADDR total, uint32_t m, uint32_t n)\n{"):
        assert PROGRAM.count(old) == 1
        program = PROGRAM.replace(old, old.replace("GM_ADDR", "uint8_t*", 1))
        assert refused(tmp_path, program, HEADERS, device), old


def test_the_entries_compute_what_they_must(tmp_path: Path) -> None:
    program = written(tmp_path, HEADERS) / "entries.cpp"
    program.write_text(PROGRAM, encoding="utf-8")
    done = run("cpu", program, "-I", tmp_path / "include", "--strict", "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert {(known["kind"], known["source"]) for known in found["kinds"]} == {("mix", "derived")}
    assert found["stdout"].splitlines() == [f"{plan.name} is right" for plan in PLANS], found
    assert (done.returncode, found["hazards"], found["launches"]) == (0, [], len(PLANS)), found
