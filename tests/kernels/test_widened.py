"""Weights of int8: vector cores widen B to the type of A, while the cube cores multiply what is already widened."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evtgen.emit.framework import Framework
from evtgen.emit.render import header_files
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor
from evtgen.graph.shapes import Problem
from evtgen.graph.types import ColumnMajor, RowMajor, bfloat16, float8_e4m3fn, float8_e5m2, float32, half, int8
from evtgen.model.data import operands
from evtgen.model.execution import Prepared, Settings
from evtgen.model.programs import Compilation, require_programs
from evtgen.model.toolchain import Program
from evtgen.nodes import AccLoad, AuxStore, Compute, RowReduced
from evtgen.operators.arrays import dtype
from evtgen.pipeline.run import Compiled, Reference
from evtgen.planner.plan import Plan, lower
from evtgen.report.verification import failures
from evtgen.verify import Options, verify_plans

from ..support.cpp import write
from ..support.epilogues import FULL, random_orders
from ..support.wide import in_orders

pytestmark = pytest.mark.cxx

KERNEL = "catlass/gemm/kernel/visitor_widening.hpp"
ARCHES = ("AtlasA2", "Ascend950")
SMALL: dict[str, Any] = {"l1": (32, 32, 32), "l0": (32, 32, 16)}

EXACT = (
    Gemm(half, int8),
    Gemm(bfloat16, int8),
    Gemm(half, int8, layout_b=ColumnMajor),
    Gemm(half, float8_e4m3fn),
    Gemm(bfloat16, float8_e4m3fn, layout_b=ColumnMajor),
    Gemm(bfloat16, float8_e5m2),
)
"""Every type that B is widened from and to, and both ways that it may lie."""

SCALED = (
    Gemm(half, int8, scale="column", zero_point=True),
    Gemm(half, int8, layout_b=ColumnMajor, group="m", group_list="counts", scale="column"),
    Gemm(bfloat16, int8, group="m", scale="column", zero_point=True),
    Gemm(bfloat16, int8, layout_b=ColumnMajor, batch=True, scale="column", zero_point=True),
    Gemm(half, int8, batch=True),
    Gemm(half, int8, split_k=2, zero_point=True),
    Gemm(half, int8, scale="group:32", zero_point=True),
    Gemm(half, int8, layout_b=ColumnMajor, scale="group:64", split_k=2),
    Gemm(bfloat16, int8, layout_b=ColumnMajor, group="m", scale="group:32", zero_point=True),
    Gemm(bfloat16, float8_e4m3fn, batch=True, scale="block:64x96", zero_point=True),
    Gemm(half, int8, layout_b=ColumnMajor, group="m", scale="block:96x32"),
)
"""With scales and zero points of columns, groups and blocks, in every kernel."""


def stored(name: str, gemm: Gemm, arch: str) -> Plan:
    """D = C, in blocks of 32 x 32."""
    root = TreeVisitor(AuxStore("D", float32), AccLoad(float32))
    return lower(Epilogue(name, root, gemm=replace(gemm, **SMALL), arch=arch))


@cache
def plans(arch: str) -> tuple[Plan, ...]:
    """All of these, and how far C is from its columns' largest, in two phases; on Ascend950 also C in one place in UB,
    in one in GM, for which a cube core waits before it begins a block, and a B that is not written to L1."""
    each: list[Plan] = [stored(f"stored{number}", gemm, arch) for number, gemm in enumerate((*EXACT, *SCALED))]
    acc = AccLoad(float32)
    off = TreeVisitor(Compute("Minus", float32), acc, TreeVisitor(RowReduced("Maximum", float32), acc))
    gemm = Gemm(half, int8, scale="column", **SMALL)
    phases = Epilogue("phases", TreeVisitor(AuxStore("D", float32), off), gemm=gemm, arch=arch)
    each.append(lower(phases))
    if arch == "AtlasA2":
        return tuple(each)
    ways = {"in_ub": ("ub", 1, "pingpong"), "one_place": ("gm", 1, "pingpong"), "ahead": ("gm", None, "preload_async")}
    more = (
        stored(name, Gemm(half, int8, handoff=handoff, workspace_stages=stages, policy=policy), arch)
        for name, (handoff, stages, policy) in ways.items()
    )
    return (*each, *more)


@cache
def programs(arch: str) -> dict[str, Program]:
    return require_programs(plans(arch), Compilation(batch=4))


@pytest.mark.parametrize("arch", ARCHES)
def test_it_is_right_in_any_order(arch: str) -> None:
    """More rows of B than vector cores, and fewer; rows longer than a tile, and shorter than a block of 32 bytes. One
    row of blocks, for which B goes through a ring several times, and several. In one program, which also has slices of
    K without a ring, rows have seven tiles, more than there are buffers. A matmul that begins too soon is seen in the
    recorded order."""
    shapes = ((87, 198, 120), (1, 1, 1), (3, 2051, 100))
    options = Options(together=4, shapes=shapes, data="int", strict=True, schedules=random_orders(arch))
    results = in_orders(plans(arch), options)
    results += verify_plans(
        plans(arch)[8:12], replace(options, shapes=((3, 6147, 40),), schedules=random_orders(arch) if FULL else 0)
    )
    assert len(results) == 3 * len(plans(arch)) + 4
    if arch == "Ascend950":  # places in L1 are filled several times
        orders = max(options.schedules, 1)
        results += verify_plans(plans(arch)[4:8], replace(options, shapes=((33, 70, 230),), schedules=orders))
    assert all(one.ok and not one.hazards for one in results), [line for one in results for line in failures(one)]


@pytest.mark.parametrize(
    ("cores", "arch"),
    [(cores, arch) for arch in ARCHES for cores in (1, 2, 24) if FULL or arch == "AtlasA2" or cores != 2],
)
def test_every_weight_is_cast_exactly(arch: str, cores: int) -> None:
    """Each code of a type, times one, as numpy and ml_dtypes read it; NaN and infinities too. And whole numbers in a
    ring, of which the cores of a launch take as many columns as they are."""
    rng = np.random.default_rng(7)
    for plan in plans(arch)[: len(EXACT)]:
        every = np.arange(256, dtype=np.uint8).view(dtype(plan.operands[1])).reshape(1, 256), np.ones((1, 1))
        some = rng.integers(-4, 4, (300, 230)).astype(dtype(plan.operands[1])), rng.integers(-4, 4, (5, 300))
        for b, a in every, some:
            shape = (a.shape[0], b.shape[1], a.shape[1])
            given = replace(operands(plan, shape, seed=1, data="int"), a=a.astype(dtype(plan.operands[0])), b=b)
            with Prepared(plan, shape, given) as prepared:
                done = prepared.run(programs(arch)[plan.name], Settings(strict=True, cores=cores))
            assert (done.error, done.report["hazards"]) == (None, [])
            product = b.astype(np.float32) if a.size == 1 else a @ b.astype(np.int64)
            np.testing.assert_array_equal(done.outputs["D"], product)


@pytest.mark.parametrize("arch", ARCHES)
def test_weights_are_rounded_once_behind_scale_and_zero_point(arch: str) -> None:
    """Each value of int8 less a zero point, times a scale, as numpy rounds in the type that it is computed in."""
    plan = plans(arch)[len(EXACT)]
    rng = np.random.default_rng(5)
    b = rng.integers(-128, 128, (64, 48)).astype(np.int8)
    zero, scale = (rng.standard_normal((1, 48)).astype(np.float16) for _ in range(2))
    inputs = {"b_zero": zero, "b_scale": scale}
    for run in (Compiled, Reference):
        got = run(plan.written)(np.eye(64, dtype=np.float16), b, **inputs)["D"]
        assert (got == ((b.astype(np.float16) - zero) * scale).astype(np.float32)).all()


def repeated(values: Any, scale: str, k: int, n: int) -> Any:
    """Values of groups or blocks as a matrix, K x N."""
    rows, columns = (int(side) for side in f"{scale.partition(':')[2]}x1".split("x")[:2])
    return np.repeat(np.repeat(values, rows, axis=0), columns, axis=1)[:k, :n].astype(np.float32)


@pytest.mark.parametrize("number", [len(EXACT) + place for place in (6, 7, 8, 10)])
def test_groups_and_blocks_have_scales_of_their_own(number: int) -> None:
    """As numpy rounds in the type that they are computed in; the last group is smaller."""
    plan, k, n = plans("AtlasA2")[number], 150, 70
    rng = np.random.default_rng(7)
    inputs = {}
    for tensor in plan.tensors[:-1]:
        values = rng.standard_normal(tuple(tensor.sizes(n, k).values())).astype(dtype(tensor.element))
        inputs[tensor.name] = values
    b = rng.integers(-128, 128, (k, n)).astype(np.int8)
    a_type = plan.operands[0]
    narrow = np.float16 if {half} == {a_type, *(tensor.element for tensor in plan.tensors[:-1])} else np.float32
    wide = b.astype(narrow)
    for name, apply in (("b_zero", np.subtract), ("b_scale", np.multiply)):
        if name in inputs:
            wide = apply(wide, repeated(inputs[name], str(plan.gemm.scale), k, n).astype(narrow))
    wide = wide.astype(dtype(a_type)).astype(np.float32)
    given = {"groups": [k]} if plan.gemm.group else {}
    b = b if plan.gemm.layout_b == RowMajor else np.asfortranarray(b)
    for run in (Compiled, Reference):
        got = run(plan.written)(np.eye(k, dtype=dtype(a_type)), b, **inputs, **given)["D"]
        assert (got == wide).all()


def test_the_formula_has_the_weights_that_are_multiplied() -> None:
    """They are rounded to the type of A, which a result in float32 shows."""
    plan = plans("AtlasA2")[len(EXACT) + 3]
    (result,) = verify_plans([plan], Options(shapes=((33, 40, 17),), data="normal", strict=True))
    assert result.ok, failures(result)


def test_groups_may_share_their_weights_but_not_their_scales() -> None:
    plan = plans("AtlasA2")[len(EXACT) + 1]
    rng = np.random.default_rng(6)
    a = rng.integers(-3, 4, (9, 40)).astype(np.float16)
    b, scale = rng.integers(-3, 4, (40, 24)).astype(np.int8), rng.integers(1, 4, (3, 24)).astype(np.float16)
    for run in (Compiled, Reference):
        got = run(plan.written)(a, np.asfortranarray(b), b_scale=scale, groups=[4, 0, 5])["D"]
        assert (got[:4] == a[:4].astype(np.float32) @ (b * scale[0])).all()
        assert (got[4:] == a[4:].astype(np.float32) @ (b * scale[2])).all()


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("number", [len(EXACT) + place for place in (1, 2, 3)])
def test_a_ring_of_several_matmuls_adds_up_in_one_order(arch: str, number: int) -> None:
    """Empty groups, groups of one row and of two rows of blocks, by ends and by counts; blocks of several matmuls at a
    time, more cores than blocks, and one core. Whatever the cores, each bit is the same, and all are near numpy."""
    plan = plans(arch)[number]
    rows = (0, 1, 40, 0, 3, 0) if plan.gemm.group else (9,) * 5
    problem = Problem(rows, 70, 230, batch=plan.gemm.batch)
    given = operands(plan, problem, seed=3, data="normal")
    found = []
    with Prepared(plan, problem, given) as prepared:
        for cores in (1, 2, 24):
            done = prepared.run(programs(arch)[plan.name], Settings(strict=True, cores=cores))
            assert (done.error, done.report["hazards"]) == (None, [])
            found.append(done.outputs["D"])
    assert all((one == found[0]).all() for one in found)
    a, b = (value.astype(np.float64) for value in (given.a, given.b))
    scale = given.inputs["b_scale"].astype(np.float64)
    zero = given.inputs["b_zero"].astype(np.float64) if plan.gemm.zero_point else np.zeros_like(scale)
    ends = np.cumsum(rows)
    for i, (first, end) in enumerate(zip(ends - rows, ends, strict=True)):
        want = a[first:end] @ ((b[i * 230 : (i + 1) * 230] - zero[i]) * scale[i])
        np.testing.assert_allclose(found[0][first:end], want, rtol=2e-2, atol=2e-2 * np.abs(want).max(initial=1))


@pytest.mark.parametrize("number", [len(EXACT) + place for place in (1, 2)])
def test_a_ring_of_empty_groups_alone_ends(number: int) -> None:
    """No core has a block; the rows that there is room for are left alone."""
    plan = plans("AtlasA2")[number]
    problem = Problem((0,) * 6, 70, 230, room=40)
    with Prepared(plan, problem, operands(plan, problem, seed=3, data="int")) as prepared:
        for cores in (1, 24):
            done = prepared.run(programs("AtlasA2")[plan.name], Settings(strict=True, cores=cores))
            assert (done.error, done.report["hazards"]) == (None, [])


def test_no_matmul_begins_before_all_vector_cores_are_done(tmp_path: Path) -> None:
    """A cube core that only waits for the vector cores of its own group reads what others have not widened."""
    plan, barrier = (
        plans("AtlasA2")[0],
        r"AscendC::CrossCoreSetFlag<SYNC_MODE_ALL, PIPE_MTE3>\((FLAG_AIVS_MEET)\);\s*AscendC::CrossCoreWaitFlag\(\1\);",
    )
    files = header_files([plan], Framework())
    text, count = re.subn(barrier, "", files[KERNEL])
    assert count == 1
    write(tmp_path, {**files, KERNEL: text})
    (result,) = verify_plans([plan], Options(shapes=((87, 198, 120),), data="int", headers=tmp_path))
    races = [hazard for hazard in result.hazards if hazard["severity"] == "error"]
    assert not result.ok and any({site["pipe"] for site in race["sites"]} == {"FIX", "MTE3"} for race in races)


WITHOUT = {
    "BeginFilling": (r"FedTiles::BeginFilling\(\);", "visitor_feeding.hpp", {"MTE1", "MTE3"}),
    "the wait for both": (
        r"AscendC::CrossCoreWaitFlag<SYNC_MODE_CORE, PIPE_MTE2>\(FLAG_AIVS_FILL \+ OF_AIV1\);",
        "block_mmad_fed.hpp",
        {"MTE1", "MTE3"},
    ),
}
"""What orders the tiles in L1: a line, the file that has it, and the pipes of the race without it."""


@pytest.mark.parametrize("line", WITHOUT)
def test_no_tile_in_l1_is_overwritten_or_multiplied_too_soon(tmp_path: Path, line: str) -> None:
    plan = plans("Ascend950")[0]
    pattern, name, pipes = WITHOUT[line]
    files = header_files([plan], Framework())
    (path,) = (path for path in files if path.endswith(f"/{name}"))
    text, count = re.subn(pattern, "", files[path])
    assert count == 1
    write(tmp_path, {**files, path: text})
    (result,) = verify_plans([plan], Options(shapes=((3, 198, 520),), data="int", headers=tmp_path))
    races = [hazard for hazard in result.hazards if hazard["severity"] == "error"]
    assert not result.ok and any({site["pipe"] for site in race["sites"]} == pipes for race in races)


def test_vector_cores_write_l1_where_the_cube_core_waits_for_it() -> None:
    """The copies to L1 are there in launches of one row of blocks and of two; of two phases, or of a block matmul that
    loads ahead, none are. Then all vector cores meet."""
    phases = len(EXACT) + len(SCALED)
    for number, rows, found in ((0, 32, True), (0, 33, True), (phases, 32, False), (-1, 32, False)):
        plan = plans("Ascend950")[number]
        assert (plan.feeds, plan.meets) == (found, not found)
        problem = Problem((rows,), 64, 64)
        with Prepared(plan, problem, operands(plan, problem, seed=1, data="int")) as prepared:
            done = prepared.run(programs("Ascend950")[plan.name], Settings(trace=True))
        assert done.error is None and done.trace is not None
        copies = [event for event in done.trace.events if event.get("name") == "DataCopy"]
        assert bool(copies) == found
