"""A sum or difference and the Relu of it as one call: AddRelu, SubRelu."""

from __future__ import annotations

import math

from ..graph.ir import Epilogue, Step
from ..nodes import Compute
from ..operators.table import OPERATORS
from .rewriting import Values, number, operator, rewritten


def fuse_relu(epilogue: Epilogue) -> Epilogue:
    """The epilogue with each ``relu(a + b)`` and ``relu(a - b)`` whose sum nothing else needs as one instruction.

    It is exact: the sum is rounded, then compared with 0 (AscendC, AddRelu and SubRelu).
    """
    return rewritten(epilogue, _rule)


_FUSED = {"Plus": "AddRelu", "Minus": "SubRelu"}


def _rule(values: Values, step: Step) -> int | None:
    if not _rectifies(step):
        return None
    total = values.made(step.inputs[0])
    found = operator(total, *_FUSED)
    if found is None or len(total.inputs) != 2 or not values.once(step.inputs[0]):
        return None
    assert isinstance(total.node, Compute)
    fused, T = OPERATORS[_FUSED[found.cpp]], total.node.T
    if T not in fused.types(values.arch):
        return None
    return values.add(Compute.of(fused, T, location=step.node.location), *total.inputs)


def _rectifies(step: Step) -> bool:
    """Whether a step is a Relu, in either spelling; a limit of -0.0 is another."""
    node = step.node
    if operator(step, "Relu"):
        return True
    if not isinstance(node, Compute) or not operator(step, "Maxs"):
        return False
    limit = number(node)
    return limit == 0 and math.copysign(1.0, limit) > 0
