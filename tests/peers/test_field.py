"""Fused operators of the field are epilogues, and compute what the operators' formulas say."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import evtgen as evt
from evtgen.check import check
from evtgen.graph.types import int4, int8
from evtgen.options import Data
from evtgen.pipeline.gallery import entries
from evtgen.planner.plan import lower
from evtgen.verify import Options, verify_plans

from ..support.right import right
from .field import FIELD, TIES

PAGE = Path(__file__).parents[2] / "docs" / "field.md"

EVERY = 1 if os.environ.get("EVTGEN_FULL") == "1" else 8
"""All are compared with EVTGEN_FULL=1, else one of so many."""


def test_the_page_names_every_spec() -> None:
    written, _ = PAGE.read_text().split("## Launches")
    rows = [row.split("|")[4] for row in written.splitlines() if row.startswith("| ") and "`" in row]
    named = [name for cell in rows for name in re.findall(r"`(\w+)`", cell)]
    assert set(named) >= set(FIELD)
    assert set(named) - set(FIELD) <= set(entries())


def test_the_page_counts_its_lines() -> None:
    first, rest = PAGE.read_text().split("## Launches")
    count, missing = (
        sum(line.startswith("| ") and "| where |" not in line for line in of.splitlines())
        for of in (first, rest.split("## Not written")[1])
    )
    assert f"Of {count + missing} lines {count} are written, and {missing} are not." in " ".join(first.split())


@pytest.mark.parametrize("name", ["grouped_matmul_per_token", "ffn_quant_up", "ffn_quant_down"])
def test_weights_may_be_of_int4(name: str) -> None:
    spec, _ = FIELD[name]
    assert not check(replace(spec, gemm=replace(spec.gemm, a=int8, b=int4)))


def test_every_spec_is_accepted() -> None:
    assert [(name, d.code, d.message) for name, (spec, _) in FIELD.items() for d in check(spec)] == []


@pytest.mark.cxx
@pytest.mark.parametrize("name", [name for name in FIELD if name != "min_p"][::EVERY])
def test_a_kernel_computes_the_formula(name: str) -> None:
    spec, meant = FIELD[name]
    data: Data | None = "normal" if name in TIES else None
    right(verify_plans([lower(spec)], Options(shapes=((87, 512, 40),), against=meant, data=data)))


@pytest.mark.cxx
def test_a_norm_of_a_is_behind_the_product() -> None:
    """swin_transformer_ln_qkv: the norm reads A, so a function of the product cannot say it."""
    rng = np.random.default_rng(7)
    x, w = (rng.standard_normal(shape).astype(ml_dtypes.bfloat16).astype("float64") for shape in ((70, 40), (40, 384)))
    beta = rng.standard_normal((1, 384)).astype("float32")
    found = evt.run(
        FIELD["swin_transformer_ln_qkv"][0],
        x.astype(ml_dtypes.bfloat16),
        w.astype(ml_dtypes.bfloat16),
        folded=w.sum(0, keepdims=True).astype("float32"),
        bias=beta,
        k=40.0,
    )
    centred = x - x.mean(1, keepdims=True)
    meant = centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) @ w + beta
    for name, part in zip(("q", "k_", "v"), np.split(meant, 3, axis=1), strict=True):
        np.testing.assert_allclose(found[name].astype("float64"), part, rtol=2**-8, atol=1e-4)


@pytest.mark.cxx
def test_logits_are_masked_where_they_are_unlikely() -> None:
    """min_p: most of its output is -inf, so it is compared on data of its own."""
    rng = np.random.default_rng(7)
    x, w = rng.standard_normal((24, 32)).astype("float16"), rng.standard_normal((32, 3000)).astype("float16")
    p = rng.uniform(0.01, 0.5, (24, 1)).astype("float32")
    spec, meant = FIELD["min_p"]
    assert meant is not None
    exact = meant(x.astype("float64") @ w.astype("float64"), p)
    np.testing.assert_allclose(evt.run(spec, x, w, p=p)["D"], exact, rtol=1e-5, atol=1e-5)
