"""The formula rounds nowhere but where the user asked for whole numbers, and departures name where rounding tells."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from evtgen import Acc, Aux, Epilogue, Gemm, Scalar, epilogue, float32, half, int8, int32, ops
from evtgen.graph.types import ROUND_MODES, ElementType, bfloat16, int16, uint8
from evtgen.operators.arrays import cast, dtype, spacing, to_whole
from evtgen.planner.plan import Plan, lower
from evtgen.reference import Kind, departed, departures, explained_by, product, read
from evtgen.reference.walk import Reading

RNG = np.random.default_rng(4)


def readings(plan: Plan, product_: np.ndarray, inputs: dict[str, np.ndarray]) -> list[Reading]:
    with np.errstate(all="ignore"):
        acc = product_.astype(dtype(plan.element_c))
    return list(read(plan, acc, inputs, product_))


def outputs(found: list[Reading]) -> dict[str, np.ndarray]:
    return {r.node.tensor.name: meant(r) for r in found if r.node.writes and r.node.tensor is not None}


def meant(reading: Reading) -> np.ndarray:
    assert reading.formula is not None
    return reading.formula


@epilogue(auto_cast=True)
def rounded_often(acc: Acc[half], X: Aux[half], alpha: Scalar[float32]) -> Any:
    narrow = (acc * 0.1 + X).cast(half) * alpha
    return {"D": narrow, "sum": ops.scalar_reduce(narrow.cast(float32), identity=0.5)}


def test_nothing_is_rounded_between() -> None:
    exact, x = RNG.normal(size=(20, 30)), RNG.normal(size=(20, 30)).astype(np.float16)
    alpha = np.array([[1.7]], np.float32)
    found = outputs(readings(lower(rounded_often), exact, {"X": x, "alpha": alpha}))
    expected = (exact * 0.1 + x.astype(np.float64)) * float(alpha.item())
    np.testing.assert_allclose(found["D"], expected, rtol=1e-15)
    np.testing.assert_allclose(found["sum"], [[expected.sum() + 0.5]], rtol=1e-12)


@epilogue
def quantised(acc: Acc[float32]) -> Any:
    return {"Q": acc.cast(half, round="CAST_ODD").cast(int8, round="CAST_RINT")}


def test_whole_numbers_are_meant() -> None:
    exact = np.array([[0.5, 1.5, -2.5001, 126.5001, 300.0, np.nan]])
    assert outputs(readings(lower(quantised), exact, {}))["Q"].tolist() == [[0, 2, -3, 127, 127, 0]]


@pytest.mark.parametrize("to", [int8, uint8, int16, int32], ids=str)
@pytest.mark.parametrize("mode", ROUND_MODES)
def test_rounding_to_whole_numbers_is_that_of_the_cast(mode: str, to: ElementType) -> None:
    values = np.concatenate([RNG.normal(size=500) * 90, np.arange(-9, 9) / 2, [np.nan, np.inf, -np.inf, 4e9]])
    values = values.astype(np.float32)
    assert np.array_equal(to_whole(values.astype(np.float64), to, mode), cast(values, to, mode).astype(np.float64))


@pytest.mark.parametrize("element", [half, bfloat16, float32], ids=str)
def test_spacing_is_that_of_the_type(element: ElementType) -> None:
    values = np.array([1.0, 1.5, 3.99, -1024.0, 0.0, 1e-3]).astype(dtype(element))
    gaps = spacing(values.astype(np.float64), element)
    above = np.nextafter(np.abs(values), dtype(element).type(np.inf)).astype(np.float64)
    assert np.array_equal(gaps, above - np.abs(values.astype(np.float64)))


@epilogue(gemm=Gemm(int8, int8, int32))
def wrapping(acc: Acc[int32], X: Aux[int32]) -> Any:
    return {"D": (acc + X) * 3}


def test_integers_do_not_wrap_in_the_formula_and_wrapping_is_a_departure() -> None:
    exact, x = np.full((4, 8), 5.0), np.full((4, 8), 2**30, np.int32)
    plan = lower(wrapping)
    found = readings(plan, exact, {"X": x})
    assert (outputs(found)["D"] == 3 * (5 + 2**30)).all()
    (departure,) = departures(plan.steps, [lambda: found], [found[-1].index], plan.gemm)
    assert departure.kind is Kind.RANGE and departure.share == 1
    assert plan.aliases[departure.step].startswith("Mul")


@epilogue
def exact_in_half(acc: Acc[half], X: Aux[half]) -> Any:
    return {"D": ops.relu(acc * 2.0 + X), "sum": ops.row_reduce((acc - X).cast(float32))}


def test_where_nothing_rounds_both_references_are_one() -> None:
    exact, x = (RNG.integers(-9, 10, (40, 60)).astype(np.float64) for _ in range(2))
    plan = lower(exact_in_half)
    for reading in readings(plan, exact, {"X": x.astype(np.float16)}):
        assert reading.stepwise.exact and np.array_equal(reading.stepwise.value.astype(np.float64), meant(reading))
        assert departed(reading, explained_by(plan.steps, plan.gemm)[reading.index]) == {}


def test_the_accumulators_rounding_is_no_departure() -> None:
    plan = lower(exact_in_half)
    exact = product(RNG.normal(size=(40, 8)), RNG.normal(size=(8, 60)))
    found = readings(plan, exact, {"X": RNG.normal(size=(40, 60)).astype(np.float16)})
    assert explained_by(plan.steps, plan.gemm)[found[-1].index] == half
    assert departures(plan.steps, [lambda: found], [r.index for r in found if r.node.writes], plan.gemm) == []


@epilogue
def pole(acc: Acc[half]) -> Any:
    return {"D": 1.0 / (acc - 1.0)}


@epilogue
def steep(acc: Acc[half]) -> Any:
    return {"D": ops.exp(acc)}


def test_a_pole_that_rounding_hits_is_no_overflow_but_overflow_is() -> None:
    values = np.linspace(2, 3, 1000).reshape(10, 100)
    values[0, 0] = 1 + 1e-5  # 1 in half
    for spec, place, kinds in ((pole, 1 + 1e-5, []), (steep, 12.0, [Kind.RANGE])):
        values[0, 0] = place
        plan = lower(spec)
        found = readings(plan, values, {})
        assert np.isinf(found[-1].stepwise.value.astype(np.float64)[0, 0]) and np.isfinite(meant(found[-1])).all()
        assert [d.kind for d in departures(plan.steps, [partial(iter, found)], [found[-1].index], plan.gemm)] == kinds


@epilogue
def residual(acc: Acc[float32], X: Aux[bfloat16]) -> Any:
    """What is kept is normed."""
    kept = (acc + X.cast(float32)).cast(bfloat16)
    return {"D": kept, "E": ops.rms_norm(kept.cast(float32))}


@epilogue
def zero_point(acc: Acc[float32], X: Aux[bfloat16]) -> Any:
    low, high = ops.col_reduce(acc, "min"), ops.col_reduce(acc, "max")
    step = (high - low) / 255.0
    zero = ops.round(-low / step)
    return {"D": (ops.round(acc / step) + zero - zero) * step, "E": zero + X.cast(float32) * 0.0}


@epilogue
def added_in_half(acc: Acc[float32], X: Aux[bfloat16]) -> Any:
    """A near miss: the sum itself is computed in half."""
    return {"D": (acc.cast(half) + X.cast(half) + 99.0 - 99.0).cast(float32)}


@epilogue
def lost_in_half(acc: Acc[float32], X: Aux[bfloat16]) -> Any:
    """A near miss: no rounding makes 0 of a value."""
    return {"D": 1.0 / (acc * 1e-9).cast(half).cast(float32) + X.cast(float32)}


@pytest.mark.parametrize(
    ("spec", "kinds"),
    [(residual, []), (zero_point, []), (added_in_half, [Kind.ACCURACY]), (lost_in_half, [Kind.RANGE])],
    ids=lambda one: getattr(one, "name", ""),
)
def test_a_rounding_that_is_written_is_meant(spec: Epilogue, kinds: list[Kind]) -> None:
    plan, rng = lower(spec), np.random.default_rng(3)
    exact = product(rng.integers(-5, 6, (87, 40)).astype(np.float64), rng.integers(-5, 6, (40, 198)) / 8)
    x = rng.normal(size=(87, 198)).astype(dtype(bfloat16))
    with np.errstate(all="ignore"):
        found = readings(plan, exact, {"X": x})
        left = departures(plan.steps, [lambda: found], [r.index for r in found if r.node.writes], plan.gemm)
    assert [one.kind for one in left] == kinds
