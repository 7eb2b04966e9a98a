"""Scales of the columns of a product of integers: the cube core multiplies by them as it stores it, as half."""

from __future__ import annotations

import importlib.util
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import evtgen as evt
from evtgen import Acc, RowVector, ops
from evtgen.check import check
from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor
from evtgen.graph.types import ColumnMajor, float32, half, int4, int8, nZ, zN
from evtgen.nodes import AccLoad, AuxStore
from evtgen.pipeline.run import Compiled, Reference
from evtgen.planner.plan import Plan, lower
from evtgen.report.verification import failures
from evtgen.verify import Options

from ..support.ascendc import asc_devkit, needs_ascendc
from ..support.epilogues import random_orders
from ..support.wide import in_orders

pytestmark = pytest.mark.cxx

INT8: dict[str, Any] = {"a": int8, "b": int8, "scale": "column"}
INT4: dict[str, Any] = {"a": int4, "b": int4, "scale": "column"}

WAYS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("AtlasA2", INT8),
    ("AtlasA2", {**INT8, "batch": True, "layout_b": ColumnMajor}),
    ("AtlasA2", {**INT8, "group": "m", "layout_a": ColumnMajor}),
    ("AtlasA2", {**INT4, "layout_a": zN, "layout_b": nZ}),
    ("AtlasA2", {**INT4, "group": "m", "layout_b": ColumnMajor}),
    ("Ascend950", INT8),
    ("Ascend950", {**INT8, "batch": True, "layout_a": ColumnMajor}),
    ("Ascend950", {**INT8, "group": "m", "group_list": "counts", "layout_b": zN}),
)
"""Every kernel that has them, both architectures, and all kinds of layouts."""


def normalized(acc: Acc[half], weight: RowVector[half]) -> Any:  # type: ignore[valid-type]
    return {"D": ops.softmax(acc.cast(float32)) * weight.cast(float32)}


@cache
def plans(arch: str) -> tuple[Plan, ...]:
    """D = C, and whole rows of C."""
    root = TreeVisitor(AuxStore("D", half), AccLoad(half))
    tiles: dict[str, Any] = {"l1": (64, 64, 128), "l0": (64, 64, 64)}
    gemms = [Gemm(**way, **tiles) for of, way in WAYS if of == arch]
    made = [Epilogue(f"columns{i}", root, gemm=gemm, arch=arch) for i, gemm in enumerate(gemms)]
    return tuple(map(lower, [*made, evt.epilogue(arch=arch, gemm=gemms[0])(normalized)]))


@pytest.mark.parametrize("arch", ["AtlasA2", "Ascend950"])
def test_they_are_right_in_any_order(arch: str) -> None:
    shapes = ((70, 130, 200), (1, 2, 2))
    results = in_orders(plans(arch), Options(together=9, shapes=shapes, data="normal", schedules=random_orders(arch)))
    assert all(one.ok and not one.hazards for one in results), [line for one in results for line in failures(one)]
    assert len(results) == 2 * len(plans(arch))


def bits(scales: Any) -> Any:
    return np.float32(scales).view(np.uint32).astype(np.uint64)


def by_hand(a: Any, b: Any, scales: Any) -> Any:
    """Each step as AscendC's guide and its example have it: the sum as a float, times the scale of the format
    (1, 8, 10), to half."""
    words = scales.astype(np.int64)
    taken = (-1.0) ** (words >> 31 & 1) * (1 + (words >> 13 & 0x3FF) / 1024) * 2.0 ** ((words >> 23 & 0xFF) - 127)
    sums = a.astype(np.int64) @ b.astype(np.int64)
    return (sums.astype(np.float32) * taken.astype(np.float32)).astype(np.float16)


def drawn(shape: tuple[int, ...], bound: int, seed: int) -> Any:
    return np.random.default_rng(seed).integers(-bound, bound, shape).astype(np.int8)


@pytest.mark.parametrize("run", [Compiled, Reference])
@pytest.mark.parametrize(("arch", "place"), [("AtlasA2", 0), ("AtlasA2", 3), ("Ascend950", 0)])
def test_each_column_has_its_scale(run: Any, arch: str, place: int) -> None:
    """Scales of both signs, with more digits than the cube core takes, and with the sign bit of int8 results set, as
    torch_npu's npu_trans_quant_param sets it."""
    plan, (m, n, k) = plans(arch)[place], (37, 150, 330)
    bound = 8 if plan.operands[0] == int4 else 128
    a, b = drawn((m, k), bound, 1), drawn((k, n), bound, 2)
    rng = np.random.default_rng(3)
    scale = bits(rng.choice([-1, 1], n) * np.exp2(rng.uniform(-12, -4, n))) | np.uint64(1 << 46)
    typed = [x.astype(ml_dtypes.int4) if bound == 8 else x for x in (a, b)]
    got = run(plan.written)(*typed, b_scale=scale)["D"]
    np.testing.assert_array_equal(got, by_hand(a, b, scale))
    assert (got != by_hand(a, b, scale & ~np.uint64(0xFFE000))).any()


