"""Matrices in memory by Catlass's layouts, element by element against their definition."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from evtgen.arithmetic.arrays import dtype
from evtgen.graph.types import LAYOUTS, ColumnMajor, ElementType, Layout, RowMajor, float32, half, int8, nZ, zN
from evtgen.model.layouts import UNTOUCHED, elements, stored

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
