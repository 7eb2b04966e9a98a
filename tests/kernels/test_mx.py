"""Operands of MX formats: the cube takes a scale for each 32 elements of K of a row of A, or a column of B."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import evtgen as evt
from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.emit.framework import Framework
from evtgen.emit.render import header_files
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor
from evtgen.graph.types import ColumnMajor, ElementType, float8_e4m3fn, float8_e5m2, float32
from evtgen.model.data import operands
from evtgen.nodes import AccLoad, AuxStore
from evtgen.pipeline.run import Compiled, Reference
from evtgen.planner.plan import Plan, lower
from evtgen.report.verification import failures
from evtgen.verify import Options, verify_plans

pytestmark = pytest.mark.cxx

WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"handoff": "gm", "a": float8_e5m2},
    {"batch": True, "b": float8_e5m2},
    {"group": "m", "group_list": "counts"},
)
"""Every kernel that has them, both handoffs, and both types."""


@cache
def plans() -> tuple[Plan, ...]:
    """D = C."""
    root = TreeVisitor(AuxStore("D", float32), AccLoad(float32))
    usual: dict[str, Any] = {"a": float8_e4m3fn, "b": float8_e4m3fn, "layout_b": ColumnMajor, "scale": "mx"}
    usual |= {"l1": (32, 32, 128), "l0": (32, 32, 64)}
    gemms = [Gemm(**{**usual, **way}) for way in WAYS]
    return tuple(lower(Epilogue(f"mx{i}", root, gemm=gemm, arch="Ascend950")) for i, gemm in enumerate(gemms))


def test_they_are_right_in_any_order() -> None:
    shapes = ((70, 65, 192), (1, 1, 64))
    results = verify_plans(plans(), Options(together=4, shapes=shapes, data="normal", strict=True, schedules=2))
    assert len(results) == 2 * len(WAYS)
    assert all(one.ok and not one.hazards for one in results), [line for one in results for line in failures(one)]


def drawn(rows: int, k: int, T: ElementType, seed: int) -> tuple[Any, Any, Any]:
    """Lines of an operand, their scales, of many exponents, and what both mean, by the OCP's definition: 2^(byte - 127)
    times each of 32 elements."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((rows, k)).astype(getattr(ml_dtypes, T.numpy))
    codes = rng.integers(127 - 9, 127 + 10, (rows, k // 32)).astype(np.uint8)
    meant = values.astype(np.float64) * np.repeat(np.exp2(codes.astype(np.float64) - 127), 32, axis=1)
    return values, codes.view(ml_dtypes.float8_e8m0fnu), meant


@pytest.mark.parametrize("run", [Compiled, Reference])
def test_products_are_those_of_ml_dtypes(run: Any) -> None:
    plan = plans()[0]
    (a, a_scale, of_a), (b, b_scale, of_b) = (drawn(rows, 256, float8_e4m3fn, rows) for rows in (33, 50))
    got = run(plan.written)(a, b.T, a_scale=a_scale, b_scale=b_scale)["D"]
    bound = 256 * 2.0**-24 * (np.abs(of_a) @ np.abs(of_b).T)
    assert (np.abs(got - of_a @ of_b.T) <= bound).all()


def test_a_batch_may_share_scales_and_not_elements() -> None:
    plan = plans()[2]
    a, a_scale, _ = drawn(2 * 5, 64, float8_e4m3fn, 1)
    b, b_scale, _ = drawn(7, 64, float8_e5m2, 2)
    given = {"a_scale": a_scale[:5], "b_scale": np.stack([b_scale, b_scale[::-1]])}
    for run in (Compiled, Reference):
        got = run(plan.written)(a.reshape(2, 5, 64), b.T, **given)["D"]
        for i in range(2):
            times = [scale.astype(np.float64).repeat(32, 1) for scale in (a_scale[:5], given["b_scale"][i])]
            want = (a[5 * i : 5 * i + 5].astype(np.float64) * times[0]) @ (b.astype(np.float64) * times[1]).T
            assert np.allclose(got[i], want, rtol=1e-4, atol=1e-2)


def test_scales_are_drawn_from_several_powers_of_two() -> None:
    for data in ("int", "normal"):
        given = operands(plans()[0], (40, 40, 256), seed=0, data=data)
        for name in ("a_scale", "b_scale"):
            values = given.inputs[name].astype(np.float64)
            assert len(np.unique(values)) > 2 and (np.exp2(np.rint(np.log2(values))) == values).all()


def test_a_k_that_is_not_a_multiple_of_64_is_refused() -> None:
    plan = plans()[0]
    a, b = (np.zeros((4, 96), ml_dtypes.float8_e4m3fn) for _ in range(2))
    scale = np.ones((4, 3), ml_dtypes.float8_e8m0fnu)
    with pytest.raises(EvtgenError, match="EVT291"):
        Compiled(plan.written)(a, b.T, a_scale=scale, b_scale=scale)
    with pytest.raises(EvtgenError, match="EVT291"):
        evt.verify(plan.written, shapes=[(4, 4, 96)])
    assert plan.wide((3, 7, 16)) == (3, 7, 64)


@pytest.mark.parametrize(("l1", "tiles"), [((128, 256, 512), 8), ((256, 256, 256), 16), ((128, 256, 576), 4)])
def test_scales_of_as_many_tiles_as_fit_are_in_l1(l1: tuple[int, int, int], tiles: int) -> None:
    plan = plans()[0]
    gemm = replace(plan.epilogue.gemm, l1=l1, l0=(*l1[:2], 64), handoff="gm")
    header = header_files([lower(replace(plan.epilogue, gemm=gemm))], Framework())["mx0.hpp"]
    assert f"Gemm::MmadMx<Arch::Ascend950, true, {tiles}>" in " ".join(header.split())
