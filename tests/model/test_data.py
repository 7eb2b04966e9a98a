"""The operands of a run: of the order of one, mixed, never equal, and the same again for the same seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from docs.generate.gallery import plans
from evtgen import Acc, Aux, Gemm, RowVector, Scalar, epilogue, float32, half, int8, int32, ops
from evtgen.model.data import DATA, operands
from evtgen.planner.plan import lower
from evtgen.reference import product, read

SHAPES = ((256, 512, 64), (87, 198, 40), (1, 1, 16), (129, 33, 16), (5, 4099, 16))


@epilogue
def scaled(acc: Acc[float32], X: Aux[float32], bias: RowVector[float32], alpha: Scalar[float32], beta: Scalar[float32]):
    return {"D": acc * alpha + X * beta + bias}


@epilogue(gemm=Gemm(int8, int8, int32))
def integers(acc: Acc[int32], X: Aux[int32]) -> Any:
    return {"D": acc + X}


@epilogue
def halves(acc: Acc[half]) -> Any:
    return {"D": ops.relu(acc)}


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("spec", [scaled, integers, halves], ids=lambda spec: spec.name)
def test_the_accumulator_is_of_the_order_of_one(spec: Any, data: str) -> None:
    for k in (8, 64, 1024, 4096):
        given = operands(lower(spec), (64, 96, k), 0, data)
        size = float(np.sqrt(np.mean(np.square(product(given.a, given.b)))))
        assert 0.5 < size < 8, k


@pytest.mark.parametrize("data", DATA)
def test_scalars_are_never_neutral_and_tensors_never_equal(data: str) -> None:
    plan = lower(scaled)
    for seed in range(40):
        given = operands(plan, (1, 1, 4), seed, data)
        assert not {float(given.inputs[name].item()) for name in ("alpha", "beta")} & {0.0, 1.0, -1.0}
        values = [float(given.inputs[name].item()) for name in ("X", "bias", "alpha", "beta")]
        assert len(set(values)) == len(values)


@pytest.mark.parametrize("data", DATA)
def test_whole_numbers_are_whole_and_the_same_again(data: str) -> None:
    plan = lower(scaled)
    given, again, other = (operands(plan, (9, 14, 30), seed, data) for seed in (3, 3, 4))
    arrays = [given.a, given.b, *given.inputs.values()]
    assert all((array == np.rint(array)).all() for array in arrays) == (data == "int")
    assert all(np.array_equal(given.inputs[name], again.inputs[name]) for name in given.inputs)
    assert not np.array_equal(given.a, other.a) and not np.array_equal(given.inputs["X"], other.inputs["X"])


@pytest.mark.parametrize("data", DATA)
def test_the_gallery_is_shown_from_both_sides(data: str) -> None:
    """Masks are mixed, int8 results are spread over their range, nothing is NaN."""
    for _, plan in plans():
        for shape in SHAPES[:2]:
            given = operands(plan, shape, 0, data)
            exact = product(given.a, given.b)
            for reading in read(plan, exact.astype(np.float32), given.inputs, exact):
                values = reading.formula
                assert values is not None and np.isfinite(values).all()
                if reading.node.element.kind == "mask":
                    assert 0.02 < values.mean() < 0.98, (plan.name, shape, reading.node)
                if reading.node.writes and reading.node.element == int8:
                    assert np.mean(np.abs(values) >= 127) < 0.6, (plan.name, shape)
                    assert np.unique(values).size > 10, (plan.name, shape)
