"""Where arrays lie: which of them a kernel reads in place."""

from __future__ import annotations

from typing import NamedTuple

from ..operators.arrays import Array


class Place(NamedTuple):
    """How a tensor lies, in elements.

    Attributes:
        lines: from one row to the next, or from one column of a matrix that is ColumnMajor.
        parts: from the part of one matmul to that of the next; 0 where there is one part, or all share it.
    """

    lines: int
    parts: int


def place(array: Array, along: int) -> Place | None:
    """Where an array of two axes lies, or of three, the first of which counts matmuls; None if no kernel reads it so.

    Elements along the axis ``along``, -1 or -2, are neighbours, lines do not overlap, and nothing goes backwards."""
    if any(stride % array.itemsize for stride in array.strides):
        return None
    across = -3 - along
    length = array.shape[along]
    steps = [stride // array.itemsize for stride in array.strides]
    lines = steps[across] if array.shape[across] > 1 else length
    parts = steps[0] if array.ndim > 2 and array.shape[0] > 1 else 0
    if array.size and ((length > 1 and steps[along] != 1) or lines < length or parts < 0):
        return None
    return Place(lines, parts)


def strides_text(array: Array) -> str:
    """The strides of an array in elements."""
    return f"({', '.join(f'{stride / array.itemsize:g}' for stride in array.strides)}{',' * (array.ndim == 1)})"


def meant_text(array: Array, along: int) -> str:
    """The strides that :func:`place` takes for an array of this shape."""
    lines = ["1", f"≥ {array.shape[along]}"]
    return f"({', '.join((['≥ 0'] if array.ndim > 2 else []) + (lines if along == -2 else lines[::-1]))})"
