"""Operands of MX formats: the cube takes a scale for each 32 elements of K of a row of A, or a column of B."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import evtgen as evt
from evtgen import Acc, Aux, ops
from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.emit.framework import Framework
from evtgen.emit.render import header_files
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor
from evtgen.graph.types import (
    ColumnMajor,
    ElementType,
    bfloat16,
    float4_e2m1fn,
    float8_e4m3fn,
    float8_e5m2,
    float8_e8m0fnu,
    float32,
)
from evtgen.model.data import operands
from evtgen.nodes import AccLoad, AuxStore
from evtgen.pipeline.run import Compiled, Reference
from evtgen.planner.plan import Plan, lower
from evtgen.report.verification import failures
from evtgen.verify import Options

from ..support.cpp import check_syntax, compilers, write
from ..support.epilogues import FULL
from ..support.mx import by_hand, in_bytes
from ..support.optional import torch
from ..support.wide import in_orders

pytestmark = pytest.mark.cxx

FLOAT4 = {"a": float4_e2m1fn, "b": float4_e2m1fn, "l1": (64, 64, 128), "l0": (64, 64, 64)}

WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"handoff": "gm", "a": float8_e5m2},
    {"batch": True, "b": float8_e5m2},
    {"group": "m", "group_list": "counts"},
    FLOAT4,
    {"handoff": "gm", "batch": True, **FLOAT4},
    {"group": "m", **FLOAT4},
    {"b": float4_e2m1fn},
    {"b": float4_e2m1fn, "handoff": "ub", "batch": True},
    {"b": float4_e2m1fn, "group": "m"},
)
"""Every kernel that has them, both handoffs, and all types; a B of float4 beside float8 is widened."""


def quantized(acc: Acc[float32], x: Aux[float32], scale: Aux[float8_e8m0fnu]) -> Any:  # type: ignore[valid-type]
    values, scales = ops.quantize_mx(acc)
    others, more = ops.quantize_mx(x, float8_e5m2)
    return {"D": values, "scales": scales, "D2": others, "scales2": more, "F": scale.cast(float32)}


def of_float32(acc: Acc[float32]) -> Any:  # type: ignore[valid-type]
    return {"D": ops.quantize_mx(acc, float4_e2m1fn)[0]}


def in_float4(acc: Acc[float32], x: Aux[bfloat16]) -> Any:  # type: ignore[valid-type]
    values, scales = ops.quantize_mx(acc.cast(bfloat16), float4_e2m1fn)
    others, more = ops.quantize_mx(x, float4_e2m1fn)
    return {"D": values, "scales": scales, "D2": others, "scales2": more}


@cache
def plans() -> tuple[Plan, ...]:
    """D = C, and quantised to MX."""
    root = TreeVisitor(AuxStore("D", float32), AccLoad(float32))
    usual: dict[str, Any] = {"a": float8_e4m3fn, "b": float8_e4m3fn, "layout_b": ColumnMajor, "scale": "mx"}
    usual |= {"l1": (32, 32, 128), "l0": (32, 32, 64)}
    gemms = [Gemm(**{**usual, **way}) for way in WAYS]
    made = [Epilogue(f"mx{i}", root, gemm=gemm, arch="Ascend950") for i, gemm in enumerate(gemms)]
    made += [
        evt.epilogue(arch="Ascend950", gemm=gemms[i])(function) for i, function in ((0, in_float4), (0, quantized))
    ]
    return tuple(map(lower, made))


def test_they_are_right_in_any_order() -> None:
    options, results = Options(together=6, data="normal", strict=True, schedules=2 if FULL else 1), []
    for n in (1, 2):  # N is even where an output is of float4
        some = [plan for plan in plans() if plan.divides_n == n]
        results += in_orders(some, replace(options, shapes=((70, 64 + n, 192), (1, n, 64))))
    assert len(results) == 2 * len(plans())
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
@pytest.mark.parametrize(
    "types", [(float8_e4m3fn, float8_e4m3fn), (float4_e2m1fn, float4_e2m1fn), (float8_e4m3fn, float4_e2m1fn)]
)
def test_products_are_those_of_ml_dtypes(run: Any, types: tuple[ElementType, ElementType]) -> None:
    plan = next(plan for plan in plans() if plan.operands == types)
    (a, a_scale, of_a), (b, b_scale, of_b) = (
        drawn(rows, 256, T, rows) for rows, T in zip((30, 50), types, strict=True)
    )
    got = run(plan.written)(a, b.T, a_scale=a_scale, b_scale=b_scale)["D"]
    bound = 256 * 2.0**-24 * (np.abs(of_a) @ np.abs(of_b).T)
    assert (np.abs(got - of_a @ of_b.T) <= bound).all()


@pytest.mark.parametrize("run", [Compiled, Reference])
def test_each_product_of_float4_is_exact_packed_or_not(run: Any) -> None:
    """All pairs of codes as ml_dtypes reads them, each in its own place of K, times the scales of its block."""
    plan = next(plan for plan in plans() if plan.operands[0] == float4_e2m1fn)
    codes = np.arange(16, dtype=np.uint8)
    a, b = np.zeros((2, 16, 64), np.uint8)
    a[:, 37], b[:, 37] = codes, codes
    values = codes.view(ml_dtypes.float4_e2m1fn).astype(np.float64)
    scales = np.full((16, 2), 127 + 5, np.uint8).view(ml_dtypes.float8_e8m0fnu)
    of = run(plan.written)
    for one, other in ((array.view(ml_dtypes.float4_e2m1fn) for array in (a, b)), (in_bytes(a), in_bytes(b))):
        found = of(one, other.T, a_scale=scales, b_scale=scales)["D"]
        assert (found == np.outer(values, values) * 2.0**10).all()


def test_tensors_of_torch_have_two_elements_of_float4_in_a_byte() -> None:
    """As operands, and as results."""
    t = torch()
    if not hasattr(t, "float4_e2m1fn_x2"):
        pytest.skip("this torch has no float4_e2m1fn_x2")
    plan = next(plan for plan in plans() if plan.operands[0] == float4_e2m1fn)
    codes = np.random.default_rng(4).integers(0, 16, (2, 16, 64), np.uint8)
    scales = np.full((16, 2), 127, np.uint8).view(ml_dtypes.float8_e8m0fnu)
    a, b = (t.from_numpy(in_bytes(array)).view(t.float4_e2m1fn_x2) for array in codes)
    found = Reference(plan.written)(a, b.mT, a_scale=scales, b_scale=scales)["D"]
    values = codes.view(ml_dtypes.float4_e2m1fn).astype(np.float64)
    assert (found == values[0] @ values[1].T).all()
    x = every_magnitude(37, 128).astype(ml_dtypes.bfloat16)
    (c, c_scale, _), (d, d_scale, _) = (drawn(rows, 64, float8_e4m3fn, rows) for rows in (37, 128))
    in_numpy = Reference(plans()[-2].written)(c, d.T, a_scale=c_scale, b_scale=d_scale, x=x)["D2"]
    x = t.from_numpy(x.view(np.int16)).view(t.bfloat16)
    made = Reference(plans()[-2].written)(c, d.T, a_scale=c_scale, b_scale=d_scale, x=x)["D2"]
    assert made.dtype == t.float4_e2m1fn_x2
    assert (made.view(t.uint8).numpy() == in_bytes(in_numpy.view(np.uint8) & 15)).all()


@pytest.mark.parametrize("cxx", compilers())
def test_a_kernel_counts_two_elements_of_float4_in_a_byte(tmp_path: Path, cxx: str) -> None:
    """So it refuses a leading dimension that is odd."""
    plan = next(plan for plan in plans() if plan.operands[0] == float4_e2m1fn)
    write(tmp_path, header_files([plan], Framework()))
    counted = f"{Framework().namespace}::ELE_NUM_PER_COPIED<Catlass::Evt::{plan.name}::ElementA>"
    source = f'#include "{plan.name}.hpp"\nstatic_assert({counted} == 2);\n'
    result = check_syntax(cxx, tmp_path, source, npu=3510)
    assert result.returncode == 0, result.stderr


def every_magnitude(rows: int, columns: int) -> Any:
    """float32 (rows, columns) whose blocks of 32 columns have the largest magnitudes from 2^-149 to 2^128, and some an
    infinity or NaN."""
    rng = np.random.default_rng(9)
    exponents = np.linspace(-149, 127, rows * columns // 32).astype(int).repeat(32) - rng.integers(
        0, 12, rows * columns
    )
    signs = rng.choice([-1, 1], rows * columns)
    x = np.ldexp(signs * rng.uniform(1, 2, rows * columns), exponents).astype(np.float32).reshape(rows, columns)
    x[3, 5], x[8, 40], x[30, 127], x[20] = np.inf, np.nan, -np.inf, 0
    return x


@pytest.mark.parametrize("run", [Compiled, Reference])
def test_a_chain_of_matmuls_stays_in_mx(run: Any) -> None:
    """What a matmul quantises is A of the next one, whose result is the product of what both mean."""
    first, last = run(plans()[-1].written), run(plans()[0].written)
    (a, a_scale, _), (b, b_scale, _) = (drawn(rows, 64, float8_e4m3fn, rows) for rows in (37, 128))
    a[5] = 0
    codes = np.arange(37 * 128).astype(np.uint8).reshape(37, 128).view(ml_dtypes.float8_e8m0fnu)
    x = every_magnitude(37, 128)
    found = first(a, b.T, a_scale=a_scale, b_scale=b_scale, x=x, scale=codes)
    product = Reference(plans()[0].written)(a, b.T, a_scale=a_scale, b_scale=b_scale)["D"]
    values, meant = by_hand(product.astype(np.float64), 8, float8_e4m3fn)
    assert found["scales"].dtype == ml_dtypes.float8_e8m0fnu and found["scales"].shape == (37, 4)
    # Sums in another order may reach a power of two
    assert (found["scales"].astype(np.float64) == meant).mean() > 0.99
    assert (found["D"].astype(np.float32) == values.astype(np.float32)).mean() > 0.99
    assert (found["scales"][5].astype(np.float64) == 2.0**-126).all() and not found["D"][5].astype(np.float32).any()
    values, meant = by_hand(x.astype(np.float64), 15, float8_e5m2)
    assert np.array_equal(found["scales2"].astype(np.float64), meant, equal_nan=True)
    # Div takes subnormal numbers for zeros
    values[np.abs(x) < 2.0**-126] = 0
    defined = np.isfinite(meant).repeat(32, axis=1)
    assert (found["D2"].astype(np.float32) == values.astype(np.float32))[defined].all()
    assert np.isnan(found["D2"].astype(np.float32))[~defined].all()
    assert np.array_equal(found["F"], codes.astype(np.float32), equal_nan=True)
    (c, c_scale, of_c) = drawn(50, 128, float8_e4m3fn, 3)
    got = last(found["D"], c.T, a_scale=found["scales"], b_scale=c_scale)["D"]
    of_d = found["D"].astype(np.float64) * found["scales"].astype(np.float64).repeat(32, 1)
    assert (np.abs(got - of_d @ of_c.T) <= 128 * 2.0**-24 * (np.abs(of_d) @ np.abs(of_c).T)).all()


@pytest.mark.parametrize("run", [Compiled, Reference])
def test_a_chain_of_matmuls_stays_in_float4(run: Any) -> None:
    """bfloat16 becomes float4 as by the OCP's definition, and is then A of a matmul."""
    next_one = next(plan for plan in plans() if plan.operands[0] == float4_e2m1fn)
    first, last = run(plans()[-2].written), run(next_one.written)
    (a, a_scale, _), (b, b_scale, _) = (drawn(rows, 64, float8_e4m3fn, rows) for rows in (37, 128))
    x = every_magnitude(37, 128).astype(ml_dtypes.bfloat16)
    found = first(a, b.T, a_scale=a_scale, b_scale=b_scale, x=x)
    values, meant = by_hand(x.astype(np.float64), 2, float4_e2m1fn)
    assert np.array_equal(found["scales2"].astype(np.float64), meant, equal_nan=True)
    values[np.abs(x.astype(np.float64)) < 2.0**-126] = 0
    defined = np.isfinite(meant).repeat(32, axis=1)
    assert (found["D2"].astype(np.float32) == values.astype(np.float32))[defined].all()
    (c, c_scale, of_c) = drawn(50, 128, float4_e2m1fn, 3)
    got = last(found["D"], c.T, a_scale=found["scales"], b_scale=c_scale)["D"]
    of_d = found["D"].astype(np.float64) * found["scales"].astype(np.float64).repeat(32, 1)
    assert (np.abs(got - of_d @ of_c.T) <= 128 * 2.0**-24 * (np.abs(of_d) @ np.abs(of_c).T)).all()


