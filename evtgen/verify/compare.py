"""Tensors that the device wrote against the values that they must have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from operator import itemgetter
from typing import Any

import numpy as np

from ..graph.shapes import Problem
from ..graph.types import ElementType
from ..operators.arrays import Array, same, spacing, ulp_distance
from ..reference import Enclosure, accumulator, scale
from .distribution import Distribution
from .result import Comparison

BLOCK = 1 << 19
"""Elements that are compared at once, so that the memory for it does not grow with a tensor."""


def small(element: ElementType) -> float:
    """An element is judged if its bound is at most this share of its value: more in a type of few digits."""
    return 1 / 8 if element.precision <= 11 else 1 / 64


def judged(expected: Enclosure, allowed: Array, element: ElementType, formula: Array | None, typical: float) -> Any:
    """Elementwise, whether the bound, ``allowed``, is small beside the value, or beside ``typical`` where the value is
    smaller.

    NaN says nothing about its operands. Infinity says something only where the formula has it, too.
    """
    value = expected.value.astype(np.float64)
    with np.errstate(invalid="ignore"):
        narrow = allowed <= small(element) * np.maximum(np.abs(value), typical)
        meant = np.isinf(value) & (value == formula) if formula is not None else np.zeros(value.shape, bool)
    return narrow & (np.isfinite(value) | meant)


def compare(
    name: str,
    element: ElementType,
    device: Array,
    expected: Enclosure,
    *,
    formula: Array | None = None,
    null: tuple[str, ...] = (),
    typical: float | None = None,
) -> Comparison:
    """One (rows, columns) tensor against its enclosure, and against its formula. ``typical`` is the magnitude of its
    values; None: the magnitude of ``expected``."""
    blocks = (
        (rows, expected.map(itemgetter(rows)), None if formula is None else formula[rows]) for rows in _rows(device)
    )
    typical = scale(expected.value) if typical is None else typical
    meant = None if formula is None else scale(formula)
    return replace(_compare(name, element, device, blocks, typical, meant), null=null)


def compare_accumulator(
    device: Array,
    a: Array,
    b: Array,
    element: ElementType,
    problem: Problem | None = None,
    *,
    scalings: int = 0,
    whole: bool = False,
) -> Comparison:
    """The GEMM's C (M, N) against ``product(a, b, problem)``, a block of rows at a time.

    The magnitude of its values is the device's own, which is there as a whole: a value beyond its bound is wrong
    whatever it is beside. ``scalings``: how often the product of each is scaled on its way. ``whole``: their sum is.
    """
    rows = max(1, BLOCK // max(1, device.shape[1]))
    typical = scale(device)
    return _compare(
        "C",
        element,
        device,
        accumulator(a, b, element, rows=rows, problem=problem, scalings=scalings, whole=whole),
        typical,
        typical,
    )


def _compare(  # noqa: PLR0917
    name: str,
    element: ElementType,
    device: Array,
    blocks: Iterable[tuple[slice, Enclosure, Array | None]],
    typical: float,
    typically_meant: float | None,
) -> Comparison:
    """A tensor against enclosures and formulas of slices of its rows; ``typical`` and ``typically_meant`` are the
    magnitudes of the values of each, None where there is no formula."""
    mismatches, error, ulp, bound, sure, undefined = 0, 0.0, 0, 0.0, 0, 0
    first: tuple[int, int, float, float] | None = None
    distribution = Distribution()
    from_formula, far, far_ulp = Distribution(), 0.0, 0.0
    for rows, expected, meant in blocks:
        got, allowed = device[rows], expected.error()
        bound = max(bound, float(allowed.max(initial=0.0)))
        if meant is not None and typically_meant is not None:
            off, steps = _from_formula(got, meant, element, typically_meant)
            far, far_ulp = float(off.max(initial=far)), float(steps.max(initial=far_ulp))
            from_formula += Distribution.of_ulp(steps)
        sure += int(np.count_nonzero(judged(expected, allowed, element, meant, typical)))
        undefined += int(np.count_nonzero(~np.isfinite(expected.value.astype(np.float64))))
        different = ~same(got, expected.value)
        number = int(np.count_nonzero(different))
        distribution += Distribution.equal(got.size - number)
        if not number:
            continue
        off = _differences(got[different], expected.value[different])
        steps = ulp_distance(got[different], expected.value[different])
        error, ulp = max(error, float(off.max())), max(ulp, int(steps.max()))
        outside = ~expected.contains(got)
        distribution += Distribution.of_bound(steps, off, allowed[different], outside[different])
        if outside.any():
            mismatches += int(np.count_nonzero(outside))
            if first is None:
                row, column = (int(i) for i in np.argwhere(outside)[0])
                first = (row + (rows.start or 0), column, float(got[row, column]), float(expected.value[row, column]))
    compared = Comparison(
        name, element.name, device.size, mismatches, error, ulp, bound, first,
        judged=sure / device.size if device.size else 1.0, undefined=undefined, typical=typical,
        distribution=distribution,
    )  # fmt: skip
    if typically_meant is None:
        return compared
    return replace(compared, formula_error=(far, far_ulp), from_formula=from_formula)


def _from_formula(device: Array, formula: Array, element: ElementType, typical: float) -> tuple[Array, Array]:
    """The distances of all elements from the formula, absolute and in ulp of the output's type. The ulp is taken at the
    formula's value, or at ``typical``, its median magnitude, where the value is smaller: close to zero an ulp says
    nothing."""
    off = _differences(device, formula)
    return off, off / spacing(np.maximum(np.abs(formula), typical), element)


def _rows(array: Array) -> Iterator[slice]:
    """Slices of the rows, of at most :data:`BLOCK` elements or one row each."""
    count = max(1, BLOCK // max(1, array.shape[1]))
    return (slice(start, start + count) for start in range(0, len(array), count))


def _differences(a: Array, b: Array) -> Array:
    """Absolute differences: 0 between two NaN and between two equal infinities, infinite between one of these and
    another value."""
    with np.errstate(invalid="ignore"):
        x, y = a.astype(np.float64), b.astype(np.float64)
        alike = (x == y) | (np.isnan(x) & np.isnan(y))
        return np.where(alike, 0.0, np.nan_to_num(np.abs(x - y), nan=np.inf, posinf=np.inf))
