"""Signs that cancel or merge into what reads them: ``-(-x)``, ``|-x|``, ``y + -x``; and masks turned round twice."""

from __future__ import annotations

from dataclasses import replace

from ..graph.ir import Epilogue, Scalar, Step
from ..nodes import Compute
from .rewriting import Values, number, operator, rewritten


def cancel_signs(epilogue: Epilogue) -> Epilogue:
    """The epilogue with fewer changes of sign, and fewer masks that are turned round.

    All of it is exact: rounding to nearest is symmetric, and so is the wrapping of integers around zero. A turned
    comparison is not one by the opposite sign: with NaN both are false.
    """
    return rewritten(epilogue, _rule)


def _rule(values: Values, step: Step) -> int | None:  # noqa: PLR0911
    node = step.node
    if not isinstance(node, Compute):
        return None
    below = [_negated(values, value) for value in step.inputs]
    first = below[0]
    if _negates(step):
        return first if first is not None else _into_factor(values, step)
    if first is not None and operator(step, "Absolute", "Square"):
        return values.add(node, first)
    if operator(step, "Absolute") and operator(values.made(step.inputs[0]), "Absolute"):
        return step.inputs[0]
    if operator(step, "Square") and operator(values.made(step.inputs[0]), "Absolute"):
        return values.add(node, values.made(step.inputs[0]).inputs[0])
    if first is not None and operator(step, "Muls") and (flipped := _flipped(node)) is not None:
        return values.add(flipped, first)
    if len(step.inputs) == 2 and operator(step, "Plus", "Minus"):
        return _sum(values, step, below)
    return _mask(values, step)


def _negates(step: Step) -> bool:
    """Whether a step is its input with the sign changed: both spellings are one instruction."""
    node = step.node
    return bool(operator(step, "Negate")) or (
        isinstance(node, Compute) and bool(operator(step, "Muls")) and number(node) == -1
    )


def _negated(values: Values, value: int) -> int | None:
    """What a value is the negative of; None if it is not made so."""
    made = values.made(value)
    return made.inputs[0] if _negates(made) else None


def _into_factor(values: Values, step: Step) -> int | None:
    """``-(x * c)`` as ``x * -c``."""
    product = values.made(step.inputs[0])
    node = product.node
    if not isinstance(node, Compute) or not operator(product, "Muls") or not values.once(step.inputs[0]):
        return None
    flipped = _flipped(node)
    return None if flipped is None else values.add(replace(flipped, location=step.node.location), *product.inputs)


def _flipped(node: Compute) -> Compute | None:
    """A product with a constant, which has the other sign; None where the type does not hold that."""
    (constant,) = node.constants
    if isinstance(constant, Scalar):
        # The lowest integer has no negative.
        return replace(node, scalar=-constant) if node.T.kind == "float" else None
    # As a float, which has a zero for each sign.
    flipped = replace(node, scalar=-float(constant) if node.T.kind == "float" else -constant)
    held, negative = number(node), number(flipped)
    return flipped if held is not None and negative == -held else None


def _sum(values: Values, step: Step, below: list[int | None]) -> int | None:
    """``x + -y`` and ``-y + x`` as ``x - y``, ``x - -y`` as ``x + y``."""
    node = step.node
    assert isinstance(node, Compute)
    (left, right), (not_left, not_right) = step.inputs, below
    if not_right is not None and values.once(right):
        return values.add(replace(node, op="Minus" if operator(step, "Plus") else "Plus"), left, not_right)
    if not_left is not None and operator(step, "Plus") and values.once(left):
        return values.add(replace(node, op="Minus"), right, not_left)
    return None


def _mask(values: Values, step: Step) -> int | None:
    """``~~m`` as ``m``, and a choice by ``~m`` as one by ``m`` with its values exchanged."""
    node = step.node
    assert isinstance(node, Compute)
    turned = values.made(step.inputs[0])
    if not operator(turned, "LogicalNot"):
        return None
    if operator(step, "LogicalNot"):
        return turned.inputs[0]
    if operator(step, "Where"):
        return values.add(node, turned.inputs[0], step.inputs[2], step.inputs[1])
    if operator(step, "WhereScalars"):
        one, other = node.constants
        return values.add(replace(node, scalar=(other, one)), turned.inputs[0])
    return None
