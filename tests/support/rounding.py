"""A single rounding, written from its rule: of the two values of a type next to a number, the one that the mode says.

AscendC, precision_conversion. It has nothing from ``evtgen.operators``, which it is there to judge: 16-bit floats are
looked up in the list of all their values, whole numbers and float32 have their neighbours computed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

from evtgen.graph.types import ElementType

DTYPES: dict[str, Any] = {
    "half": np.float16, "int4": ml_dtypes.int4, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32, "int8": np.int8,
    "uint8": np.uint8, "int16": np.int16, "int32": np.int32,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn, "float8_e5m2": ml_dtypes.float8_e5m2,
    "float4_e2m1fn": ml_dtypes.float4_e2m1fn,
}  # fmt: skip

MODES = ("CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC", "CAST_ODD")


def round_once(values: Any, to: ElementType, mode: str) -> Any:
    """``values``, of any element type, as values of ``to`` in ``mode``."""
    return roundings(values, to)(mode)


def roundings(values: Any, to: ElementType) -> Callable[[str], Any]:
    """``values``, of any element type, as values of ``to`` by the mode: their neighbours are found once for all."""
    with np.errstate(invalid="ignore"):
        exact = values.astype(np.float64)
    if to.kind == "int" or to.packed > 1:
        limits = ml_dtypes.iinfo(DTYPES[to.name]) if to.kind == "int" else ml_dtypes.finfo(DTYPES[to.name])
        # What is beyond the range is at its end; NaN is 0.
        ends = float(limits.min), float(limits.max)
        exact = np.clip(np.nan_to_num(exact, nan=0.0, posinf=np.inf, neginf=-np.inf), *ends)
    if to.kind == "int":
        low, high = np.floor(exact), np.ceil(exact)
        low_is_even = np.fmod(low, 2) == 0
        return lambda mode: _chosen(exact, low, high, low_is_even, mode).astype(DTYPES[to.name])
    if to.name == "float32":
        with np.errstate(over="ignore", invalid="ignore"):
            near = exact.astype(np.float32)
        low = np.where(near > exact, np.nextafter(near, np.float32(-np.inf)), near)
        high = np.where(near < exact, np.nextafter(near, np.float32(np.inf)), near)
        low_is_even = low.view(np.uint32) % 2 == 0
    else:
        table, even = _all_values(to.name)
        place = np.searchsorted(table, exact, side="right") - 1
        inside = np.clip(place, 0, len(table) - 2)
        low = table[inside]
        high = np.where(low == exact, low, table[inside + 1])
        low, high = np.where(exact == np.inf, np.inf, low), np.where(exact == np.inf, np.inf, high)
        low_is_even = even[inside]
    low, high = low.astype(np.float64), high.astype(np.float64)
    # NaN of float8_e4m3fn is where 480 would be.
    limit = 2.0**to.limit if to.infinite else 480.0

    def rounded(mode: str) -> Any:
        result = _chosen(exact, low, high, low_is_even, mode, limit)
        with np.errstate(over="ignore", invalid="ignore"):
            result = np.copysign(np.where(np.isnan(exact), np.nan, result), exact)
            return np.where(np.isinf(result) & (not to.infinite), np.nan, result).astype(DTYPES[to.name])

    return rounded


def _chosen(exact: Any, low: Any, high: Any, low_is_even: Any, mode: str, limit: float = np.inf) -> Any:
    """Which of two neighbours; ``limit`` is where an infinite one counts as being."""
    with np.errstate(invalid="ignore", over="ignore"):
        below = exact - np.clip(low, -limit, limit)
        above = np.clip(high, -limit, limit) - exact
    up = {
        "CAST_FLOOR": np.zeros_like(low_is_even),
        "CAST_CEIL": np.ones_like(low_is_even),
        "CAST_TRUNC": exact < 0,
        "CAST_ODD": low_is_even,
        "CAST_ROUND": (above < below) | ((above == below) & (exact > 0)),
        "CAST_RINT": (above < below) | ((above == below) & ~low_is_even),
    }[mode]
    return np.where(low == high, low, np.where(up, high, low))


@cache
def _all_values(name: str) -> tuple[Any, Any]:
    """All values of a float of 16, 8 or 4 bits in order, and whether the last bit of each is 0; with infinities, which
    stand for NaN if the type has none."""
    size = np.dtype(DTYPES[name]).itemsize
    width = 4 if name == "float4_e2m1fn" else 8 * size
    bits = np.arange(1 << width).astype(f"u{size}")
    with np.errstate(invalid="ignore"):
        values = bits.view(DTYPES[name]).astype(np.float64)
    kept = ~np.isnan(values) & (bits != 1 << (width - 1))
    order = np.argsort(values[kept])
    values, even = values[kept][order], (bits[kept][order] % 2) == 0
    if np.isinf(values[-1]):
        return values, even
    return np.concatenate([[-np.inf], values, [np.inf]]), np.concatenate([[False], even, [False]])


def same(one: Any, other: Any) -> Any:
    """Elementwise, whether two arrays have the same value; NaN equals NaN, 0 does not equal −0."""
    if one.dtype.kind in "iu":
        return one == other
    with np.errstate(invalid="ignore"):
        one, other = one.astype(np.float64), other.astype(np.float64)
    return (np.isnan(one) & np.isnan(other)) | ((one == other) & (np.signbit(one) == np.signbit(other)))


def samples(source: ElementType) -> Any:
    """Values of a type: all there are of 8 and 16 bits, and of the others those at which something is decided."""
    dtype = DTYPES[source.name]
    if source.packed > 1:
        return np.arange(-8, 8).astype(dtype) if source.kind == "int" else np.arange(16, dtype=np.uint8).view(dtype)
    if source.size == 1:
        return np.arange(256, dtype=np.uint8).view(dtype)
    if source.size == 2:
        return np.arange(1 << 16, dtype=np.uint16).view(dtype)
    return _int32_samples() if source.kind == "int" else _float32_samples()


@cache
def float8_samples() -> Any:
    """float32 values at which a float of 8 bits decides something: its values and the middles between them and beyond
    the largest, their neighbours, random bits, zeros, infinities and NaN."""
    pieces = []
    for name in ("float8_e4m3fn", "float8_e5m2"):
        values = _all_values(name)[0]
        finite = values[np.isfinite(values)]
        top = finite[-1]
        pieces += [finite, (finite[1:] + finite[:-1]) / 2, np.outer([-1, 1], top + np.arange(9) * top / 64).ravel()]
    ends = np.concatenate(pieces).astype(np.float32)
    steps = [ends, np.nextafter(ends, np.float32(np.inf)), np.nextafter(ends, np.float32(-np.inf))]
    rng = np.random.default_rng(3)
    anything = rng.integers(0, 1 << 32, 100_000, dtype=np.uint32).view(np.float32)
    near = (rng.standard_normal(100_000) * 2.0 ** rng.integers(-18, 18, 100_000)).astype(np.float32)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 3.4e38, -3.4e38, 1e-45, -1e-45], np.float32)
    return np.concatenate([*steps, anything, near, special])


def _int32_samples() -> Any:
    rng = np.random.default_rng(1)
    small = np.arange(-70_000, 70_000)
    # Numbers of every length, and both sides of where bfloat16 and float32 have a value or a middle.
    lengths = rng.integers(1, 32, 200_000)
    long = rng.integers(0, 1 << 31, 200_000) >> (31 - lengths)
    kept = rng.choice((7, 8, 9, 23, 24, 25), 200_000)
    ends = (long >> np.maximum(lengths - kept, 0)) << np.maximum(lengths - kept, 0)
    near = np.concatenate([ends + step for step in (-2, -1, 0, 1, 2)])
    whole = np.concatenate([small, long, -long, near, -near, [2**31 - 1, -(2**31)]])
    # Each once: most of what is near one end is near another, too.
    ordered = np.sort(np.clip(whole, -(2**31), 2**31 - 1).astype(np.int32))
    return ordered[np.append(True, ordered[1:] != ordered[:-1])]


def _float32_samples() -> Any:
    pieces = []
    for name in ("half", "bfloat16"):
        finite = _all_values(name)[0][1:-1]
        middles = (finite[1:] + finite[:-1]) / 2
        pieces += [finite, middles]
    halves = np.arange(-140_000, 140_001) / 2
    large = np.array([2.0**15, 2.0**16, 65520, 2.0**31, 2.0**32, 1e10, 1e30, 3.4e38])
    beyond = np.concatenate([large, -large])
    with np.errstate(over="ignore"):
        ends = np.concatenate([*pieces, halves, beyond]).astype(np.float32)
    steps = [ends, np.nextafter(ends, np.float32(np.inf)), np.nextafter(ends, np.float32(-np.inf))]
    rng = np.random.default_rng(2)
    anything = rng.integers(0, 1 << 32, 300_000, dtype=np.uint32).view(np.float32)
    tiny = np.arange(1, 5000, dtype=np.uint32).view(np.float32)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], np.float32)
    return np.concatenate([*steps, anything, tiny, -tiny, special])
