"""Masks and scalars on the CPU model: what they choose, what they cost, and that nothing behind a tile is looked at."""

from __future__ import annotations

from typing import Any

import pytest

from evtgen import Acc, Aux, RowVector, Scalar, bfloat16, epilogue, float32, half, int8, int16, int32, ops
from evtgen.check import check
from evtgen.graph.ir import Epilogue
from evtgen.options import Data
from evtgen.planner.plan import lower
from evtgen.verify import Options, verify_plans

from ..support.epilogues import random_orders
from ..support.right import right

SHAPES = ((87, 198, 40), (1, 1, 16), (129, 33, 16), (5, 4099, 16))


@epilogue
def joined(acc: Acc[half], X: Aux[half], row: RowVector[half]) -> Any:
    """n-ary and, or; not; a mask that is used twice; a comparison of half that chooses floats."""
    inside = ops.logical_and(acc > -3, acc < 3, X != 1)
    either = inside | ~(row >= acc) | (X == 2)
    wide = acc.cast(float32)
    lowest = float("-inf")
    return {"D": ops.where(either, acc, lowest), "E": ops.where(either, wide * 0.5, wide), "F": ops.where(inside, 1, 0)}


@epilogue(compute_length=128, buffers=3)
def one_repeat(acc: Acc[half], X: Aux[half]) -> Any:
    """One repeat of half per buffer."""
    return {"D": ops.where(acc > X, acc, X)}


@epilogue(compute_length=64, buffers=1)
def one_repeat_of_floats(acc: Acc[float32], X: Aux[float32]) -> Any:
    """One repeat of float32 per buffer."""
    return {"D": ops.where((acc > X) & (X <= 2), 0.0, X)}


@epilogue
def scalars(
    acc: Acc[half],
    X: Aux[float32],
    alpha: Scalar[half],
    beta: Scalar[half] = 0.3,
    gamma: Scalar[float32] = 0.7,
    delta: Scalar[float32] = 1.5,
) -> Any:
    """Each place that takes a constant, in half, in float32, in float32 behind half, and one scalar in several."""
    y = beta / (1 - acc) - alpha
    return {
        "D": ops.silu(acc * alpha + beta) / alpha + y,
        "E": ops.clamp(X - gamma, delta, 4.0) * delta,
        "F": ops.swish(acc, beta=beta),
        "G": ops.where(delta <= X, gamma, X),
        "H": ops.where(acc < alpha, alpha, beta) - alpha,
        "K": ops.where(acc < alpha, gamma, delta) - gamma,
    }


@epilogue(auto_cast=True)
def mixed_scalars(
    acc: Acc[half], X: Aux[bfloat16], p: Scalar[float32], q: Scalar[bfloat16], k: Scalar[int16], s: Scalar[int8]
) -> Any:
    """Scalars of every type, which meet values of others in what holds both."""
    return {"D": acc * p - q, "E": X * q, "F": X - k, "G": ops.clamp(acc, -s, s), "H": ops.swish(acc, beta=p)}


@epilogue
def integers(acc: Acc[int32], shift: Scalar[int32], X: Aux[int32], Y: Aux[int16], step: Scalar[int16]) -> Any:
    return {"D": ops.maximum(acc * shift, X - shift), "E": Y * step - step}


@pytest.mark.parametrize("data", ["int", "normal"])
def test_masks_and_scalars_match_numpy(data: Data) -> None:
    epilogues: list[Epilogue] = [joined, one_repeat, one_repeat_of_floats, scalars, mixed_scalars, integers]
    assert [d.message for e in epilogues for d in check(e)] == []
    options = Options(shapes=SHAPES, data=data, strict=True, together=8)
    right(verify_plans([lower(e) for e in epilogues], options))


def test_in_other_orders() -> None:
    options = Options(shapes=SHAPES[:1], strict=True, together=8, schedules=random_orders("AtlasA2"))
    right(verify_plans([lower(joined), lower(scalars)], options))


def test_a_mask_takes_an_eighth_of_a_byte_per_element() -> None:
    plan = lower(one_repeat)
    assert plan.ub.share(plan.aliases.index("Greater")) == 3 * 32, "128 bits are 16 bytes, a block has 32"
    assert lower(joined).compute_length % 128 == 0
