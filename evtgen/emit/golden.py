"""The golden result of an example program: C++ statements over floats that compute one element of every output.

They run on the host, per element of C, and round where the device rounds: after every operator of a 16-bit type.
"""

from __future__ import annotations

from ..lower.plan import Plan, node_of
from ..nodes import AccLoad, AuxLoad, Cast, Compute, RowBroadcast, RowReduce
from ..nodes.base import pascal
from ..types import ElementType

HOST_TYPES = {"half": "fp16_t", "bfloat16": "bfloat16"}
"""What the host calls an element type when it is not what the device calls it."""

_TO_INTEGER = {
    "CAST_RINT": "std::nearbyint",
    "CAST_NONE": "std::nearbyint",
    "CAST_FLOOR": "std::floor",
    "CAST_CEIL": "std::ceil",
    "CAST_ROUND": "std::round",
    "CAST_TRUNC": "std::trunc",
}


def host_type(element: ElementType) -> str:
    """The C++ type of an element on the host: ``fp16_t``, ``bfloat16``, ``float``, ``int32_t``…"""
    return HOST_TYPES.get(element.name, element.cpp)


def golden_name(alias: str) -> str:
    """The name of a node's value: its alias, starting in lower case."""
    return alias[0].lower() + alias[1:]


def statements(plan: Plan) -> list[str]:
    """The statements, in the order of the visits; ``acc``, ``row`` and ``column`` are in scope."""
    names = {index: golden_name(alias) for index, alias in enumerate(plan.aliases)}
    lines = []
    for index in plan.order:
        node = node_of(plan.steps[index])
        inputs = [names[i] for i in plan.steps[index].inputs]
        if node.writes and node.tensor is not None:
            target = f"golden{node.alias.removeprefix('AuxStore').removeprefix('RowReduce')}"
            if isinstance(node, RowReduce):
                element = f"{target}[column]"
                assert node.operator is not None
                lines.append(f"{element} = {node.operator.golden.format(element, inputs[0])};")
            else:
                lines.append(f"{target}[row * n + column] = {inputs[0]};")
        if node.forwards:
            names[index] = inputs[0]
        elif node.element is not None and not (node.max_inputs is None and node.input_element is None):
            lines.append(f"float {names[index]} = {_value(plan, index, inputs)};")
    return lines


def _value(plan: Plan, index: int, inputs: list[str]) -> str:
    node = node_of(plan.steps[index])
    if isinstance(node, AccLoad):
        return _rounded("acc", node.T)
    if isinstance(node, AuxLoad):
        return f"static_cast<float>(host{pascal(node.name)}[row * n + column])"
    if isinstance(node, RowBroadcast):
        return f"static_cast<float>(host{pascal(node.name)}[column])"
    if isinstance(node, Cast):
        if node.to == node.from_:
            return inputs[0]
        if node.to.kind == "int":
            return f"{_TO_INTEGER[node.round]}({inputs[0]})"
        return _rounded(inputs[0], node.to)
    assert isinstance(node, Compute) and node.operator is not None
    scalar = f"{float(node.scalar)!r}f" if node.scalar is not None else ""
    value = node.operator.golden.format(*inputs, scalar=scalar)
    for more in inputs[node.operator.inputs :]:
        value = node.operator.golden.format(_rounded(value, node.T), more)
    return _rounded(value, node.T)


def _rounded(value: str, element: ElementType) -> str:
    return f"Round<{host_type(element)}>({value})" if element.name in HOST_TYPES else value
