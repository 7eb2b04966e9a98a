"""Where arrays lie: which of them a kernel reads in place."""

from __future__ import annotations

from ..model.layouts import Place
from ..operators.arrays import Array


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
    return Place(lines, parts, along == -1)


def is_packed(array: Array, lies: Place) -> bool:
    """Whether nothing lies between its lines, nor between its parts."""
    size = array.shape[-1] * array.shape[-2]
    across = array.shape[-2 if lies.by_rows else -1]
    length = array.shape[-1 if lies.by_rows else -2]
    return (across == 1 or lies.lines == length) and lies.parts in (0, size)


def strides_text(array: Array) -> str:
    """The strides of an array in elements."""
    return f"({', '.join(f'{stride / array.itemsize:g}' for stride in array.strides)}{',' * (array.ndim == 1)})"


def meant_text(array: Array, along: int) -> str:
    """The strides that :func:`place` takes for an array of this shape."""
    lines = ["1", f"≥ {array.shape[along]}"]
    return f"({', '.join((['≥ 0'] if array.ndim > 2 else []) + (lines if along == -2 else lines[::-1]))})"
