"""The text of the program that runs epilogues on the CPU model."""

from __future__ import annotations

from collections.abc import Sequence

from ..emit.render import render_template
from ..graph.shapes import TensorShape
from ..nodes import AuxLoad
from ..nodes.base import pascal
from ..planner.plan import Plan, node_of

_LAYOUTS = {
    TensorShape.MATRIX: ("m", "n", "n + pad"),
    TensorShape.ROW: ("1u", "n", "n + pad"),
    TensorShape.COLUMN: ("m", "1u", "1u"),
    TensorShape.SINGLE: ("1u", "1u", "1u"),
}
"""Rows, columns and leading dimension of a tensor by its shape, in the words of the program. Columns are packed."""


def source(plans: Sequence[Plan]) -> str:
    """The C++ text of a program that runs any of ``plans``."""
    optional = {plan.name: nullable(plan) for plan in plans}
    return render_template("verify/harness.cpp.j2", plans=plans, pascal=pascal, nullable=optional, layouts=_LAYOUTS)


def nullable(plan: Plan) -> tuple[str, ...]:
    """The tensors that may be null."""
    nodes = (node_of(step) for step in plan.steps)
    return tuple(node.name for node in nodes if isinstance(node, AuxLoad) and node.null_default is not None)