def test_float4_is_made_of_bfloat16_by_rows() -> None:
    """Of float32 it would round twice. N is even, for a byte has two."""
    plan = plans()[-2]
    with pytest.raises(EvtgenError, match="of bfloat16, not of float32"):
        evt.epilogue(arch="Ascend950")(of_float32)
    with pytest.raises(EvtgenError, match="EVT286"):
        evt.verify(plan.written, shapes=[(4, 5, 64)])
    assert plan.wide((3, 7, 16)) == (3, 8, 64)


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
    float4 = next(plan for plan in plans() if plan.operands[0] == float4_e2m1fn)
    for written, k in ((plan.written, 96), (float4.written, 65)):
        with pytest.raises(EvtgenError, match="EVT291"):
            evt.verify(written, shapes=[(4, 4, k)])
    assert plan.wide((3, 7, 16)) == (3, 7, 64)


@pytest.mark.parametrize(("l1", "tiles"), [((128, 256, 512), 8), ((256, 256, 256), 16), ((128, 256, 576), 4)])
def test_scales_of_as_many_tiles_as_fit_are_in_l1(l1: tuple[int, int, int], tiles: int) -> None:
    plan = plans()[0]
    gemm = replace(plan.epilogue.gemm, l1=l1, l0=(*l1[:2], 64), handoff="gm")
    header = header_files([lower(replace(plan.epilogue, gemm=gemm))], Framework())["mx0.hpp"]
    assert f"Gemm::MmadMx<Arch::Ascend950, true, {tiles}>" in " ".join(header.split())
