"""Matrices in memory by Catlass's layouts, element by element against their definition."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from evtgen.graph.types import LAYOUTS, ColumnMajor, ElementType, Layout, RowMajor, float32, half, int8, nZ, zN
from evtgen.model.layouts import UNTOUCHED, elements, stored, with_gaps
from evtgen.operators.arrays import dtype

SIZES = [(1, 1), (17, 40), (32, 16), (5, 33)]


def place(layout: Layout, row: int, column: int, rows: int, columns: int, block: int, pad: int) -> int:
    """Where an element lies, as Catlass's ``GetOffset`` says."""
    if layout == RowMajor:
        return row * (columns + pad) + column
    if layout == ColumnMajor:
        return column * (rows + pad) + row
    if layout == nZ:
        return place(zN, column, row, columns, rows, block, pad)
    stride = -(-(rows + pad) // 16) * 16 * block
    return row // 16 * 16 * block + row % 16 * block + column // block * stride + column % block


@pytest.mark.parametrize("T", [half, float32, int8], ids=str)
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=str)
def test_every_element_is_at_its_place(layout: Layout, T: ElementType) -> None:
    block = 32 // T.size
    for (rows, columns), pad in product(SIZES, (0, 3, 16)):
        array = np.arange(1, rows * columns + 1).reshape(rows, columns).astype(np.int8).astype(dtype(T))
        flat = stored(array, T, layout, pad)
        assert flat.ndim == 1 and flat.size == elements(rows, columns, T, layout, pad)
        at = [
            [place(layout, row, column, rows, columns, block, pad) for column in range(columns)] for row in range(rows)
        ]
        np.testing.assert_array_equal(flat[np.array(at)], array)
        gaps = np.delete(flat, np.ravel(at))
        assert (gaps.view(np.uint8) == UNTOUCHED).all()


def test_a_gap_lies_behind_each_part() -> None:
    untouched = np.full(2, UNTOUCHED, np.uint8).view(np.int16)[0]
    values = np.arange(6, dtype=np.int16)
    assert with_gaps(values, 3, 2).tolist() == [0, 1, *[untouched] * 2, 2, 3, *[untouched] * 2, 4, 5, *[untouched] * 2]
    assert with_gaps(values, 3, 0).tolist() == values.tolist()
    assert with_gaps(values[:0], 0, 2).size == 0
