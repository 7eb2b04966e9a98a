"""Chains of limits: a maximum that an earlier one has reached already, and one that a later one takes over."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ..graph.ir import Epilogue, Scalar, Step
from ..graph.types import ElementType
from ..nodes import Compute
from ..operators.constants import nearest
from ..operators.table import OPERATORS
from .rewriting import Values, operator, rewritten


class Limit(NamedTuple):
    """One ``Maxs`` or ``Mins``: whether the values stay above it, and the number as written and as the device has
    it."""

    above: bool
    written: float | int
    held: float | int


def join_limits(epilogue: Epilogue) -> Epilogue:
    """The epilogue with the fewest limits that keep the same values, bit for bit.

    NaN passes through any of them. Which zero comes of a limit of 0 and a -0.0 is the device's choice, so limits that
    differ in nothing but the sign of a zero are left alone.
    """
    return rewritten(epilogue, _rule)


def _rule(values: Values, step: Step) -> int | None:
    limits = _limits(step)
    if not limits:
        return None
    node, value = step.node, step.inputs[0]
    assert isinstance(node, Compute)
    below = _limits(values.made(value))
    if below and simplified([*below, *limits]) == below:
        return value
    earlier: list[Limit] = []
    # Those are as few as can be already: the last lower one and the last upper one say where the values are.
    while below and values.once(value) and len({limit.above for limit in earlier}) < 2:
        earlier, value = [*below, *earlier], values.made(value).inputs[0]
        below = _limits(values.made(value))
    fewer = simplified([*earlier, *limits])
    if len(fewer) == len(earlier) + len(limits):
        return None
    return _written(values, value, fewer, node)


def _limits(step: Step) -> list[Limit]:
    """The limits that a step applies, in order; none for another operator, and for numbers given at run time."""
    node = step.node
    found = operator(step, *_KINDS)
    if found is None:
        return []
    assert isinstance(node, Compute)
    kinds, numbers = _KINDS[found.cpp]
    constants = [c for c in numbers or node.constants if not isinstance(c, Scalar)]
    if len(constants) < len(kinds):
        return []
    return [Limit(above, c, nearest(c, node.T)) for above, c in zip(kinds, constants, strict=True)]


_KINDS: dict[str, tuple[tuple[bool, ...], tuple[float, ...]]] = {
    "Maxs": ((True,), ()),
    "Mins": ((False,), ()),
    "Clamp": ((True, False), ()),
    "Relu": ((True,), (0.0,)),
    "Relu6": ((True, False), (0.0, 6.0)),
    "HardTanh": ((True, False), (-1.0, 1.0)),
}
"""For each operator which of its limits are lower ones, and the limits where they are not its constants."""


def simplified(limits: Sequence[Limit]) -> list[Limit]:
    """The limits that are left of a chain."""
    kept: list[Limit] = []
    low, high = -math.inf, math.inf  # where the values are so far
    for limit in limits:
        edge = low if limit.above else high
        if _same(limit.held, edge) or (limit.held < edge if limit.above else limit.held > edge):
            continue
        while kept and kept[-1].above == limit.above and kept[-1].held != limit.held:
            kept.pop()
        kept.append(limit)
        bound = max if limit.above else min
        low, high = bound(low, limit.held), bound(high, limit.held)
    return kept


def _same(a: float, b: float) -> bool:
    """Whether two limits are one, the sign of a zero included."""
    return a == b and math.copysign(1.0, a) == math.copysign(1.0, b)


def _written(values: Values, value: int, limits: Sequence[Limit], node: Compute) -> int:
    """The limits as nodes: a lower and an upper one in a row are a Clamp, a lower one of 0 is a Relu."""
    left = list(limits)
    while left:
        lower, *rest = left
        if rest and lower.above and not rest[0].above:
            made, left = Compute("Clamp", node.T, (lower.written, rest[0].written), location=node.location), rest[1:]
        elif lower.above and _same(lower.held, 0.0) and _has_relu(values, node.T):
            made, left = Compute("Relu", node.T, location=node.location), rest
        else:
            name = "Maxs" if lower.above else "Mins"
            made, left = Compute(name, node.T, lower.written, location=node.location), rest
        value = values.add(made, value)
    return value


def _has_relu(values: Values, T: ElementType) -> bool:
    return T in OPERATORS["Relu"].types(values.arch)
