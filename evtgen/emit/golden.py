"""The graph as text, and as the golden result of an example program: one walk, each node says its own part."""

from __future__ import annotations

from ..graph.ir import consumers
from ..graph.types import mask
from ..nodes.base import bare
from ..planner.plan import Plan, node_of


def value_name(alias: str) -> str:
    """The name of a node's value: its alias, starting in lower case."""
    return alias[0].lower() + alias[1:]


def formula(plan: Plan) -> list[str]:
    """One line per output: ``D = half(float(C) + float(X))``. A value with several consumers has a line of its own."""
    shared = {index for index, users in enumerate(consumers(plan.steps)) if len(users) > 1}
    texts: dict[int, str] = {}
    lines = []
    for index in plan.order:
        node = node_of(plan.steps[index])
        inputs = [texts[i] for i in plan.steps[index].inputs]
        if node.writes:
            lines.append(node.assignment(inputs[0]))
        texts[index] = inputs[0] if node.forwards else node.formula(inputs)
        if index in shared and inputs and not node.forwards:
            name = value_name(plan.aliases[index])
            lines.append(f"{name} = {bare(texts[index])}")
            texts[index] = name
    return lines


def statements(plan: Plan) -> list[str]:
    """C++ statements that compute one element of every output on the host, in the order of the visits."""
    names: dict[int, str] = {}
    lines = []
    for index in plan.order:
        node = node_of(plan.steps[index])
        inputs = [names[i] for i in plan.steps[index].inputs]
        if node.writes:
            lines.append(node.golden_write(inputs[0]))
        if node.forwards:
            names[index] = inputs[0]
        elif not node.joins:
            names[index] = value_name(plan.aliases[index])
            kind = "bool" if node.element == mask else "float"
            lines.append(f"{kind} {names[index]} = {node.golden(inputs)};")
    return lines
