"""Operators with a constant that changes no value: ``x * 1``, ``x / 1``, and ``x + 0`` where that is exact."""

from __future__ import annotations

import math

from ..graph.ir import Epilogue, Step
from ..nodes import Cast, Compute
from .rewriting import Values, number, operator, rewritten


def drop_neutral(epilogue: Epilogue) -> Epilogue:
    """The epilogue without operators whose result is their input, bit for bit.

    In floats ``x + 0.0`` is none where x may be -0.0: their sum is 0.0. ``x + -0.0`` is one (IEEE 754-2019, 6.3).
    """
    return rewritten(epilogue, _rule)


def _rule(values: Values, step: Step) -> int | None:
    node = step.node
    if not isinstance(node, Compute):
        return None
    constant = number(node)
    if operator(step, "Muls", "Divs") and constant == 1:
        return step.inputs[0]
    if operator(step, "Adds") and constant == 0:
        exact = node.T.kind == "int" or _negative_zero(constant) or not _may_be_negative_zero(values, step.inputs[0])
        return step.inputs[0] if exact else None
    return None


def _negative_zero(constant: float) -> bool:
    return constant == 0 and math.copysign(1.0, constant) < 0


def _may_be_negative_zero(values: Values, value: int) -> bool:
    """Whether a float value can be -0.0, as far as the step that makes it says."""
    step = values.made(value)
    node = step.node
    if isinstance(node, Cast):
        return node.from_.kind == "float"
    if operator(step, "Absolute", "Square", "Exp", "Sigmoid"):
        return False
    if isinstance(node, Compute) and operator(step, "Adds"):
        # A sum is -0.0 only if both of its terms are.
        constant = number(node)
        return (constant is None or _negative_zero(constant)) and _may_be_negative_zero(values, step.inputs[0])
    if operator(step, "Plus"):
        return all(_may_be_negative_zero(values, term) for term in step.inputs)
    return True
