"""Whole numbers that are made of positions: between which numbers they lie, however large the product is.

Between two such numbers, and between one and a number that is written down, an architecture whose ``Compare`` takes no
int32 compares by the sign of their difference, which must not wrap around.
"""

from __future__ import annotations

import operator as python
from collections.abc import Callable, Sequence
from itertools import product
from math import prod

from ..diagnostics.tracing import POSITION
from ..graph.types import float32, int32
from ..nodes import Constant
from ..operators.constants import limits
from ..operators.declaration import Operator

Span = tuple[int, int]
"""The least and the greatest number that a value may have."""

POSITIONS: Span = (0, (1 << 24) - 1)
"""Of a row or a column: no product has more of them for which this counts."""

EXACT = 1 << float32.precision
"""Whole numbers below it, and the next ones on either side, are values of float32: so a whole number is less than one
of them, or equal to it, exactly where it is after it was rounded to float32."""

_ON_NUMBERS: dict[str, Callable[..., int]] = {
    "add": lambda *terms: sum(terms),
    "subtract": python.sub,
    "multiply": lambda *factors: prod(factors),
    "negative": python.neg,
    "absolute": abs,
    "square": lambda x: x * x,
    "maximum": max,
    "minimum": min,
}
"""Operators that are at their least and greatest where each operand is: at an end, or at 0."""


def span(operator: Operator, spans: Sequence[Span | None], constants: Sequence[Constant]) -> Span | None:
    """The span of an operator's result over operands of these spans; None where it is not known."""
    function = _ON_NUMBERS.get(operator.name.removesuffix("_scalar"))
    known = [known for known in spans if known is not None]
    numbers = [number for number in map(_whole, constants) if number is not None]
    if function is None or len(known) < len(spans) or len(numbers) < len(constants):
        return None
    places = ({low, high, min(max(low, 0), high)} for low, high in known)
    values = [function(*corner, *numbers) for corner in product(*places)]
    return min(values), max(values)


def compared_with(constant: Constant) -> int:
    """The number that a value made of positions is compared with. Raises EVT195 where int32 does not hold it."""
    number = _whole(constant)
    if number is None:
        raise POSITION.here("fraction", constant=constant)
    if not _held(number, number):
        raise POSITION.here("large", number=number)
    return number


def require(difference: Span) -> None:
    """Raise EVT195 if a difference by whose sign numbers are compared may leave int32."""
    if not _held(*difference):
        low, high = difference
        raise POSITION.here("difference", low=low, high=high)


def _held(low: int, high: int) -> bool:
    least, greatest = limits(int32)
    return least <= low and high <= greatest


def _whole(constant: Constant) -> int | None:
    """A constant as a whole number; None if it is given at run time, or is none."""
    if isinstance(constant, int) or (isinstance(constant, float) and constant.is_integer()):
        return int(constant)
    return None
