"""Operands of int4, two elements in a byte: B widened by the vector cores (w4a8, w4a16), and both multiplied (w4a4)."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor
from evtgen.graph.types import ColumnMajor, bfloat16, float32, half, int4, int8, int32, zN
from evtgen.nodes import AccLoad, AuxStore, Compute
from evtgen.operators.arrays import packed, unpacked
from evtgen.pipeline.run import Compiled, Reference
from evtgen.planner.plan import Plan, lower
from evtgen.report.verification import failures
from evtgen.verify import Options, verify_plans

from ..support.epilogues import random_orders

SMALL: dict[str, Any] = {"l1": (64, 64, 64), "l0": (64, 64, 64)}

WIDENED = (
    Gemm(int8, int4),
    Gemm(int8, int4, layout_b=ColumnMajor, batch=True, zero_point=True),
    Gemm(half, int4),
    Gemm(bfloat16, int4, group="m", scale="column", zero_point=True),
    Gemm(half, int4, scale="group:32", zero_point=True),
    Gemm(bfloat16, int4, layout_b=ColumnMajor, batch=True, scale="group:64"),
)
MULTIPLIED = (
    Gemm(int4, int4),
    Gemm(int4, int4, layout_b=zN, batch=True),
    Gemm(int4, int4, layout_a=zN, layout_b=ColumnMajor, accumulators="halves"),
    Gemm(int4, int4, split_k=2, policy="preload_async"),
)


def stored(name: str, gemm: Gemm, arch: str = "AtlasA2") -> Plan:
    """D = C, in small blocks."""
    T = float32 if gemm.a in (half, bfloat16) else int32
    acc = AccLoad(T)
    both = acc if gemm.accumulators is None else TreeVisitor(Compute("Plus", T), acc, AccLoad(T, 1))
    root = TreeVisitor(AuxStore("D", T), both)
    return lower(Epilogue(name, root, gemm=replace(gemm, **SMALL), arch=arch))


@cache
def plans(arch: str) -> tuple[Plan, ...]:
    gemms = (*WIDENED, *MULTIPLIED) if arch == "AtlasA2" else WIDENED
    return tuple(stored(f"stored{number}", gemm, arch) for number, gemm in enumerate(gemms))


def test_two_elements_lie_in_a_byte_the_first_in_its_low_half() -> None:
    values = np.array([1, -2, 7, -8], ml_dtypes.int4)
    assert packed(values).tolist() == [0xE1, 0x87]
    assert unpacked(packed(values), int4).tolist() == values.tolist()


@pytest.mark.cxx
@pytest.mark.parametrize("arch", ["AtlasA2", "Ascend950"])
def test_it_is_right_in_any_order(arch: str) -> None:
    """Lines that end within a block of 32 bytes, with gaps and without, and longer than a tile. In one program they
    also have more tiles than there are buffers."""
    shapes = ((87, 198, 120), (1, 2, 2), (3, 2050, 18))
    options = Options(together=4, shapes=shapes, data="int", strict=True, schedules=random_orders(arch), pad=1)
    results = verify_plans(plans(arch), options)
    results += verify_plans(plans(arch)[:4], replace(options, shapes=((3, 4098, 18),)))
    assert len(results) == 3 * len(plans(arch)) + 4
    assert all(one.ok and not one.hazards for one in results), [line for one in results for line in failures(one)]


@pytest.mark.cxx
def test_each_product_of_int4_is_exact_packed_or_not() -> None:
    """All pairs of values, K a pair at a time."""
    a, b = (np.arange(256) // 16 - 8).reshape(16, 16), (np.arange(256) % 16 - 8).reshape(16, 16)
    wanted = a @ b
    first, second = (array.astype(ml_dtypes.int4) for array in (a, b))
    given = (first, second), (packed(first).reshape(16, 8), packed(second).reshape(16, 8)), (a, b)
    for run in (Compiled, Reference):
        of = run(plans("AtlasA2")[len(WIDENED)].written)
        for one, other in given:
            assert (of(one, other)["D"] == wanted).all()


@pytest.mark.fast
def test_an_odd_line_is_refused() -> None:
    plan = plans("AtlasA2")[0]
    with pytest.raises(EvtgenError, match="EVT286"):
        verify_plans([plan], Options(shapes=((8, 5, 8),)))
    with pytest.raises(EvtgenError, match="EVT286"):
        Reference(plan.written)(np.zeros((4, 4), np.int8), np.zeros((4, 3), np.int8))