@pytest.mark.parametrize("run", [Compiled, Reference])
def test_a_sum_beyond_the_digits_of_a_float_is_rounded_first(run: Any) -> None:
    a, b = np.full((1, 1101), 127, np.int8), np.full((1101, 3), 127, np.int8)
    scale = bits([2.0**-9, 2.0**-12, 3.0 * 2.0**-14])
    assert 127 * 127 * 1101 > 1 << 24
    np.testing.assert_array_equal(run(plans("AtlasA2")[0].written)(a, b, b_scale=scale)["D"], by_hand(a, b, scale))


def test_matmuls_of_a_batch_may_share_b_and_not_scales() -> None:
    plan = plans("AtlasA2")[1]
    a, b = drawn((2, 5, 70), 128, 1), drawn((71, 70), 128, 2)
    scale = bits(np.random.default_rng(3).uniform(2.0**-10, 2.0**-6, (2, 71)))
    for run in (Compiled, Reference):
        got = run(plan.written)(a, b.T, b_scale=scale)["D"]
        for i in range(2):
            np.testing.assert_array_equal(got[i], by_hand(a[i], b.T, scale[i]))


@needs_ascendc
def test_the_golden_of_ascendc_s_own_example_agrees() -> None:
    """The example rounds to whole numbers, so its scales give such."""
    example = "examples/01_simd_cpp_api/03_basic_api/00_data_movement/data_copy_l0c2gm/scripts/gen_data.py"
    if not (asc_devkit() / example).is_file():
        pytest.skip(f"the checkout has no {example}")
    spec = importlib.util.spec_from_file_location("gen_data", asc_devkit() / example)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    a, b = drawn((5, 90), 3, 1), drawn((90, 8), 3, 2)
    scale = bits([1, 2, 3, -2, 16, 1025, -1, 2.5]) & ~np.uint64(0x1FFF) | np.uint64(1 << 46)
    a[:, 0], b[:, 7] = 2 * (a[:, 0] // 2), 2 * (b[:, 7] // 2)  # sums that 2.5 makes whole
    sums = a.astype(np.int32) @ b.astype(np.int32)
    golden = [[module.deqf16(sums[i, j], scale[j], scale[j]) for j in range(8)] for i in range(5)]
    np.testing.assert_array_equal(evt.run(plans("AtlasA2")[0].written, a, b, b_scale=scale)["D"], golden)


def test_scales_of_another_kind_are_refused() -> None:
    a, b, good = drawn((3, 32), 128, 1), drawn((32, 4), 128, 2), bits([1, 0.5, 2, 0])

    def given(scale: Any, arch: str = "AtlasA2") -> Any:
        return evt.run(plans(arch)[0].written, a, b, b_scale=scale)["D"]

    with pytest.raises(EvtgenError, match=r"EVT188.*uint64[\s\S]*view\(numpy.uint32\)"):
        given(np.ones(4, np.float32))
    for wrong in (bits([1, np.inf, 1, 1]), bits([1, 1, 1e-40, 1]), good | np.uint64(1 << 36)):
        with pytest.raises(EvtgenError, match="EVT188"):
            given(wrong)
    np.testing.assert_array_equal(given(good.astype(np.int64)), given(good))
    np.testing.assert_array_equal(given(good | np.uint64(1 << 36), "Ascend950"), given(good))


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"handoff": "ub"}, "EVT172"),
        ({"policy": "preload_async"}, "EVT290"),
        ({"group": "k"}, "EVT290"),
        ({"split_k": 2}, "EVT290"),
        ({"accumulators": "separate"}, "EVT290"),
        ({"group": "m", "weights": "pointers"}, "EVT290"),
        ({"group": "m", "weight_index": True}, "EVT290"),
        ({"zero_point": True}, "EVT190"),
        ({"scale": None}, "EVT058"),
        (INT4, "EVT058"),
    ],
)
def test_what_no_kernel_has_is_refused(wrong: dict[str, Any], code: str) -> None:
    def found(gemm: Gemm) -> set[str]:
        root = TreeVisitor(AuxStore("D", half), AccLoad(half))
        return {one.code for one in check(Epilogue("columns", root, arch="Ascend950", gemm=gemm))}

    assert not found(Gemm(**INT8, c=half))
    assert code in found(Gemm(**{**INT8, "c": half, **wrong}))
