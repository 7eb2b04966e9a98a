"""Two sums or two products with constants in a row as one: ``(x + 1) + 2`` of integers is ``x + 3``."""

from __future__ import annotations

import math
from dataclasses import replace

from ..graph.ir import Epilogue, Scalar, Step
from ..graph.types import ElementType
from ..nodes import Compute, Constant
from ..operators.constants import holds
from .rewriting import Rule, Values, number, operator, rewritten


def fold_constants(epilogue: Epilogue) -> Epilogue:
    """The epilogue with one constant where two were added or multiplied one after the other.

    Integers wrap around, so theirs always fold. Of floats only products with powers of two that are not below 1 are
    exact: neither rounds, and what overflows stays so. With ``fast_math`` all fold that the type holds.
    """
    return rewritten(epilogue, _rule(epilogue.fast_math))


def _rule(fast_math: bool) -> Rule:
    def rule(values: Values, step: Step) -> int | None:
        same = operator(step, "Adds", "Muls")
        if same is None:
            return None
        below = values.made(step.inputs[0])
        if not operator(below, same.cpp) or not values.once(step.inputs[0]):
            return None
        outer, inner = step.node, below.node
        assert isinstance(outer, Compute) and isinstance(inner, Compute)
        a, b = number(inner), number(outer)
        if a is None or b is None:
            return None
        folded = _exactly(same.cpp, a, b, outer.T)
        if folded is None and fast_math:
            # Of the numbers as they were written: the fewer roundings, the closer to what is meant.
            folded = _held(same.cpp, inner.constants[0], outer.constants[0], outer.T)
        return None if folded is None else values.add(replace(outer, scalar=folded), below.inputs[0])

    return rule


def _exactly(name: str, a: float | int, b: float | int, T: ElementType) -> float | int | None:
    """The constant that has the effect of two, bit for bit; None if there is none."""
    if T.kind == "int":
        both, span = int(a + b if name == "Adds" else a * b), 1 << (8 * T.size)
        return (both + span // 2) % span - span // 2
    powers = name == "Muls" and all(math.frexp(abs(c))[0] == 0.5 and abs(c) >= 1 for c in (a, b))
    return a * b if powers and holds(T, a * b, finite=True) else None


def _held(name: str, a: Constant, b: Constant, T: ElementType) -> float | None:
    """The sum or product of two constants of floats, if the type holds it as it does other numbers."""
    assert not isinstance(a, Scalar) and not isinstance(b, Scalar)
    both = float(a + b if name == "Adds" else a * b)
    return both if both != 0 and holds(T, both, finite=True) else None
