"""Constants: which numbers an element type can hold, which value a number becomes, how C++ writes it."""

from __future__ import annotations

import math
import struct

from ..graph.types import ElementType, float32

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
    return (-high - 1 if element.signed else 0), high


def nearest(value: float | int, element: ElementType) -> float | int:
    """The value of ``element`` that a number which it :func:`holds` becomes: rounded once, ties to even."""
    if element.kind == "int":
        return int(value)
    if math.isinf(value):
        return float(value)
    if element.name in _PACK:
        code = _PACK[element.name]
        return float(struct.unpack(code, struct.pack(code, value))[0])
    _, exponent = math.frexp(float(value))
    unit = math.ldexp(1.0, max(exponent - element.precision, _BFLOAT16_LEAST))
    return round(float(value) / unit) * unit


_BFLOAT16_LEAST = -133
"""Exponent of the smallest subnormal of bfloat16."""


def literal(value: float | int, element: ElementType) -> str:
    """C++ for the value that a number becomes in ``element``, an int or a float: ``2``, ``0.1f``, ``-INFINITY``.

    A whole number is written out; another is the shortest that, rounded to float and then to ``element``, gives the
    value.
    """
    exact = nearest(value, element)
    if isinstance(exact, int):
        return str(exact)
    if math.isinf(exact):
        return "INFINITY" if exact > 0 else "-INFINITY"
    if exact == int(exact) and abs(exact) < 2**24:
        return f"{exact:.1f}f"
    texts = (f"{exact:.{digits}g}" for digits in range(1, 18))
    text = next(text for text in texts if _gives(float(text), element, exact))
    return f"{text}f" if "." in text or "e" in text else f"{text}.0f"


def _gives(number: float, element: ElementType, exact: float) -> bool:
    """Whether a number, rounded to float and then to ``element``, is ``exact``."""
    if not holds(float32, number):
        return False
    once = nearest(number, float32)
    return holds(element, once) and nearest(once, element) == exact
