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
    blocks = ((rows, expected.map(itemgetter(rows))) for rows in _rows(device))
    typical = scale(expected.value) if typical is None else typical
    return replace(compare_blocks(name, element, device, blocks, formula, typical), null=null)


def compare_accumulator(  # noqa: PLR0917
    device: Array, a: Array, b: Array, element: ElementType, exact: Array, problem: Problem | None = None
) -> Comparison:
    """The GEMM's C (M, N) against ``exact``, which is ``product(a, b, problem)``, a block of rows at a time."""
    rows = max(1, (1 << 21) // max(1, device.shape[1]))
    blocks = accumulator(a, b, element, exact, rows=rows, problem=problem)
    return compare_blocks("C", element, device, blocks, exact, scale(exact))


def compare_blocks(  # noqa: PLR0917
    name: str,
    element: ElementType,
    device: Array,
    blocks: Iterable[tuple[slice, Enclosure]],
    formula: Array | None,
    typical: float,
) -> Comparison:
    """A tensor against enclosures of slices of its rows; ``typical`` is the magnitude of its values."""
    mismatches, error, ulp, bound, sure, undefined = 0, 0.0, 0, 0.0, 0, 0
    first: tuple[int, int, float, float] | None = None
    distribution = Distribution()
    for rows, expected in blocks:
        got, allowed = device[rows], expected.error()
        bound = max(bound, float(allowed.max(initial=0.0)))
        meant = None if formula is None else formula[rows]
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
    formula_error, from_formula = (None, None) if formula is None else _from_formula(device, formula, element)
    return Comparison(
        name, element.name, device.size, mismatches, error, ulp, bound, first,
        judged=sure / device.size if device.size else 1.0, undefined=undefined, typical=typical,
        formula_error=formula_error, distribution=distribution, from_formula=from_formula,
    )  # fmt: skip


def _from_formula(device: Array, formula: Array, element: ElementType) -> tuple[tuple[float, float], Distribution]:
    """The largest distance from the formula, absolute and in ulp, and the distances of all elements in ulp of the
    output's type. The ulp is taken at the formula's value, or at its median magnitude where the value is smaller: close
    to zero an ulp says nothing."""
    error, steps, distribution, typical = 0.0, 0.0, Distribution(), scale(formula)
    for rows in _rows(device):
        off = _differences(device[rows], formula[rows])
        ulp = off / spacing(np.maximum(np.abs(formula[rows]), typical), element)
        error, steps = float(off.max(initial=error)), float(ulp.max(initial=steps))
        distribution += Distribution.of_ulp(ulp)
    return (error, steps), distribution


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
