"""Operands of every layout and type, packed and with rows that lie apart, in one matmul and in several.

Products of every pair of layouts are computed in tests/device/layouts.cpp."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evtgen.check import check
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor
from evtgen.graph.types import LAYOUTS, ColumnMajor, RowMajor, bfloat16, float32, half, int8, int32, nZ, zN
from evtgen.nodes import AccLoad, AuxStore
from evtgen.planner.plan import lower
from evtgen.verify import Options, verify_plans

from ..support.right import right

SHAPES = ((131, 270, 300), (5, 33, 7))

GEMMS = (
    Gemm(half, half, layout_a=ColumnMajor, layout_b=nZ),
    Gemm(bfloat16, bfloat16, layout_a=zN, layout_b=RowMajor),
    Gemm(float32, float32, layout_a=nZ, layout_b=ColumnMajor),
    Gemm(int8, int8, layout_a=RowMajor, layout_b=zN),
    Gemm(half, half, layout_a=nZ, layout_b=zN, batch=True),
    Gemm(half, half, layout_a=ColumnMajor, layout_b=zN, group="m"),
)


def stored(name: str, gemm: Gemm, arch: str = "AtlasA2") -> Epilogue:
    """An epilogue that stores the accumulator as it is."""
    T = int32 if gemm.a == int8 else float32
    return Epilogue(name, TreeVisitor(AuxStore("D", T), AccLoad(T)), arch=arch, gemm=gemm)


PLANS = [lower(stored(f"layouts{index}", gemm)) for index, gemm in enumerate(GEMMS)]
OPTIONS = Options(together=len(PLANS), strict=True, shapes=SHAPES)


def test_each_layout_is_that_of_each_operand() -> None:
    assert {gemm.layout_a for gemm in GEMMS} == {gemm.layout_b for gemm in GEMMS} == set(LAYOUTS.values())
    assert {gemm.a for gemm in GEMMS[:4]} == {half, bfloat16, float32, int8}


@pytest.mark.parametrize("pad", [0, 19])
def test_operands(pad: int) -> None:
    right(verify_plans(PLANS, replace(OPTIONS, pad=pad)))


def test_groups_begin_anywhere() -> None:
    options = replace(OPTIONS, shapes=((44, 33, 40),), groups=(5, 0, 17, 22), pad=3)
    right(verify_plans(PLANS[-1:], options))


def test_no_group_begins_within_a_fractal() -> None:
    for layout in LAYOUTS.values():
        found = check(stored("e", replace(GEMMS[-1], layout_a=layout)))
        assert [d.code for d in found] == ["EVT180"] * layout.fractal


def test_ascend950() -> None:
    """Through GM, and through UB."""
    ways = (
        Gemm(int8, int8, layout_a=nZ, layout_b=ColumnMajor, handoff="ub"),
        Gemm(half, half, layout_a=ColumnMajor, layout_b=zN, handoff="gm"),
    )
    plans = [lower(stored(f"layouts{index}", gemm, "Ascend950")) for index, gemm in enumerate(ways)]
    right(verify_plans(plans, replace(OPTIONS, together=len(plans), pad=19)))
