"""Comparisons of positions that become bands, and those that stay masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from evtgen import Acc, Aux, Scalar, epilogue, float32, half, ops
from evtgen.graph.ir import Epilogue, flatten
from evtgen.nodes import Band, Compute, Position
from evtgen.passes.manager import run_passes
from evtgen.reference import evaluate

LEAST, MOST = -(1 << 31), (1 << 31) - 1

Condition = Callable[[Any, Any], Any]

BANDS: list[tuple[Condition, list[tuple[int, int, int, int]]]] = [
    (lambda r, c: r >= c, [(-1, 1, LEAST, 0)]),
    (lambda r, c: c > r, [(-1, 1, 1, MOST)]),
    (lambda r, c: c - r <= 7, [(-1, 1, LEAST, 7)]),
    (lambda r, c: r - 3 < c, [(-1, 1, -2, MOST)]),
    (lambda r, c: ~(c > r + 3), [(-1, 1, LEAST, 3)]),
    (lambda r, c: abs(r - c) <= 4, [(-1, 1, -4, 4)]),
    (lambda r, c: abs((c - r).cast(float32)) < 2.5, [(-1, 1, -2, 2)]),
    (lambda r, c: (c - r).cast(float32) >= 2.5, [(-1, 1, 3, MOST)]),
    (lambda r, c: (r - c >= 0) & (r - c < 9), [(-1, 1, -8, 0)]),
    (lambda r, c: (r >= c) & (c >= r), [(-1, 1, 0, 0)]),
    (lambda r, c: r == c + 2, [(-1, 1, -2, -2)]),
    (lambda r, c: 2 * r + 1 >= c, [(-2, 1, LEAST, 1)]),
    (lambda r, c: c + r < 20, [(1, 1, LEAST, 19)]),
    (lambda r, c: c < 11, [(0, 1, LEAST, 10)]),
    (lambda r, c: 5 - 3 * r <= -7, [(3, 0, 12, MOST)]),
    (lambda r, c: (r >= c) & (r < 17), [(-1, 1, LEAST, 0), (1, 0, LEAST, 16)]),
    # They have no element in common
    (lambda r, c: (r - c > 3) & (c - r > 3), [(-1, 1, LEAST, -4), (-1, 1, 4, MOST)]),
]

NEAR_MISSES: list[Condition] = [
    lambda r, c: 2 * c <= r,
    lambda r, c: (r * c).cast(float32) > 30.0,
    lambda r, c: c != r,
    lambda r, c: ~(c == r),
    lambda r, c: abs(r - c) > 4,
    lambda r, c: abs(r - c) <= -1,
    lambda r, c: ops.maximum(r, c) < 9,
    lambda r, c: (c - r).cast(float32) == 2.5,
    lambda r, c: (r > c) | (c < 3),
    lambda r, c: r - r >= 0,
    lambda r, c: (c - r).cast(float32) <= float(1 << 24),
    lambda r, c: (c.cast(float32) * 0.5) <= 3.0,
]


ARCHITECTURES = ("AtlasA2", "Ascend950")
"""The second compares positions as they are, the first by the sign of their difference."""


def masked(condition: Condition, arch: str = "AtlasA2") -> Epilogue:
    @epilogue(name="masked", arch=arch)
    def function(acc: Acc[float32]) -> Any:
        return {"D": ops.where(condition(ops.row_index(), ops.col_index()), acc, -2.5)}

    assert isinstance(function, Epilogue)
    return function


def values(spec: Epilogue, **inputs: Any) -> Any:
    rng = np.random.default_rng(0)
    acc = rng.standard_normal((23, 37)).astype(np.float32)
    return evaluate(spec, acc, inputs)["D"]


def found(spec: Epilogue) -> tuple[list[Band], Epilogue]:
    done = run_passes(spec, verify=True)
    return [step.node for step in flatten(done.root) if isinstance(step.node, Band)], done


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize(("condition", "bands"), BANDS)
def test_a_straight_bound_is_a_band(condition: Condition, bands: list[tuple[int, int, int, int]], arch: str) -> None:
    spec = masked(condition, arch)
    made, done = found(spec)
    assert sorted((b.row, b.column, b.lower, b.upper) for b in made) == sorted(bands)
    assert not any(isinstance(step.node, Position) for step in flatten(done.root))
    assert np.array_equal(values(spec), values(done))


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("condition", NEAR_MISSES)
def test_any_other_is_computed(condition: Condition, arch: str) -> None:
    spec = masked(condition, arch)
    made, done = found(spec)
    assert made == [] and np.array_equal(values(spec), values(done))


def test_what_is_compared_with_a_number_of_run_time_is_computed() -> None:
    @epilogue
    def padded(acc: Acc[float32], length: Scalar[float32]) -> Any:
        return {"D": ops.where(ops.col_index().cast(float32) < length, acc, 0.0)}

    assert isinstance(padded, Epilogue) and found(padded)[0] == []


def test_of_a_mask_what_is_no_band_stays_a_mask() -> None:
    @epilogue
    def both(acc: Acc[float32], X: Aux[float32], other: Scalar[float32]) -> Any:
        seen = (X > 0.0) & (ops.row_index() >= ops.col_index())
        return {"D": ops.where(seen, acc, other)}

    assert isinstance(both, Epilogue)
    made, done = found(both)
    kept = [step.node.op for step in flatten(done.root) if isinstance(step.node, Compute)]
    assert len(made) == 1 and kept == ["GreaterScalar", "WhereScalar"]
    x, other = np.linspace(-1, 1, 23 * 37, dtype=np.float32).reshape(23, 37), np.full((1, 1), 3.0, np.float32)
    assert np.array_equal(values(both, X=x, other=other), values(done, X=x, other=other))


def test_zeros_of_both_signs_are_two_bands() -> None:
    @epilogue
    def signs(acc: Acc[half]) -> Any:
        seen = ops.row_index() >= ops.col_index()
        return {"D": 1.0 / ops.where(seen, acc, 0.0), "E": 1.0 / ops.where(seen, acc, -0.0)}

    assert isinstance(signs, Epilogue) and len(found(signs)[0]) == 2


def test_what_wraps_around_is_computed() -> None:
    """A sum of itself again and again, which is followed once."""

    def far(r: Any, c: Any) -> Any:
        for _ in range(40):
            r = r + r
        return r.cast(float32) > 3.0

    spec = masked(far)
    assert found(spec)[0] == []
