"""Tensors that the device wrote against what they must be."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..arithmetic.arrays import Array, same, ulp_distance
from ..graph.types import ElementType
from ..reference import Enclosure, accumulator
from .result import Comparison


def compare(name: str, dtype: str, device: Array, expected: Enclosure, null: tuple[str, ...] = ()) -> Comparison:
    """One (rows, columns) tensor against its enclosure."""
    return compare_blocks(name, dtype, device, [(slice(0, device.shape[0]), expected)], null)


def compare_accumulator(device: Array, a: Array, b: Array, element: ElementType) -> Comparison:
    """The GEMM's C (M, N) against ``a @ b``, a block of rows at a time."""
    rows = max(1, (1 << 21) // max(1, device.shape[1]))
    return compare_blocks("C", element.name, device, accumulator(a, b, element, rows))


def compare_blocks(
    name: str, dtype: str, device: Array, blocks: Iterable[tuple[slice, Enclosure]], null: tuple[str, ...] = ()
) -> Comparison:
    """A tensor against enclosures of slices of its rows."""
    mismatches, error, ulp, bound = 0, 0.0, 0, 0.0
    first: tuple[int, int, float, float] | None = None
    for rows, expected in blocks:
        got = device[rows]
        bound = max(bound, expected.bound())
        different = ~same(got, expected.value)
        if not different.any():
            continue
        a, b = got[different], expected.value[different]
        with np.errstate(invalid="ignore"):
            error = max(
                error, float(np.nan_to_num(np.abs(a.astype(np.float64) - b.astype(np.float64)), nan=np.inf).max())
            )
        ulp = max(ulp, int(ulp_distance(a, b).max()))
        outside = ~expected.contains(got)
        if outside.any():
            mismatches += int(np.count_nonzero(outside))
            if first is None:
                row, column = (int(i) for i in np.argwhere(outside)[0])
                first = (row + (rows.start or 0), column, float(got[row, column]), float(expected.value[row, column]))
    return Comparison(name, dtype, device.size, mismatches, error, ulp, bound, first, null)
