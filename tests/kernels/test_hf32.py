"""HF32: the matrix unit rounds operands of float32 before it multiplies them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evtgen.emit.framework import Framework
from evtgen.emit.render import header_files
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor
from evtgen.graph.types import ColumnMajor, float32, nZ, zN
from evtgen.nodes import AccLoad, AuxStore
from evtgen.pipeline.run import Compiled, Reference
from evtgen.planner.plan import Plan, lower
from evtgen.reference.hf32 import hf32
from evtgen.report.verification import failures
from evtgen.targets import ARCHITECTURES
from evtgen.verify import Options, verify_plans

from ..support.cpp import write
from ..support.epilogues import random_orders

pytestmark = pytest.mark.cxx

HEADER = "catlass/gemm/block/block_mmad_hf32.hpp"
BITS = {"AtlasA2": 11, "Ascend950": 10}

GEMMS: tuple[dict[str, Any], ...] = (
    {},
    {"policy": "preload_async", "layout_a": nZ, "layout_b": zN},
    {"batch": True, "layout_b": ColumnMajor, "handoff": "gm"},
    {"group": "m", "policy": "preload_async"},
    {"group": "k"},
    {"split_k": 2},
)
"""Every kernel, both policies, and every kind of layout."""


def stored(name: str, arch: str, gemm: dict[str, Any]) -> Plan:
    """D = C, in blocks of 32 x 32."""
    small = Gemm(float32, float32, hf32=True, l1=(32, 32, 32), l0=(32, 32, 16))
    root = TreeVisitor(AuxStore("D", float32), AccLoad(float32))
    return lower(Epilogue(name, root, gemm=replace(small, **gemm), arch=arch))


@cache
def plans(arch: str) -> tuple[Plan, ...]:
    return tuple(stored(f"stored{number}", arch, gemm) for number, gemm in enumerate(GEMMS))


def values() -> np.ndarray[Any, np.dtype[np.float32]]:
    """Floats of every exponent, with halves between two numbers of HF32 and their neighbours; 64 x 64."""
    rng = np.random.default_rng(3)
    words = rng.integers(0, 1 << 32, 4096, dtype=np.uint32)
    halves = words[:2048] & np.uint32(0xFFFFF000) | np.uint32(0x1000 >> 1)
    words[:2048] = halves + rng.integers(0, 3, 2048).astype(np.uint32) - np.uint32(1)
    words[1024:2048] = words[1024:2048] & np.uint32(0xFFFFE000) | np.uint32(0x1000)
    found = words.view(np.float32)
    return np.where(np.abs(found) < 2.0**127, found, np.float32(1)).reshape(64, 64)


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_each_kernel_is_right(arch: str) -> None:
    results = verify_plans(
        plans(arch), Options(together=4, shapes=((87, 70, 120),), strict=True, schedules=random_orders(arch))
    )
    assert len(results) == 2 * len(GEMMS)
    assert all(one.ok and not one.hazards for one in results), [line for one in results for line in failures(one)]
    # The formula is of the operands as they are given.
    by_formula = [output.formula_error for one in results for output in one.outputs if one.data == "normal"]
    assert all(error is not None and error[0] > 1e-5 for error in by_formula)


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_each_operand_is_rounded_once(arch: str) -> None:
    """To the nearest number with so many bits of the mantissa, of two the even one, as numpy rounds to whole ones."""
    given, plan = values(), plans(arch)[0]
    _, exponent = np.frexp(given.astype(np.float64))
    exponent = np.maximum(exponent, -125)  # subnormals are as far apart as the smallest numbers above them
    steps = exponent - 1 - BITS[arch]
    expected = np.ldexp(np.rint(np.ldexp(given.astype(np.float64), -steps)), steps).astype(np.float32)
    assert (expected != given).mean() > 0.7
    assert (hf32(given, plan.arch.hf32_bits) == expected).all()
    unit = np.eye(64, dtype=np.float32)
    for run in (Compiled, Reference):
        assert (run(plan.written)(given, unit)["D"] == expected).all()
        assert (run(plan.written)(unit, given)["D"] == expected).all()


def test_a_kernel_that_sets_no_mode_is_wrong(tmp_path: Path) -> None:
    """So is one that rounds nothing, and one that leaves the mode behind is told so."""
    plan = plans("AtlasA2")[0]
    files = header_files([plan], Framework())
    for line, wrong in (("AscendC::SetHF32Mode(true);", True), ("AscendC::SetHF32Mode(false);", False)):
        assert files[HEADER].count(line) == 1
        write(tmp_path, {**files, HEADER: files[HEADER].replace(line, "")})
        (result,) = verify_plans([plan], Options(shapes=((40, 48, 64),), data="normal", headers=tmp_path))
        assert result.ok is not wrong
        assert [hazard["code"] for hazard in result.hazards] == ([] if wrong else ["EVT245"])
