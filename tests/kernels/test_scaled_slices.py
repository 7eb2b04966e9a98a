"""Scales of both operands for slices of K: vector cores multiply each product by them, and add the products up."""

from __future__ import annotations

from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import evtgen as evt
from evtgen import Acc, RowVector, ops
from evtgen.check import check
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor
from evtgen.graph.types import ColumnMajor, ElementType, float8_e4m3fn, float8_e5m2, float32, half, int8, nZ, zN
from evtgen.nodes import AccLoad, AuxStore
from evtgen.pipeline.run import Compiled, Reference
from evtgen.planner.plan import Plan, lower
from evtgen.report.verification import failures
from evtgen.verify import Options

from ..support.epilogues import random_orders
from ..support.wide import in_orders

pytestmark = pytest.mark.cxx

INT8 = {"a": int8, "b": int8}
FLOAT8 = {"a": float8_e4m3fn, "b": float8_e5m2}

WAYS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("AtlasA2", {**INT8, "scale": "group:64"}),
    ("AtlasA2", {**INT8, "scale": "block:64x32", "layout_a": zN, "layout_b": nZ}),
    ("AtlasA2", {**INT8, "scale": "block:32x64", "batch": True}),
    ("AtlasA2", {**INT8, "scale": "group:32", "group": "m", "layout_b": ColumnMajor}),
    ("Ascend950", {**FLOAT8, "scale": "block:128x128", "layout_b": ColumnMajor, "handoff": "gm"}),
    ("Ascend950", {**FLOAT8, "scale": "group:64", "layout_a": ColumnMajor, "batch": True}),
    ("Ascend950", {**FLOAT8, "scale": "block:32x32", "group": "m", "group_list": "counts"}),
    ("Ascend950", {**INT8, "scale": "group:64", "handoff": "ub"}),
)
"""Every kernel that has them, both architectures, all kinds of layouts, and tiles of K that no slice is a part of."""


def normalized(acc: Acc[float32], weight: RowVector[float32]) -> Any:  # type: ignore[valid-type]
    return {"D": ops.softmax(acc) * weight}


def centred(acc: Acc[float32], bias: RowVector[float32]) -> Any:  # type: ignore[valid-type]
    x = acc + bias
    return {"D": (x - ops.row_reduce(x, "mean")).cast(half), "most": ops.col_reduce(x, "max")}


@cache
def plans(arch: str) -> tuple[Plan, ...]:
    """D = C, whole rows of C, and columns of it, which are reduced before they are used."""
    root = TreeVisitor(AuxStore("D", float32), AccLoad(float32))
    tiles: dict[str, Any] = {"l1": (32, 64, 96), "l0": (32, 64, 32)}
    gemms = [Gemm(**way, **tiles) for of, way in WAYS if of == arch]
    made = [Epilogue(f"slices{i}", root, gemm=gemm, arch=arch) for i, gemm in enumerate(gemms)]
    return tuple(map(lower, [*made, *(evt.epilogue(arch=arch, gemm=gemms[-1])(f) for f in (normalized, centred))]))


@pytest.mark.parametrize("arch", ["AtlasA2", "Ascend950"])
def test_they_are_right_in_any_order(arch: str) -> None:
    shapes = ((70, 131, 200), (1, 1, 1))
    results = in_orders(plans(arch), Options(together=9, shapes=shapes, data="normal", schedules=random_orders(arch)))
    assert all(one.ok and not one.hazards for one in results), [line for one in results for line in failures(one)]
    assert len(results) == 2 * len(plans(arch))


def drawn(shape: tuple[int, ...], T: ElementType, seed: int) -> Any:
    """An operand with values of both signs."""
    values = np.random.default_rng(seed).standard_normal(shape)
    return values.astype(getattr(ml_dtypes, T.numpy)) if T.kind == "float" else (16 * values).astype(np.int8)


