"""Which numbers an element type can hold."""

from __future__ import annotations

import math
import struct

from ..types import ElementType

_PACK = {"half": "<e", "float32": "<f"}

_BFLOAT16_LIMIT = (2 - 2**-8) * 2.0**127
"""From here on a number rounds to infinity in bfloat16: half a unit above its largest value."""


def holds(element: ElementType, value: float | int, finite: bool = False) -> bool:
    """Whether ``value`` rounds to a value of ``element``: no NaN, integral for integers, within the range.

    An infinity is a value of a float type unless ``finite`` is asked for.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return math.isinf(value) and element.kind == "float" and not finite
    if element.kind == "int":
        low, high = limits(element)
        return value == int(value) and low <= value <= high
    try:
        if element.name in _PACK:
            struct.pack(_PACK[element.name], value)
            return True
        return abs(float(value)) < _BFLOAT16_LIMIT
    except (OverflowError, struct.error):
        return False


def limits(element: ElementType) -> tuple[int, int]:
    """Least and greatest value of an integer type."""
    high = 2**element.precision - 1
    return (0 if element.name.startswith("u") else -high - 1), high
