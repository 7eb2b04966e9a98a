"""Blocks of columns and heads: on the CPU model, against formulas that are written apart, and from Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import evtgen as evt
from evtgen import Acc, Aux, Gemm, bfloat16, float8_e4m3fn, float32, half, int8, ops
from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.graph.ir import flatten
from evtgen.nodes import BlockReduced, BlockStore, node_of
from evtgen.planner.plan import lower
from evtgen.verify import Options, verify_plans

from ..support.epilogues import ARCHES, random_orders
from ..support.right import right
from ..support.wide import in_orders

UNEVEN = ((100, 300, 40), (33, 257, 20), (5, 31, 16))
"""Last blocks of 44, 1 and 31 columns, of 128 at most."""


@evt.epilogue
def blocks(acc: Acc[float32], X: Aux[half]) -> dict[str, object]:
    x = ops.cast(X, float32) + acc
    mean = ops.col_reduce(x, "mean", block=64)
    return {"M": mean, "S": ops.col_reduce(x, "add", block=32), "D": ops.cast(x - mean, half)}


@evt.epilogue
def quantized(acc: Acc[float32]) -> dict[str, object]:
    values, scales = ops.quantize_per_block(acc)
    return {"D": values, "scales": scales}


@evt.epilogue
def turned(acc: Acc[float32], cos: Aux[half], sin: Aux[half]) -> dict[str, object]:
    halves, pairs = ops.rope(acc, cos, sin, head=64), ops.rope(acc, cos, sin, head=64, interleaved=True)
    return {"D": ops.cast(halves, half), "E": ops.cast(pairs, half)}


def on(arch: str, one: evt.Epilogue) -> evt.Epilogue:
    """An epilogue traced for an architecture, whose casts are its own."""
    assert one.function is not None
    return evt.epilogue(arch=arch)(one.function)


def by_hand(x: Any, block: int, of: Any) -> Any:
    """A reduction of each block of the columns, (M, N / block)."""
    return np.stack([of(x[:, i : i + block], axis=1) for i in range(0, x.shape[1], block)], axis=1)


@pytest.mark.cxx
@pytest.mark.parametrize("arch", ARCHES)
def test_on_the_model(arch: str) -> None:
    """With tails, gaps between rows, and the least memory in which rows are split."""
    plans = [lower(on(arch, one)) for one in (blocks, quantized)]
    plans.append(lower(replace(on(arch, blocks), name="short_tiles", compute_length=2048)))
    options = Options(shapes=UNEVEN, strict=True, schedules=random_orders(arch), pad=3, together=3)
    right(in_orders(plans, options))
    heads = lower(on(arch, turned))
    right(in_orders([heads], replace(options, shapes=((100, 384, 40), (33, 64, 20)))))


@pytest.mark.cxx
@pytest.mark.parametrize("gemm", [Gemm(batch=True), Gemm(group="m"), Gemm(split_k=2), Gemm(a=half, b=int8)])
def test_behind_every_kernel(gemm: Gemm) -> None:
    plans = [lower(replace(one, gemm=gemm)) for one in (quantized, turned)]
    right(verify_plans(plans, Options(shapes=((87, 192, 40),), strict=True, together=2)))


@pytest.mark.cxx
def test_with_reductions_of_whole_rows() -> None:
    """Behind a norm, in phases, and over an accumulator in UB."""

    @evt.epilogue
    def normed(acc: Acc[float32]) -> dict[str, object]:
        values, scales = ops.quantize_per_block(ops.rms_norm(acc))
        return {"D": values, "scales": scales}

    in_ub = replace(on("Ascend950", quantized), gemm=Gemm(handoff="ub"))
    right(verify_plans([lower(normed), lower(in_ub)], Options(shapes=((70, 300, 24), (3, 100, 16)), strict=True)))


def test_from_python() -> None:
    """Against numpy in float64, where the last block has 72 columns."""
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((50, 24)), rng.standard_normal((24, 200))
    a, b = a.astype(np.float16), b.astype(np.float16)
    x = a.astype(np.float64) @ b.astype(np.float64)
    found = evt.run(quantized, a, b)
    scales = by_hand(np.abs(x), 128, np.max) / 127
    assert found["scales"].shape == (50, 2) and np.allclose(found["scales"], scales, rtol=1e-5)
    assert np.abs(found["D"] - x / np.repeat(scales, 128, axis=1)[:, :200]).max() <= 0.51
    given = {"X": np.zeros((50, 200), np.float16)}
    found = evt.run(blocks, a, b, **given)
    assert np.allclose(found["M"], by_hand(x, 64, np.mean), atol=1e-4)
    assert np.allclose(found["S"], by_hand(x, 32, np.sum), atol=1e-4)
    assert blocks.function is not None
    by_function = blocks.function(x, **given)
    assert np.allclose(by_function["S"][:, ::32], found["S"], atol=1e-4)


def test_heads_from_python() -> None:
    """Against the turn of each pair by its angle, as complex numbers."""
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal((9, 16)).astype(np.float16), rng.standard_normal((16, 192)).astype(np.float16)
    x = (a.astype(np.float64) @ b.astype(np.float64)).reshape(9, 3, 64)
    angle = rng.uniform(0, 6, (9, 32))
    for name, first, second in (("D", np.s_[..., :32], np.s_[..., 32:]), ("E", np.s_[..., ::2], np.s_[..., 1::2])):
        cos, sin = np.empty((9, 64), np.float16), np.empty((9, 64), np.float16)
        for half_of in (first, second):
            cos[half_of], sin[half_of] = np.cos(angle), np.sin(angle)
        pairs = (x[first] + 1j * x[second]) * (cos[first] + 1j * sin[first].astype(np.float64))[:, None]
        meant = np.empty_like(x)
        meant[first], meant[second] = pairs.real, pairs.imag
        found = evt.run(turned, a, b, cos=cos, sin=sin)
        assert np.allclose(found[name].reshape(x.shape), meant, rtol=1e-3, atol=1e-2)
        assert turned.function is not None
        by_function = turned.function(x.reshape(9, 192), cos=cos.astype(np.float64), sin=sin.astype(np.float64))
        assert np.allclose(by_function[name].reshape(x.shape), meant)


@pytest.mark.fast
def test_who_spreads_a_block() -> None:
    """Only one that is an operand fills its blocks."""
    plan = lower(blocks)
    made = {node.block: node.spreads for _, node in plan.nodes() if isinstance(node, BlockReduced)}
    assert made == {64: True, 32: False}
    stores = [node for node in map(node_of, flatten(quantized.root)) if isinstance(node, BlockStore)]
    assert [store.tensor.extents for store in stores] == [("M", "(N + 127) / 128")]


@pytest.mark.fast
def test_what_is_refused() -> None:
    x = np.zeros((2, 100), np.float32)
    calls: tuple[Callable[[], Any], ...] = (
        lambda: ops.col_reduce(x, "max", block=48),  # type: ignore[arg-type]
        lambda: ops.row_reduce(x, "max", block=32),
        lambda: ops.quantize_per_block(x, half),
        lambda: ops.rope(x, x, x, head=96),  # type: ignore[arg-type]
        lambda: ops.rope(x, x, x, head=64),
    )
    for call in calls:
        with pytest.raises(EvtgenError, match="EVT011"):
            call()
    with pytest.raises(EvtgenError, match="EVT278"):
        verify_plans([lower(turned)], Options(shapes=((4, 96, 8),)))
    eight = ops.quantize_per_block(x.astype(np.float64) + 1, float8_e4m3fn)
    assert np.allclose(eight[0], 448) and bfloat16 != eight[1].dtype