def by_hand(a: Any, b: Any, a_scale: Any, b_scale: Any, depth: int, width: int) -> tuple[Any, Any]:
    """The product in float64, (M, N), with scales (K/depth, M) and (K/depth, N/width); and of the magnitudes."""
    (m, k), n = a.shape, b.shape[1]
    found, magnitude = np.zeros((m, n)), np.zeros((m, n))
    for slice_ in range(-(-k // depth)):
        part = slice(slice_ * depth, (slice_ + 1) * depth)
        left, right = a[:, part].astype(np.float64), b[part].astype(np.float64)
        scale = np.outer(a_scale[slice_], np.repeat(b_scale[slice_], width)[:n])
        found += left @ right * scale
        magnitude += np.abs(left) @ np.abs(right) * np.abs(scale)
    return found, magnitude


@pytest.mark.parametrize("run", [Compiled, Reference])
@pytest.mark.parametrize(
    ("arch", "place", "depth", "width"), [("AtlasA2", 0, 64, 1), ("AtlasA2", 1, 64, 32), ("Ascend950", 0, 128, 128)]
)
def test_each_slice_has_its_scales(run: Any, arch: str, place: int, depth: int, width: int) -> None:
    """The last slice, and the last block, have fewer elements. Scales differ in sign and in magnitude."""
    plan, (m, n, k) = plans(arch)[place], (37, 150, 2 * depth + 5)
    a, b = drawn((m, k), plan.operands[0], 1), drawn((k, n), plan.operands[1], 2)
    b = np.asfortranarray(b) if plan.gemm.layout_b == ColumnMajor else b
    rng = np.random.default_rng(3)
    sizes = (3, m), (3, -(-n // width))
    a_scale, b_scale = (
        (rng.choice([-1, 1], size) * np.exp2(rng.uniform(-3, 3, size))).astype(np.float32) for size in sizes
    )
    got = run(plan.written)(a, b, a_scale=a_scale, b_scale=b_scale)["D"]
    meant, magnitude = by_hand(a, b, a_scale, b_scale, depth, width)
    assert (np.abs(got - meant) <= (k + 3) * 2.0**-24 * magnitude).all()


def test_matmuls_of_a_batch_may_share_operands_and_not_scales() -> None:
    plan = plans("AtlasA2")[2]
    a, b = drawn((2, 5, 70), int8, 1), drawn((70, 71), int8, 2)
    rng = np.random.default_rng(3)
    a_scale, b_scale = (rng.uniform(0.5, 2, size).astype(np.float32) for size in ((3, 5), (2, 3, 2)))
    for run in (Compiled, Reference):
        got = run(plan.written)(a, b, a_scale=a_scale, b_scale=b_scale)["D"]
        for i in range(2):
            meant, magnitude = by_hand(a[i], b, a_scale, b_scale[i], 32, 64)
            assert (np.abs(got[i] - meant) <= 80 * 2.0**-24 * magnitude).all()


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"workspace_stages": 2}, "EVT290"),
        ({"policy": "preload_async"}, "EVT290"),
        ({"group": "k"}, "EVT290"),
        ({"split_k": 2}, "EVT290"),
        ({"accumulators": "separate"}, "EVT290"),
        ({"group": "m", "weights": "pointers"}, "EVT290"),
        ({"zero_point": True}, "EVT190"),
        ({"scale": "block:100x128"}, "EVT190"),
        ({"scale": "column"}, "EVT190"),
        ({"c": half}, "EVT058"),
    ],
)
def test_what_no_kernel_has_is_refused(wrong: dict[str, Any], code: str) -> None:
    good: dict[str, Any] = {"a": float8_e4m3fn, "b": float8_e4m3fn, "scale": "block:128x128"}

    def found(gemm: Gemm) -> set[str]:
        root = TreeVisitor(AuxStore("D", gemm.c or float32), AccLoad(gemm.c or float32))
        return {one.code for one in check(Epilogue("sliced", root, arch="Ascend950", gemm=gemm))}

    assert not found(Gemm(**good))
    assert code in found(Gemm(**{**good, **wrong}))
