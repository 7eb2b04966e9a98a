"""A quotient by a constant as a product: one instruction instead of two, and a cheaper one."""

from __future__ import annotations

import math
from dataclasses import replace

from ..graph.ir import Epilogue, Scalar, Step
from ..nodes import Compute
from ..operators.constants import holds, nearest
from .rewriting import Rule, Values, number, operator, rewritten


def multiply_by_reciprocal(epilogue: Epilogue) -> Epilogue:
    """The epilogue with products in the place of quotients by constants.

    Exact for powers of two, whose reciprocal the type holds: both round the same number. With ``fast_math`` for every
    constant whose reciprocal the type holds as it does other numbers; the result is then off by one more rounding.
    """
    return rewritten(epilogue, _rule(epilogue.fast_math))


def _rule(fast_math: bool) -> Rule:
    def rule(values: Values, step: Step) -> int | None:
        node = step.node
        if not isinstance(node, Compute) or not operator(step, "Divs"):
            return None
        divisor = number(node)
        if not divisor or not math.isfinite(divisor):
            return None
        reciprocal = 1 / divisor
        exact = math.frexp(abs(divisor))[0] == 0.5 and nearest(reciprocal, node.T) == reciprocal
        if not exact:
            if not fast_math:
                return None
            # Of the number as it was written, which need not be one of the type.
            (written,) = node.constants
            assert not isinstance(written, Scalar)
            reciprocal = 1 / written
            if not holds(node.T, reciprocal, finite=True):
                return None
        return values.add(replace(node, op="Muls", scalar=reciprocal), *step.inputs)

    return rule
