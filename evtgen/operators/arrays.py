"""The device's arithmetic in numpy: element types as dtypes, casts in every round mode, distances in ulp.

Casts follow AscendC's rules for converting between precisions (page "precision_conversion"): a whole number or a
significand is rounded in the mode asked for, integers saturate, NaN becomes integer 0. Floats overflow as IEEE 754 has
it, the device's non-saturating mode (``SetSaturationFlag``), which is also numpy's: to infinity in the modes that round
to nearest or away from zero there, to the largest finite value in those that round towards zero. A type without
infinities has NaN in their place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..graph.types import BY_NUMPY, ElementType, float8_e8m0fnu
from .constants import limits

Array = NDArray[Any]


_PART = 1 << 16
"""Values that are cast at once."""

ADDED = ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float4_e2m1fn", "int4")
"""The dtypes that numpy has from ml_dtypes only. float32 holds their values."""


def dtype(element: ElementType) -> np.dtype[Any]:
    """The numpy dtype with the values of ``element``."""
    if element.numpy in ADDED:
        import ml_dtypes

        other: np.dtype[Any] = np.dtype(getattr(ml_dtypes, element.numpy))
        return other
    return np.dtype(element.numpy)


def element_of(array: Array) -> ElementType:
    """The element type whose dtype ``array`` has. Raises KeyError for a dtype that no element type has."""
    return BY_NUMPY[array.dtype.name]


def is_whole(array: Array) -> bool:
    """Whether its type has whole numbers only."""
    return array.dtype.kind in "iu" or array.dtype.name == "int4"


def packed(array: Array) -> Array:
    """An array as it lies in memory, one axis: two elements of 4 bits in a byte, the first in its low half."""
    flat = np.ravel(array)
    if flat.dtype.name not in BY_NUMPY or (count := element_of(flat).packed) == 1:
        return flat
    halves = flat.view(np.uint8).reshape(-1, count)
    bytes_: Array = halves[:, 0] & 15 | halves[:, 1] << 4
    return bytes_


def unpacked(memory: Array, element: ElementType) -> Array:
    """The elements of :func:`packed` bytes."""
    if element.packed == 1:
        return memory.view(dtype(element))
    return np.stack([memory & 15, memory >> 4], axis=-1).reshape(-1).view(dtype(element))


def cast(array: Array, to: ElementType, mode: str) -> Array:
    """Cast ``array`` to ``to`` in round mode ``mode`` (``"CAST_RINT"`` …), elementwise, as AscendC's Cast does.

    A cast to the array's own type returns it. Raises KeyError for an unknown mode.
    """
    rounder = _ROUNDERS[mode]
    source = element_of(array)
    if source == to:
        return array
    with np.errstate(all="ignore"):
        if to.kind == "int":
            whole = array if source.kind == "int" else rounder(array.astype(np.float64))
            return _saturate(whole, to)
        if to.kind == "scale":
            return to_scale(array.astype(np.float64)).astype(dtype(to))
        if to.packed > 1:  # It has no NaN: the Cast page of AscendC makes 0 of one
            array = np.where(np.isnan(array.astype(np.float32)), np.zeros(1, array.dtype), array)
        if rounder is np.rint or _fits(source, to):
            return array.astype(dtype(to))
        flat = array.reshape(-1)
        result = np.empty(flat.shape, dtype(to))
        # Part by part: the steps between take many times the memory of the values.
        for start in range(0, flat.size, _PART):
            part = slice(start, start + _PART)
            result[part] = _round_significand(flat[part].astype(np.float64), to, rounder)
        return result.reshape(array.shape)


def to_whole(array: Array, to: ElementType, mode: str) -> Array:
    """float64 values, any shape, rounded to whole numbers in round mode ``mode`` and clamped to the integer type
    ``to``, in float64; NaN becomes 0."""
    with np.errstate(invalid="ignore"):
        whole: Array = np.clip(np.nan_to_num(_ROUNDERS[mode](array), nan=0.0), *limits(to))
    return whole


def to_scale(array: Array) -> Array:
    """float64 values, any shape, rounded down to powers of two from 2^-127 to 2^127, the scales of MX formats, in
    float64; NaN of what is larger or has a sign."""
    least, most = float8_e8m0fnu.least, float8_e8m0fnu.limit
    exponents = np.where(array == 0, least, np.frexp(array)[1] - 1)
    scales: Array = np.ldexp(1.0, np.maximum(exponents, least))
    return np.where((array < 2.0**most) & ~np.signbit(array), scales, np.nan)


def spacing(array: Array, element: ElementType) -> Array:
    """The distance between neighbours of ``element`` at float64 values, elementwise: the ulp, or 1 for integers."""
    if element.kind == "int":
        return np.ones(array.shape)
    least = _finfo(element).minexp + 1
    # The exponent of 0 is that of the subnormals, not 0.
    exponent = np.where(array == 0, least, np.frexp(np.where(np.isfinite(array), array, 1.0))[1])
    gap: Array = np.ldexp(1.0, np.maximum(exponent, least) - element.precision)
    return gap


def ulp_distance(a: Array, b: Array) -> NDArray[np.int64]:
    """How many values of their common type lie between ``a`` and ``b``, elementwise; 0 for equal ones.

    Both zeros are one value, NaN is 0 from NaN and the largest int64 from anything else.
    """
    if a.dtype != b.dtype:
        raise TypeError(f"ulp distance between {a.dtype} and {b.dtype}")
    if is_whole(a):
        return np.abs(a.astype(np.int64) - b.astype(np.int64))
    distance: NDArray[np.int64] = np.abs(_ordered(a) - _ordered(b))
    nan_a, nan_b = np.isnan(a), np.isnan(b)
    distance[nan_a | nan_b] = np.iinfo(np.int64).max
    distance[nan_a & nan_b] = 0
    return distance


def neighbour(array: Array, steps: int) -> Array:
    """The values of the same type that are ``steps`` ulp above (below when negative); at most infinite, NaN stays."""
    if steps == 0:
        return array
    limit = _ordered(array.dtype.type(np.inf).reshape(1))[0]
    moved = np.clip(_ordered(array) + steps, -limit, limit)
    width = 8 * array.dtype.itemsize
    bits = np.where(moved < 0, (1 << (width - 1)) - moved, moved).astype(f"u{array.dtype.itemsize}")
    result: Array = np.where(np.isnan(array), array, bits.view(array.dtype))
    return result


def same(a: Array, b: Array) -> NDArray[np.bool_]:
    """Elementwise equality where NaN equals NaN and the two zeros are one value."""
    equal: NDArray[np.bool_] = a == b
    if is_whole(a):
        return equal
    return equal | (np.isnan(a) & np.isnan(b))


def largest_of_rows(array: Array, k: int) -> tuple[Array, NDArray[np.int32]]:
    """The k largest values along the last axis, the largest first, of equal ones the first, NaN before all; and their
    places."""
    nans = np.isnan(array)
    order = np.lexsort((-np.where(nans, 0, array), ~nans), axis=-1)[..., :k]
    return np.take_along_axis(array, order, -1), order.astype(np.int32)


def unit_roundoff(element: ElementType) -> float:
    """Largest relative error of rounding to nearest in ``element``; 0 for integers, whose sums are exact."""
    return 2.0**-element.precision if element.kind != "int" else 0.0


def largest(element: ElementType) -> float:
    """The largest finite value of ``element``."""
    if element.kind == "int":
        return element.largest
    return float(_finfo(element).max)


def smallest_normal(element: ElementType) -> float:
    """The least positive value of a float type that has all its bits."""
    return float(_finfo(element).smallest_normal)


def smallest_subnormal(element: ElementType) -> float:
    """The least positive value of a float type."""
    return float(_finfo(element).smallest_subnormal)


def _finfo(element: ElementType) -> Any:
    import ml_dtypes

    # ml_dtypes has numpy's own limits, too.
    return ml_dtypes.finfo(dtype(element))


def _ordered(array: Array) -> NDArray[np.int64]:
    """Floats as integers in the same order, neighbours one apart."""
    bits = np.ascontiguousarray(array).view(f"i{array.dtype.itemsize}").astype(np.int64)
    if not element_of(array).signed:
        return bits & 255
    magnitude = bits & ((1 << (8 * array.dtype.itemsize - 1)) - 1)
    return np.where(bits < 0, -magnitude, magnitude)


def _round_half_away(x: Array) -> Array:
    whole = np.trunc(x)
    # x - trunc(x) is exact, so is the comparison.
    return np.asarray(whole + np.where(np.abs(x - whole) >= 0.5, np.copysign(1.0, x), 0.0))


def _round_odd(x: Array) -> Array:
    down = np.floor(x)
    inexact_even = (down != x) & (np.fmod(down, 2.0) == 0.0)
    return np.where((down != x) & ~inexact_even, down, np.where(inexact_even, down + 1.0, x))


_ROUNDERS: dict[str, Callable[[Array], Array]] = {
    "CAST_NONE": np.rint,
    "CAST_RINT": np.rint,
    "CAST_FLOOR": np.floor,
    "CAST_CEIL": np.ceil,
    "CAST_ROUND": _round_half_away,
    "CAST_TRUNC": np.trunc,
    "CAST_ODD": _round_odd,
}


def _fits(source: ElementType, to: ElementType) -> bool:
    """Whether every value of ``source`` is one of ``to``: no rounding, no overflow."""
    return to.precision >= source.precision and (source.kind == "int" or largest(to) >= largest(source))


def _saturate(whole: Array, to: ElementType) -> Array:
    wide: Array = np.nan_to_num(whole, nan=0.0) if whole.dtype.kind == "f" else whole.astype(np.int64)
    clipped: Array = np.clip(wide, *limits(to))
    return clipped.astype(dtype(to))


def _round_significand(x: Array, to: ElementType, rounder: Callable[[Array], Array]) -> Array:
    """Round float64 values to the precision and range of a narrower float type."""
    info = _finfo(to)
    exponent = np.frexp(x)[1]
    # The weight of the last bit, never below that of the subnormals: scaling by it is exact in float64.
    last = np.maximum(exponent, info.minexp + 1) - to.precision
    finite = np.isfinite(x)
    rounded = np.where(finite, np.ldexp(rounder(np.ldexp(np.where(finite, x, 0.0), -last)), last), x)
    top = float(info.max)
    over = finite & (np.abs(rounded) > top)
    if over.any():
        nowhere = np.zeros_like(over)
        towards_zero = {np.trunc: ~nowhere, _round_odd: ~nowhere, np.floor: x > 0, np.ceil: x < 0}
        inward = towards_zero.get(rounder, nowhere)
        rounded = np.where(over, np.copysign(np.where(inward, top, np.inf), x), rounded)
    # A value that rounds to zero keeps its sign.
    return np.copysign(rounded, x).astype(dtype(to))
