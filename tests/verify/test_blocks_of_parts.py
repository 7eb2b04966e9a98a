"""Blocks and heads of parts of a row: against formulas that are written apart from the epilogues."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import evtgen as evt
from evtgen import Acc, Aux, Gemm, RowVector, ops
from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.frontend.load import load
from evtgen.graph.types import float32
from evtgen.planner.plan import lower
from evtgen.verify import Options, verify_plans

from ..support.epilogues import ARCHES, random_orders
from ..support.paths import CHECKOUT
from ..support.right import right
from ..support.wide import in_orders


def of_gallery(name: str) -> evt.Epilogue:
    return next(one for one in load([CHECKOUT / "examples" / "gallery" / "parts.py"]) if one.name == name)


def rope(x: Any, cos: Any, sin: Any, head: int) -> Any:
    heads = x.reshape(len(x), -1, head)
    low, high = heads[..., : head // 2], heads[..., head // 2 :]
    return (heads * cos[:, None] + np.concatenate([-high, low], -1) * sin[:, None]).reshape(x.shape)


def normed(x: Any, gamma: Any, head: int | None = None) -> Any:
    heads = x.reshape(len(x), -1, head or x.shape[1])
    return (heads / np.sqrt((heads * heads).mean(-1, keepdims=True) + 1e-6)).reshape(x.shape) * gamma


def split_qkv(acc: Any, q_gamma: Any, k_gamma: Any, cos: Any, sin: Any) -> Any:
    q, k, v = acc[:, :256], acc[:, 256:384], acc[:, 384:512]
    q, k = normed(q, q_gamma, 128), normed(k, k_gamma, 128)
    return {"q": rope(q, cos, sin, 128), "k": rope(k, cos, sin, 128), "v": v}


def mla(acc: Any, kv_gamma: Any, q_gamma: Any, cos: Any, sin: Any) -> Any:
    q = normed(acc[:, 576:], q_gamma)
    scales = np.abs(q).max(-1, keepdims=True) / 127
    return {
        "kv": normed(acc[:, :512], kv_gamma),
        "k_rope": rope(acc[:, 512:576], cos, sin, 64),
        "q": np.rint(q / np.where(scales == 0, 1, scales)),
        "scales": scales,
    }


@pytest.mark.cxx
@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize(("name", "meant"), [("split_qkv_rmsnorm_rope", split_qkv), ("mla_prologue", mla)])
def test_of_the_field(name: str, meant: Any, arch: str) -> None:
    function = of_gallery(name).function
    assert function is not None
    plan = lower(evt.epilogue(arch=arch)(function))
    right(verify_plans([plan], Options(shapes=((87, 2112, 40),), against=meant, data="normal")))


@evt.epilogue
def scales(acc: Acc[float32]):
    """Blocks of parts whose last one has fewer columns."""
    left, rest = ops.quantize_per_block(acc[:, 0:100], block=64), ops.quantize_per_block(acc[:, 128:])
    return {"D": left[0], "S": left[1], "M": acc[:, 100:128], "E": rest[0], "T": rest[1]}


@pytest.mark.cxx
@pytest.mark.parametrize("arch", ARCHES)
def test_last_blocks_of_parts(arch: str) -> None:
    assert scales.function is not None
    one = evt.epilogue(arch=arch)(scales.function)
    others = replace(one, name="fixed", deterministic=True), replace(one, name="groups", gemm=Gemm(group="m"))
    plans = [lower(each) for each in (one, *others)]
    options = Options(
        shapes=((87, 300, 40), (5, 129, 16)), strict=True, schedules=random_orders(arch), pad=3, together=3
    )
    right(in_orders(plans, options))


@pytest.mark.cxx
@pytest.mark.parametrize("arch", ARCHES)
def test_a_bias_of_all_parts_before_the_rope_of_one(arch: str) -> None:
    """Tiles of the other part have few columns, in rows as far apart as heads: nothing is computed between them."""

    @evt.epilogue(arch=arch)
    def biased(acc: Acc[float32], bias: RowVector[float32], cos: Aux[float32], sin: Aux[float32]):
        y = acc + bias
        return {"q": ops.rope(y[:, 0:128], cos, sin, head=128), "v": y[:, 128:]}

    shapes = ((3, 136, 5), (87, 300, 40))
    right(verify_plans([lower(biased)], Options(shapes=shapes, data="normal", strict=True)))


def test_from_python() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal((9, 16)), rng.standard_normal((16, 512))
    given = {name: rng.standard_normal((1, n)).astype(np.float32) for name, n in (("q_gamma", 256), ("k_gamma", 128))}
    given |= {name: rng.standard_normal((9, 128)).astype(np.float16) for name in ("cos", "sin")}
    a, b = a.astype(np.float16), b.astype(np.float16)
    epilogue = of_gallery("split_qkv_rmsnorm_rope")
    product = a.astype(np.float64) @ b.astype(np.float64)
    meant = split_qkv(product, **{name: array.astype(np.float64) for name, array in given.items()})
    found = evt.run(epilogue, a, b, **given)
    assert all(np.allclose(found[name], meant[name], rtol=5e-3, atol=5e-2) for name in "qkv")


@pytest.mark.fast
def test_a_part_has_whole_heads() -> None:
    x = np.zeros((2, 512), np.float32)
    with pytest.raises(EvtgenError, match="EVT011"):
        ops.rope(x[:, 0:96], x, x, head=64)
