"""Casts and ulp distances against numpy, ml_dtypes and exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from evtgen.graph.types import (
    ROUND_MODES,
    ElementType,
    bfloat16,
    float4_e2m1fn,
    float8_e4m3fn,
    float8_e5m2,
    float32,
    half,
    int8,
    int16,
    int32,
    uint8,
)
from evtgen.operators import arrays as numeric
from evtgen.targets import ARCHITECTURES

from ..support.rounding import MODES, float8_samples, round_once, same

Array = NDArray[Any]

ALL_HALVES = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
ALL_BFLOATS: Array = np.arange(1 << 16, dtype=np.uint16).view(ml_dtypes.bfloat16)


def floats(count: int = 20000) -> Array:
    """Random bit patterns, values near the halves' range, ties and the edges of the integer types."""
    rng = np.random.default_rng(7)
    bits = rng.integers(0, 1 << 32, count, dtype=np.uint64).astype(np.uint32).view(np.float32)
    near = (rng.standard_normal(count) * 10.0 ** rng.integers(-8, 6, count)).astype(np.float32)
    ties = np.arange(-4096, 4096, dtype=np.float32) / 2
    half_ties = (ALL_HALVES[:31000].astype(np.float32) + ALL_HALVES[1:31001].astype(np.float32)) / 2
    edges = np.array([0, -0.0, 65504, 65519.996, 65520, 65535, 65536, 1e30, -65520, -1e30, 3.4e38, np.inf, -np.inf,
                      np.nan, 32767.5, -32768.5, 2147483648, -2147483904, 2**-24, 2**-25,
                      1.5 * 2**-25], np.float32)  # fmt: skip
    return np.concatenate([bits, near, ties, half_ties, edges])


def values_of(element: ElementType) -> Array:
    if element == half:
        return ALL_HALVES
    if element == bfloat16:
        return ALL_BFLOATS
    if element == float32:
        return floats()
    if element.minifloat or element.kind == "scale" or element == float4_e2m1fn:
        return np.arange(256 if element.packed == 1 else 16, dtype=np.uint8).view(numeric.dtype(element))
    info = ml_dtypes.iinfo(numeric.dtype(element))
    if element == int32:
        rng = np.random.default_rng(3)
        return np.concatenate([rng.integers(info.min, info.max, 20000), np.arange(2**24 - 40, 2**24 + 80),
                               [info.min, info.max, 32767, 32768, -32769]]).astype(np.int32)  # fmt: skip
    every: Array = np.arange(info.min, info.max + 1).astype(numeric.dtype(element))
    return every


def whole(x: Fraction, mode: str) -> int:
    """``x`` rounded to a whole number, from the definition of the modes."""
    down = x.numerator // x.denominator
    rest = x - down
    half_way = rest == Fraction(1, 2)
    nearest = rest > Fraction(1, 2)
    up = {
        "CAST_FLOOR": False,
        "CAST_CEIL": rest > 0,
        "CAST_TRUNC": rest > 0 and x < 0,
        "CAST_ODD": rest > 0 and down % 2 == 0,
        "CAST_ROUND": x > 0 if half_way else nearest,
    }.get(mode, down % 2 == 1 if half_way else nearest)
    return down + int(up)


CASTS = {
    pair: tuple(dict.fromkeys(mode for arch in ARCHITECTURES.values() for mode in arch.casts.get(pair, ())))
    for pair in {pair for arch in ARCHITECTURES.values() for pair in arch.casts}
}


@pytest.mark.parametrize("pair", sorted(CASTS, key=str), ids=lambda pair: f"{pair[0]}-{pair[1]}")
def test_every_cast_matches_exact_rounding(pair: tuple[ElementType, ElementType]) -> None:
    """Every pair and mode of the architectures, on a sample, against rational arithmetic."""
    source, to = pair
    array = values_of(source)
    sample = array[np.random.default_rng(1).permutation(len(array))[:3000]]
    sample = np.concatenate([sample, array[-30:]])
    for mode in CASTS[pair]:
        result = numeric.cast(sample, to, mode)
        assert result.dtype == numeric.dtype(to)
        with np.errstate(invalid="ignore"):
            pairs = zip(sample.astype(np.float64).tolist(), result.astype(np.float64).tolist(), strict=True)
        for x, y in pairs:
            rounded = scale_of(x) if to.kind == "scale" else expected(x, to, mode)
            assert same_value(rounded, y), (x, mode, y)


def same_value(a: float, b: float) -> bool:
    return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b)) or a == b != 0


def scale_of(x: float) -> float:
    """The power of two that is not above a number, as a scale of an MX format."""
    if not math.isfinite(x) or math.copysign(1, x) < 0:
        return math.nan
    return 2.0 ** max(math.frexp(x)[1] - 1, -127) if x else 2.0**-127


