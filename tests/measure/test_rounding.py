"""What the page of accuracy says of fusing: its steps are those of the gallery's epilogues, and its rows theirs."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import bench_rounding
from evtgen.frontend.load import load
from evtgen.graph.types import half, int8
from evtgen.operators.arrays import dtype
from evtgen.planner.plan import Plan, lower
from evtgen.reference import formulas, product

from ..support.paths import CHECKOUT

PLANS = [lower(e) for e in load(bench_rounding.SPECS) if e.name in bench_rounding.STEPS]


def test_each_has_steps() -> None:
    assert {plan.name for plan in PLANS} == set(bench_rounding.STEPS)


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)
def test_steps_compute_what_the_epilogue_means(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for rounding to half on the way, and with that."""
    monkeypatch.setattr(bench_rounding, "SHAPE", (40, 96, 64))
    given = bench_rounding.drawn(plan)
    exact = product(given.a, given.b)
    meant = formulas(plan.written, given.inputs, exact, plan.kernel.problem(bench_rounding.SHAPE))
    wide = {name: array.astype(np.float32) for name, array in given.inputs.items()}
    got = bench_rounding.STEPS[plan.name](bench_rounding.kernel(exact), wide)
    outputs = {tensor.name: tensor.element for tensor in plan.tensors if tensor.output}
    assert got.keys() == outputs.keys()
    for name, element in outputs.items():
        assert got[name].shape == meant[name].shape
        most, mean = bench_rounding.error(got[name], meant[name], int8 if element == int8 else half)
        assert 0 < mean <= most < 20, name


def test_an_error_is_in_ulp_of_the_type() -> None:
    formula = np.array([[1.0, 100.0, 1e-9, 2.0]])
    assert bench_rounding.error(formula, formula, half) == (0, 0)
    off = formula + np.array([[0, 1 / 16, 0, 2**-11]])  # an ulp, and a quarter
    assert bench_rounding.error(off, formula, half) == (1, 1.25 / 4)
    rounded = formula.astype(dtype(half)).astype(np.float64)
    assert bench_rounding.error(rounded, formula, half)[0] <= 0.5


def test_the_page_has_every_output() -> None:
    """`make docs` rewrites it."""
    text = (CHECKOUT / "docs" / "accuracy.md").read_text(encoding="utf-8").partition("\n## What fusing does")[2]
    rows = [f"| {plan.name} | {tensor.name} | {tensor.element} |" for plan in PLANS for tensor in plan.tensors
            if tensor.output]  # fmt: skip
    assert [text.count(row) for row in rows] == [1] * len(rows)
    assert text.count("\n| ") == len(rows) + 1
