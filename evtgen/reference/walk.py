"""The walk over a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Union

import numpy as np

from ..arithmetic.arrays import Array
from ..graph.ir import Epilogue, Step, flatten, visit_order
from ..nodes import Reduce, Tensors, VisitorNode
from .enclosure import Enclosure
from .propagate import propagate
from .sums import reduction

if TYPE_CHECKING:
    from ..planner.plan import Plan

Graph = Union["Plan", Epilogue]


def evaluate(graph: Graph, acc: Array, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """The outputs of an epilogue, by tensor name.

    ``acc`` is the accumulator (M, N) in its element type; ``inputs`` holds arrays of their tensors' shapes and
    types. A tensor that is left out is a null pointer: its load must have a ``null_default``.
    """
    return {name: enclosure.value for name, enclosure in enclose(graph, acc, inputs).items()}


def enclose(graph: Graph, acc: Array, inputs: Mapping[str, Array]) -> dict[str, Enclosure]:
    """As :func:`evaluate`, with the enclosure of each output."""
    steps: Sequence[Step] = flatten(graph.root) if isinstance(graph, Epilogue) else graph.steps
    tensors = Tensors(acc, dict(inputs))
    values: dict[int, Enclosure] = {}
    outputs: dict[str, Enclosure] = {}
    # Infinities and NaNs are values like any other: the device does not stop for them.
    with np.errstate(all="ignore"):
        for index in visit_order([step.inputs for step in steps]):
            node = steps[index].node
            assert isinstance(node, VisitorNode)
            if node.joins:
                continue  # it has no value
            operands = [values[i] for i in steps[index].inputs]
            values[index] = propagate(node, operands, tensors)
            if node.writes and node.tensor is not None:
                value = tensors.outputs[node.tensor.name]
                outputs[node.tensor.name] = (
                    reduction(node, operands[0], value) if isinstance(node, Reduce) else values[index]
                )
    return outputs
