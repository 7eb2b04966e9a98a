"""Sums of products in calls that multiply and add: Axpy, MulAddDst, FusedMulAdd."""

from __future__ import annotations

from collections.abc import Iterator

from ..graph.ir import Epilogue, Scalar, Step
from ..nodes import Compute, Constant
from ..operators.table import FIRST, SUMS_OF_PRODUCTS
from .rewriting import Values, operator, rewritten


def multiply_add(epilogue: Epilogue) -> Epilogue:
    """With ``fast_math``: ``a * alpha + b * beta``, ``(a - b) * c + d`` and the like in two instructions each.

    Such a call reads and writes dst, which must hold a value that nothing else needs. So it follows the instruction
    that makes that value, within one operator. For one that is loaded a copy would have to come first, which saves
    nothing: ``a * b + c`` of three loads stays as it is. AscendC's pages leave open whether the product is rounded.
    """
    return rewritten(epilogue, _rule) if epilogue.fast_math else epilogue


def _rule(values: Values, step: Step) -> int | None:
    if len(step.inputs) != 2 or not operator(step, "Plus", "Minus"):
        return None
    assert isinstance(step.node, Compute)
    for first, inputs, call, more, constants in _ways(values, step):
        fused = SUMS_OF_PRODUCTS[f"{first.op}{call}"]
        if step.node.T.kind == "float" and step.node.T in fused.types(values.arch):
            node = Compute.of(fused, step.node.T, (*first.constants, *constants), step.node.location)
            return values.add(node, *inputs, *more)
    return None


_Way = tuple[Compute, tuple[int, ...], str, tuple[int, ...], tuple[Constant, ...]]
"""The operator that comes first and its inputs; the call that follows it, its inputs and its constants."""


def _ways(values: Values, step: Step) -> Iterator[_Way]:
    """The ways to make a sum or difference of two instructions."""
    left, right = step.inputs
    adds = bool(operator(step, "Plus"))
    for value, product in ((left, right), (right, left)) if adds else ((left, right),):
        first, factors = _first(values, value), _product(values, product)
        if first and factors:
            node, inputs = factors
            if node.op == "Muls":
                scale = node.constants[0]
                yield *first, "Axpy", inputs, (scale if adds else _negative(scale),)
            elif adds:
                yield *first, "MulAddDst", inputs, ()
    for product, term in ((left, right), (right, left)) if adds else ():
        factors = _product(values, product)
        if factors and factors[0].op == "Multiplies":
            for value, factor in (factors[1], factors[1][::-1]):
                if first := _first(values, value):
                    yield *first, "FusedMulAdd", (factor, term), ()


def _first(values: Values, value: int) -> tuple[Compute, tuple[int, ...]] | None:
    """What makes a value, if a call can go on in its place."""
    made = values.made(value)
    if not operator(made, *FIRST) or len(made.inputs) > 2 or not values.once(value):
        return None
    assert isinstance(made.node, Compute)
    return made.node, made.inputs


def _product(values: Values, value: int) -> tuple[Compute, tuple[int, ...]] | None:
    """The product that a value is, if nothing else needs it."""
    first = _first(values, value)
    return first if first and first[0].op in ("Muls", "Multiplies") else None


def _negative(constant: Constant) -> Constant:
    return -constant if isinstance(constant, Scalar) else -float(constant)
