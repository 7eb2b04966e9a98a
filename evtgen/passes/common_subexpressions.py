"""The same node on the same values is one."""

from __future__ import annotations

import math
from typing import Any

from ..graph.ir import Epilogue, Scalar, Step
from ..nodes import Band, Compute, VisitorNode
from .rewriting import Rule, Values, operator, rewritten


def common_subexpressions(epilogue: Epilogue) -> Epilogue:
    """The epilogue with each value computed once. Stores and reductions are effects, each stays."""
    return rewritten(epilogue, _rule())


def _rule() -> Rule:
    known: dict[Any, int] = {}

    def rule(values: Values, step: Step) -> int | None:
        node = step.node
        if not isinstance(node, VisitorNode) or node.writes:
            return None
        inputs = tuple(values.source(i) for i in step.inputs)
        if operator(step, *_COMMUTES) and len(inputs) == 2:
            inputs = (min(inputs), max(inputs))
        # Python takes -0.0, 0.0 and 0 for one number; in a tile the first is another.
        signs = tuple(_sign(c) for c in node.constants) if isinstance(node, Band | Compute) else ()
        key = (node, signs, inputs)
        if key in known:
            return known[key]
        known[key] = len(values.steps)
        return None

    return rule


def _sign(constant: float | int | Scalar) -> float:
    return 0.0 if isinstance(constant, Scalar) else math.copysign(1.0, constant)


_COMMUTES = ("Plus", "Multiplies", "EqualTo", "NotEqualTo", "LogicalAnd", "LogicalOr")
"""Operators of two inputs whose order does not matter. A maximum of both zeros may be either, so it is not among
them."""
