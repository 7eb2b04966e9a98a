"""Comparisons of positions that choose between a value and a constant: a tile is decided as a whole, or by its rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import NamedTuple

from ..graph.ir import Epilogue, Step
from ..graph.types import float32, int32
from ..nodes import Band, Cast, ColIndex, Compute, RowIndex
from ..operators.constants import limits
from .rewriting import Values, number, operator, rewritten

_POSITIONS = 1 << 24
"""No row or column has a greater number (:mod:`evtgen.frontend.positions`); float32 has all whole numbers below."""

_LEAST, _MOST = limits(int32)


class Affine(NamedTuple):
    """``row * i + column * j + more`` in row i and column j."""

    row: int
    column: int
    more: int

    def times(self, factor: int) -> Affine:
        return Affine(self.row * factor, self.column * factor, self.more * factor)

    def plus(self, other: Affine) -> Affine:
        return Affine(self.row + other.row, self.column + other.column, self.more + other.more)

    @property
    def wraps(self) -> bool:
        """Whether it may leave int32."""
        return (abs(self.row) + abs(self.column)) * _POSITIONS + abs(self.more) > _MOST


class Range(NamedTuple):
    """``lower <= row * i + column * j <= upper``; a limit of int32 is none."""

    row: int
    column: int
    lower: int
    upper: int


def find_bands(epilogue: Epilogue) -> Epilogue:
    """The epilogue with a :class:`~evtgen.nodes.Band` for each choice between a value and a constant by a comparison of
    positions whose bound is a straight line: a causal mask, a window, a number of rows or columns.

    It is exact: a position and a bound are whole numbers, which the type of the comparison holds. Of several
    comparisons that must all be true, those of other things stay a mask.
    """
    return rewritten(epilogue, _Finder())


class _Finder:
    """The rule. What it knows of each value is kept: a sum may have one term twice, and that again."""

    def __init__(self) -> None:
        self._known: list[Affine | None] = []

    def __call__(self, values: Values, step: Step) -> int | None:
        self._learn(values)
        node = step.node
        if not operator(step, "WhereScalar") or not isinstance(node, Compute):
            return None
        condition, value = step.inputs
        found = {one: self._range(values, one) for one in _all_of(values, condition)}
        ranges = [range for range in found.values() if range is not None]
        for other in [one for one in found if found[one] is None and ranges]:
            value = values.add(node, other, value)
        for row, column, lower, upper in _joined(ranges):
            band = Band(node.T, row, column, lower, upper, node.constants[0], location=node.location)
            value = values.add(band, value)
        return value if ranges else None

    def _learn(self, values: Values) -> None:
        for step in values.steps[len(self._known) :]:
            self._known.append(_affine(step, [self._known[i] for i in step.inputs]))

    def _range(self, values: Values, condition: int) -> Range | None:
        """The elements where a condition is true; None where no range of them is known."""
        step = values.made(condition)
        if operator(step, "LogicalNot"):
            return _complement(self._range(values, step.inputs[0]))
        if operator(step, *_OF_TWO):
            return self._between(step)
        node, compared = step.node, operator(step, *_BOUNDS)
        limit = number(node) if compared and isinstance(node, Compute) else None
        if compared is None or limit is None or abs(limit) >= _POSITIONS:
            return None
        lower, upper = _BOUNDS[compared.cpp](limit)
        value = values.source(step.inputs[0])
        if (inner := self._distance(values, value)) is not None:
            if compared.cpp not in ("LessScalar", "LessEqualScalar"):
                return None
            value, lower = inner, -upper
        affine = self._known[self._whole(values, value)]
        return None if affine is None or lower > upper else _normal(affine, lower, upper)

    def _between(self, step: Step) -> Range | None:
        """The same of a comparison of two whole numbers."""
        node = step.node
        one, other = (self._known[i] for i in step.inputs)
        if one is None or other is None or not isinstance(node, Compute):
            return None
        difference = one.plus(other.times(-1))
        return None if difference.wraps else _normal(difference, *_BOUNDS[f"{node.op}Scalar"](0))

    def _distance(self, values: Values, value: int) -> int | None:
        """What a value is the magnitude of: a float by Abs, a whole number as the larger of it and its negative."""
        step = values.steps[value]
        if operator(step, "Absolute"):
            return values.source(step.inputs[0])
        whole = self._whole(values, value)
        step = values.steps[whole]
        if operator(step, "Maximum") and len(step.inputs) == 2:
            one, other = (self._known[i] for i in step.inputs)
            if one is not None and other is not None and one == other.times(-1):
                return step.inputs[0]
        return None

    def _whole(self, values: Values, value: int) -> int:
        """The whole number that a float32 is."""
        node = values.steps[value].node
        is_cast = isinstance(node, Cast) and node.to == float32 and node.from_ == int32
        return values.source(values.steps[value].inputs[0]) if is_cast else value


_BOUNDS: dict[str, Callable[[float], tuple[int, int]]] = {
    "GreaterScalar": lambda limit: (math.floor(limit) + 1, _MOST),
    "GreaterEqualScalar": lambda limit: (math.ceil(limit), _MOST),
    "LessScalar": lambda limit: (_LEAST, math.ceil(limit) - 1),
    "LessEqualScalar": lambda limit: (_LEAST, math.floor(limit)),
    "EqualToScalar": lambda limit: (math.ceil(limit), math.floor(limit)),
}
"""The whole numbers for which a comparison with a constant is true."""

_OF_TWO = tuple(name.removesuffix("Scalar") for name in _BOUNDS)


def _all_of(values: Values, condition: int) -> Iterator[int]:
    """The conditions that must all be true."""
    waiting = [condition]
    while waiting:
        one = waiting.pop()
        if operator(values.made(one), "LogicalAnd"):
            waiting += reversed(values.made(one).inputs)
        else:
            yield one


def _affine(step: Step, inputs: Sequence[Affine | None]) -> Affine | None:
    """What a step makes of its inputs."""
    node = step.node
    if isinstance(node, (RowIndex, ColIndex)):
        return Affine(int(isinstance(node, RowIndex)), int(isinstance(node, ColIndex)), 0)
    known = [one for one in inputs if one is not None]
    found = operator(step, *_ON_AFFINE)
    if found is None or not isinstance(node, Compute) or int32 != node.T or len(known) < len(inputs):
        return None
    constant = number(node) if node.constants else 0
    made = None if constant is None else _ON_AFFINE[found.cpp](known, int(constant))
    return None if made is None or made.wraps else made


_ON_AFFINE: dict[str, Callable[[Sequence[Affine], int], Affine]] = {
    "Plus": lambda terms, _: reduce(Affine.plus, terms),
    "Minus": lambda terms, _: terms[0].plus(terms[1].times(-1)),
    "Negate": lambda terms, _: terms[0].times(-1),
    "Adds": lambda terms, more: terms[0]._replace(more=terms[0].more + more),
    "Muls": lambda terms, factor: terms[0].times(factor),
}


def _normal(affine: Affine, lower: int, upper: int) -> Range | None:
    """A range with a factor of the column of 0 or 1; None where it has another."""
    if affine.column < 0 or (affine.column == 0 and affine.row < 0):
        affine, lower, upper = affine.times(-1), _opposite(upper), _opposite(lower)
    if affine.column > 1 or (affine.column == 0 and affine.row == 0):
        return None
    low = _LEAST if lower == _LEAST else max(_LEAST, lower - affine.more)
    high = _MOST if upper == _MOST else min(_MOST, upper - affine.more)
    return Range(affine.row, affine.column, low, high)


def _opposite(bound: int) -> int:
    return {_LEAST: _MOST, _MOST: _LEAST}.get(bound, -bound)


def _complement(range: Range | None) -> Range | None:
    """The other elements, where they lie on one side."""
    if range is None or (range.lower > _LEAST) == (range.upper < _MOST):
        return None
    if range.lower > _LEAST:
        return range._replace(lower=_LEAST, upper=range.lower - 1)
    return range._replace(lower=range.upper + 1, upper=_MOST)


def _joined(ranges: Sequence[Range]) -> Iterator[Range]:
    """The same ranges, fewer where two of the same direction have elements in common."""
    left = list(ranges)
    while left:
        row, column, lower, upper = left.pop(0)
        for other in [one for one in left if (one.row, one.column) == (row, column)]:
            if max(lower, other.lower) <= min(upper, other.upper):
                lower, upper = max(lower, other.lower), min(upper, other.upper)
                left.remove(other)
        yield Range(row, column, lower, upper)
