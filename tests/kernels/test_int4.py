"""Operands of int4, two elements in a byte: B widened by the vector cores (w4a8, w4a16), both multiplied (w4a4), or A
in digits of int4 (w4a8 with ``msd``)."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import evtgen as evt
from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.emit.framework import Framework
from evtgen.emit.render import header_files
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor
from evtgen.graph.types import ColumnMajor, bfloat16, float32, half, int4, int8, int32, nZ, zN
from evtgen.nodes import AccLoad, AStatistic, AuxStore, Cast, ColReduced, Compute, RowReduced
from evtgen.operators.arrays import packed, unpacked
from evtgen.pipeline.run import Compiled, Reference
from evtgen.planner.plan import Plan, lower, require_sides
from evtgen.report.verification import failures
from evtgen.verify import Options, verify_plans

from ..support.cpp import write
from ..support.epilogues import FULL, random_orders
from ..support.said import refused
from ..support.wide import in_orders

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
DIGITS = (
    Gemm(int8, int4, msd=True),
    Gemm(int8, int4, msd=True, layout_b=zN, batch=True, policy="preload_async"),
    Gemm(int8, int4, msd=True, layout_b=ColumnMajor, group="m", weights="pointers", weight_index=True),
    Gemm(int8, int4, msd=True, layout_b=nZ, workspace_stages=0),
)
"""In every kernel that takes them, with every layout of B."""


def stored(name: str, gemm: Gemm, arch: str = "AtlasA2") -> Plan:
    """D = C, in small blocks."""
    T = float32 if gemm.a in (half, bfloat16) else int32
    acc = AccLoad(T)
    both = acc if gemm.accumulators is None else TreeVisitor(Compute("Plus", T), acc, AccLoad(T, 1))
    root = TreeVisitor(AuxStore("D", T), both)
    return lower(Epilogue(name, root, gemm=replace(gemm, **SMALL), arch=arch))


@cache
def plans(arch: str) -> tuple[Plan, ...]:
    gemms = (*WIDENED, *MULTIPLIED, *DIGITS) if arch == "AtlasA2" else WIDENED
    each = [stored(f"stored{number}", gemm, arch) for number, gemm in enumerate(gemms)]
    return (*each, *(digits_in_phases() if arch == "AtlasA2" else ()))


def digits_in_phases() -> list[Plan]:
    """C less its columns' sums in a fixed order, in two phases, and C less its rows' largest, by whole rows in the
    workspace; beside the sums of the rows of A."""
    acc = TreeVisitor(Cast(float32, int32, "CAST_RINT"), AccLoad(int32))
    columns = TreeVisitor(Compute("Minus", float32), acc, TreeVisitor(RowReduced("Plus", float32), acc))
    rows = TreeVisitor(Compute("Minus", float32), acc, TreeVisitor(ColReduced("Maximum", float32), acc))
    sums = TreeVisitor(Compute("Plus", float32), rows, AStatistic("a_sum"))
    gemm = Gemm(int8, int4, msd=True, **SMALL)
    epilogues = {"columns": (columns, gemm), "rows": (sums, replace(gemm, workspace_stages=0))}
    return [
        lower(Epilogue(name, TreeVisitor(AuxStore("D", float32), root), gemm=gemm, deterministic=name == "columns"))
        for name, (root, gemm) in epilogues.items()
    ]


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
    orders = random_orders(arch)
    options = Options(together=4, shapes=shapes, data="int", strict=True, schedules=orders, pad=1)
    results = in_orders(plans(arch), options)
    results += verify_plans(plans(arch)[:4], replace(options, shapes=((3, 4098, 18),), schedules=orders if FULL else 0))
    assert len(results) == 3 * len(plans(arch)) + 4
    if arch == "Ascend950":  # places in L1 are filled several times
        results += verify_plans(plans(arch)[:4], replace(options, shapes=((65, 70, 230),), schedules=max(orders, 1)))
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


@pytest.mark.cxx
def test_each_product_of_int8_by_int4_in_digits_is_exact() -> None:
    """Each of the 256 values beside each of the 16, and sums of the largest that there are."""
    each = np.zeros((256, 2), np.int8), np.zeros((2, 16), np.int8)
    each[0][:, 0], each[1][0] = np.arange(-128, 128), np.arange(-8, 8)
    least = np.full((5, 4096), -128, np.int8), np.full((4096, 64), -8, np.int8)
    for a, b in each, least, (~least[0], least[1]):
        wanted = a.astype(np.int64) @ b.astype(np.int64)
        for run in (Compiled, Reference):
            of = run(plans("AtlasA2")[len(WIDENED) + len(MULTIPLIED)].written)
            assert (of(a, b.astype(ml_dtypes.int4))["D"] == wanted).all()


@pytest.mark.cxx
def test_a_dispatch_takes_digits_for_few_rows() -> None:
    """Both kernels give the product; only that of digits refuses an odd K."""
    called, rng = evt.compile(evt.Dispatch(plans("AtlasA2")[0].written, {64: {"msd": True}})), np.random.default_rng(7)

    def right(m: int, k: int) -> bool:
        a, b = rng.integers(-128, 128, (m, k)).astype(np.int8), rng.integers(-8, 8, (k, 70)).astype(ml_dtypes.int4)
        return bool((called(a, b)["D"] == a.astype(np.int32) @ b.astype(np.int32)).all())

    assert right(64, 130) and right(65, 130) and right(65, 5)
    with refused("EVT286"):
        right(64, 5)


@pytest.mark.cxx
def test_no_matmul_begins_before_all_digits_are_there(tmp_path: Path) -> None:
    """A cube core that does not wait for them reads what is not there yet; and where it waits for its own vector cores
    alone, what others have not stored."""
    plan = plans("AtlasA2")[len(WIDENED) + len(MULTIPLIED)]
    files = header_files([plan], Framework())
    meeting = r"AscendC::CrossCoreSetFlag<SYNC_MODE_ALL, PIPE_MTE3>\((\w+)\);\s*AscendC::CrossCoreWaitFlag\(\1\);"
    for name, wait in ("visitor_kernel.hpp", r"AwaitAivs\(awaited, 1\);"), ("visitor_widening.hpp", meeting):
        path = f"catlass/gemm/kernel/{name}"
        text, count = re.subn(wait, "", files[path])
        assert count == 1
        write(tmp_path / name, {**files, path: text})
        options = Options(shapes=((87, 198, 1200),), data="int", headers=tmp_path / name)
        (result,) = verify_plans([plan], options)
        races = [hazard for hazard in result.hazards if hazard["severity"] == "error"]
        assert not result.ok and any({site["pipe"] for site in race["sites"]} == {"FIX", "MTE3"} for race in races)


@pytest.mark.fast
def test_an_odd_line_is_refused() -> None:
    """Of digits it is that of A."""
    plan = plans("AtlasA2")[0]
    with pytest.raises(EvtgenError, match="EVT286"):
        verify_plans([plan], Options(shapes=((8, 5, 8),)))
    require_sides(plan, [(4, 5)])
    with pytest.raises(EvtgenError, match="EVT286"):
        require_sides(plans("AtlasA2")[len(WIDENED) + len(MULTIPLIED)], [(4, 5)])
    with pytest.raises(EvtgenError, match="EVT286"):
        Reference(plan.written)(np.zeros((4, 4), np.int8), np.zeros((4, 3), np.int8))