def expected(x: float, to: ElementType, mode: str) -> float:
    if to.kind == "int":
        info = ml_dtypes.iinfo(numeric.dtype(to))
        if not math.isfinite(x):
            return 0.0 if math.isnan(x) else float(info.max if x > 0 else info.min)
        return float(min(max(whole(Fraction(x), mode), info.min), info.max))
    infinite = math.inf if to.infinite else math.nan if to.minifloat else to.largest
    if math.isnan(x) or x == 0:
        return 0.0 if math.isnan(x) and to == float4_e2m1fn else x
    if math.isinf(x):
        return math.copysign(infinite, x)
    limits = ml_dtypes.finfo(numeric.dtype(to))
    quantum = Fraction(2) ** (max(math.frexp(x)[1], limits.minexp + 1) - to.precision)
    value = whole(Fraction(x) / quantum, mode) * quantum
    top = Fraction(float(limits.max))
    if abs(value) > top:
        inward = (
            mode in ("CAST_TRUNC", "CAST_ODD") or (mode == "CAST_FLOOR" and x > 0) or (mode == "CAST_CEIL" and x < 0)
        )
        return math.copysign(float(top) if inward else infinite, x)
    return math.copysign(float(value), x)


@pytest.mark.parametrize("to", [half, bfloat16], ids=str)
def test_rint_is_astype_bit_for_bit(to: ElementType) -> None:
    array = floats()
    with np.errstate(all="ignore"):
        wanted = array.astype(numeric.dtype(to))
    for mode in ("CAST_RINT", "CAST_NONE"):
        assert np.array_equal(numeric.cast(array, to, mode).view(np.uint16), wanted.view(np.uint16))


@pytest.mark.parametrize("to", [float8_e4m3fn, float8_e5m2], ids=str)
def test_floats_of_eight_bits_round_as_ml_dtypes_and_as_defined(to: ElementType) -> None:
    """To nearest as ml_dtypes, bit for bit; in each mode, also where no architecture has it, the neighbour that the
    mode says, of the list of all values. No rule says what rounding to odd makes of what is too large."""
    array = float8_samples()
    with np.errstate(all="ignore"):
        wanted = array.astype(numeric.dtype(to))
    assert np.array_equal(numeric.cast(array, to, "CAST_RINT").view(np.uint8), wanted.view(np.uint8))
    for mode in MODES:
        within = array[np.abs(array) <= to.largest] if mode == "CAST_ODD" else array
        assert same(numeric.cast(within, to, mode), round_once(within, to, mode)).all(), mode


def test_generic_rounding_agrees_with_astype() -> None:
    """The path of the directed modes, asked for RINT, gives what astype gives."""
    array = floats()
    array = array[~np.isnan(array)]
    for to in (half, bfloat16, float8_e4m3fn, float8_e5m2):
        with np.errstate(all="ignore"):
            wanted = array.astype(numeric.dtype(to))
            got = numeric._round_significand(array.astype(np.float64), to, np.rint)
        assert np.array_equal(got.view(f"u{to.size}"), wanted.view(f"u{to.size}"))


def test_integers_saturate_and_nan_is_zero() -> None:
    array = np.array([np.nan, np.inf, -np.inf, 300, -300, 127.5], np.float16)
    assert numeric.cast(array, int8, "CAST_RINT").tolist() == [0, 127, -128, 127, -128, 127]
    assert numeric.cast(array, uint8, "CAST_TRUNC").tolist() == [0, 255, 0, 255, 0, 127]
    assert numeric.cast(np.array([1 << 20, -(1 << 20)], np.int32), int16, "CAST_NONE").tolist() == [32767, -32768]


def test_casts_keep_order() -> None:
    """Every mode is monotone: the enclosures of the reference lean on it."""
    array = np.sort(floats()[:30000])
    array = array[~np.isnan(array)]
    for to in (half, bfloat16, int32, float8_e5m2, float8_e4m3fn):
        within = array if to.infinite else array[np.abs(array) < to.largest]
        for mode in ROUND_MODES:
            result = numeric.cast(within, to, mode).astype(np.float64)
            assert (result[1:] >= result[:-1]).all(), (to, mode)


def test_ulp_distance() -> None:
    one = np.array([1.0], np.float16)
    assert numeric.ulp_distance(one, np.nextafter(one, np.float16(2))).tolist() == [1]
    a = np.array([0.0, -0.0, np.nan, np.nan, np.inf], np.float32)
    b = np.array([-0.0, np.nextafter(np.float32(0), np.float32(1)), np.nan, 1, np.finfo(np.float32).max], np.float32)
    assert numeric.ulp_distance(a, b).tolist() == [0, 1, 0, np.iinfo(np.int64).max, 1]
    assert numeric.ulp_distance(np.array([3], np.int8), np.array([-4], np.int8)).tolist() == [7]
    brain = np.array([1.0], ml_dtypes.bfloat16)
    assert numeric.ulp_distance(brain, np.array([1.0078125], ml_dtypes.bfloat16)).tolist() == [1]
    with pytest.raises(TypeError):
        numeric.ulp_distance(one, brain)


def test_many_values_are_cast_as_few_are() -> None:
    """Directed modes go through an array part by part."""
    rng = np.random.default_rng(6)
    values = rng.standard_normal((3, numeric._PART // 2 + 7)).astype(np.float32)
    whole = numeric.cast(values.T, half, "CAST_ODD")
    rows = [numeric.cast(row, half, "CAST_ODD") for row in values]
    assert whole.shape == values.T.shape and np.array_equal(whole.T, np.stack(rows))
    assert numeric.cast(values[:0], half, "CAST_ODD").shape == (0, values.shape[1])
