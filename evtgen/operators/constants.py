"""Constants: the numbers that an element type can hold, the value that a number becomes, and its C++ literal."""

from __future__ import annotations

import math
from fractions import Fraction

from ..graph.types import ElementType, float32


def holds(element: ElementType, value: float | int, finite: bool = False) -> bool:
    """Whether ``element`` can hold a number: it loses no more than by an ordinary rounding to nearest.

    A type does not hold a number that would become 0 or infinite in it, a fraction if it is an integer type, a number
    outside its range, or one so small that it has fewer bits than usual for it. Float types hold infinities, except
    with ``finite`` and those that have none; no type holds NaN.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return math.isinf(value) and element.kind == "float" and element.infinite and not finite
    if element.kind == "scale" and not 2**element.least <= value <= element.largest:
        return False
    became = nearest(value, element)
    if not math.isfinite(became):
        return False
    error = abs(Fraction(became) - Fraction(value))
    return error == 0 if element.kind != "float" else error <= abs(Fraction(value)) / 2**element.precision


def limits(element: ElementType) -> tuple[int, int]:
    """Least and greatest value of an integer type."""
    high = 2**element.precision - 1
    return (-high - 1 if element.signed else 0), high


def nearest(value: float | int, element: ElementType) -> float | int:
    """The value of ``element`` that a number becomes: rounded once, ties to even.

    A float overflows to infinity, or to NaN where its type has no infinity; an integer saturates, and NaN is 0 there.
    """
    nan = isinstance(value, float) and math.isnan(value)
    if element.kind in ("int", "mask"):
        low, high = limits(element)
        if nan:
            return 0
        # Out of range first: infinities have no nearest integer.
        return high if value >= high else low if value <= low else round(value)
    if value == 0 or nan:
        return float(value)
    beyond = math.nan if not element.infinite else math.inf if value > 0 else -math.inf
    if abs(value) >= 2**element.limit:
        return beyond
    last = max(math.frexp(value)[1] - element.precision, element.least)
    result = math.ldexp(round(Fraction(value) / Fraction(2) ** last), last)
    return beyond if abs(result) > element.largest else math.copysign(result, value)


def literal(value: float | int, element: ElementType) -> str:
    """C++ for the value that a number becomes in ``element``, an int or a float: ``2``, ``0.1f``,
    ``-__builtin_inff()``, of which compilers know without a header.

    A whole number is written out; another is the shortest that, rounded to float and then to ``element``, gives the
    value.
    """
    exact = nearest(value, element)
    if isinstance(exact, int):
        return str(exact)
    if math.isinf(exact):
        return "__builtin_inff()" if exact > 0 else "-__builtin_inff()"
    if exact == int(exact) and abs(exact) < 2**24:
        return f"{exact:.1f}f"
    texts = (f"{exact:.{digits}g}" for digits in range(1, 18))
    text = next(text for text in texts if _gives(float(text), element, exact))
    return f"{text}f" if "." in text or "e" in text else f"{text}.0f"


def _gives(number: float, element: ElementType, exact: float) -> bool:
    """Whether a number, rounded to float and then to ``element``, gives ``exact``."""
    return nearest(nearest(number, float32), element) == exact
