"""Which numbers a type holds, and what they become there."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evtgen.graph.types import (
    ELEMENT_TYPES,
    ElementType,
    bfloat16,
    float8_e4m3fn,
    float8_e5m2,
    float32,
    half,
    int8,
    int16,
    int32,
    narrowest,
    uint8,
)
from evtgen.operators.arrays import dtype, largest
from evtgen.operators.constants import holds, literal, nearest
from evtgen.operators.declaration import is_number
from evtgen.operators.table import ALL
from evtgen.targets import AtlasA2

FLOATS = (half, bfloat16, float32, float8_e4m3fn, float8_e5m2)


@pytest.mark.parametrize("T", FLOATS, ids=str)
def test_nearest_is_numpys(T: ElementType) -> None:
    rng = np.random.default_rng(1)
    values = np.concatenate([
        rng.standard_normal(3000) * 2.0 ** rng.integers(-160, 130, 3000),
        [448.0, 464.0, 464.001, 479.0, 480.0, 57344.0, 61439.0, 61440.0],
        [0.0, -0.0, 65504.0, 65519.99, 65520.0, 3.39e38, 3.4e38, 2.0**-149, 2.0**-150, 2.0**-24, 2.0**-25, 2.0**-134],
    ])  # fmt: skip
    with np.errstate(over="ignore", under="ignore"):
        # numpy goes from float64 to half and float32 in one rounding, ml_dtypes to bfloat16 as well; to 8 bits
        # by way of float32, which shows for none of these.
        expected = values.astype(dtype(T)).astype(np.float64)
    for value, want in zip(values.tolist(), expected.tolist(), strict=True):
        got = nearest(value, T)
        if math.isnan(want):
            assert math.isnan(got) and not T.infinite and abs(value) > T.largest, value
            continue
        assert got == want and math.copysign(1, got) == math.copysign(1, want), (value, got, want)


@pytest.mark.parametrize("T", FLOATS, ids=str)
def test_a_float_holds_what_it_rounds_normally(T: ElementType) -> None:
    least_normal = 2.0 ** (T.least + T.precision - 1)
    assert holds(T, 0.1) and holds(T, 1 / 3) and holds(T, least_normal * (1 + 2**-30))
    assert holds(T, 2.0**T.least) and holds(T, -3 * 2.0**T.least) and not holds(T, 2.5 * 2.0**T.least)
    assert not holds(T, 2.0**T.least / 2) and not holds(T, 2.0**T.limit) and not holds(T, -(10**400))
    assert holds(T, T.largest) and holds(T, -T.largest) and not holds(T, math.nextafter(2 * T.largest, 0))
    assert holds(T, math.inf) == T.infinite and not holds(T, math.inf, finite=True) and not holds(T, math.nan)


@pytest.mark.parametrize("T", [T for T in ELEMENT_TYPES.values() if T.kind != "mask"], ids=str)
def test_the_largest_value(T: ElementType) -> None:
    assert T.largest == largest(T) == float(nearest(T.largest, T))


def test_integers() -> None:
    assert nearest(2.5, int8) == 2 and nearest(1e9, int8) == 127 and nearest(-math.inf, uint8) == 0
    assert nearest(math.nan, int32) == 0 and nearest(10**400, int32) == 2**31 - 1
    assert holds(int8, -128) and holds(int8, 5.0) and not holds(int8, 5.5) and not holds(uint8, -1)


@pytest.mark.parametrize("T", FLOATS, ids=str)
def test_literals_give_their_value(T: ElementType) -> None:
    rng = np.random.default_rng(2)
    for value in (rng.standard_normal(500) * 2.0 ** rng.integers(T.least - 2, T.limit - 3, 500)).tolist():
        text = literal(value, T)
        assert float(np.float64(np.float32(text.removesuffix("f"))).astype(dtype(T))) == nearest(value, T)


def test_includes_is_what_numpy_says() -> None:
    """Every value of a type of 8 or 16 bits, and the ends of the others, cast there and back."""
    numbers = [T for T in ELEMENT_TYPES.values() if T.kind != "mask"]
    for T in numbers:
        if T.size > 2:
            values = np.array([2**31 - 1, -(2**31), 2**24 + 1] if int32 == T else [1 + 2.0**-23, 3e38, 2.0**-149])
        else:
            values = np.arange(1 << 8 * T.size).astype(f"u{T.size}").view(dtype(T))
        with np.errstate(invalid="ignore"):
            exact = values.astype(dtype(T)).astype(np.float64)
            exact = exact[np.isfinite(exact)]
            for other in numbers:
                with np.errstate(over="ignore"):
                    back = exact.astype(dtype(other)).astype(np.float64)
                assert other.includes(T) == bool((back == exact).all()), (other, T)


def test_the_narrowest_type() -> None:
    cases = {
        (half, bfloat16): float32, (half, int8): half, (half, uint8): half, (bfloat16, uint8): bfloat16,
        (int8, uint8): int16, (int16, half): float32, (int16, int8): int16, (int16, int32): int32,
        (int16, bfloat16): float32, (half,): half, (int8, int8): int8, (half, bfloat16, int8): float32,
        (float8_e4m3fn, float8_e5m2): half, (float8_e4m3fn, half): half, (float8_e5m2, bfloat16): bfloat16,
        (float8_e4m3fn, int8): half, (float8_e5m2,): float8_e5m2, (float8_e5m2, float32): float32,
        (int32, half): None, (int32, float32): None, (int32, bfloat16): None,
    }  # fmt: skip
    for types, expected in cases.items():
        assert narrowest(types) == expected == narrowest(reversed(types)), types


def test_the_operators_own_numbers_are_held() -> None:
    """In every type in which an operator computes, the numbers of its calls are values."""
    for operator in ALL:
        for T in operator.types(AtlasA2):
            for call in operator.sequence:
                for arg in filter(is_number, call.sources):
                    assert holds(operator.computed_in(T), float(arg), finite=True), (operator.name, T, arg)
