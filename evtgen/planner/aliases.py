"""Names of steps and values in C++, each once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..graph.ir import Step, visit_order
from ..graph.types import int32
from ..nodes import (
    AccLoad,
    Alternate,
    Cast,
    Compute,
    DecodeFloat8,
    Kept,
    Part,
    Reducing,
    Rotate,
    TopK,
    TopKResult,
    VisitorNode,
    node_of,
)
from ..nodes.base import of_kind, pascal
from ..nodes.loads import ACCUMULATORS


def aliases_of(steps: Sequence[Step]) -> tuple[str, ...]:
    """The unique C++ name of each step's type."""
    subjects: dict[int, str] = {}
    for index in visit_order([step.inputs for step in steps]):
        subjects[index] = subject(node_of(steps[index]), [subjects[i] for i in steps[index].inputs])
    taken: dict[str, int] = {}
    return tuple(unique(alias(node_of(step), [subjects[i] for i in step.inputs]), taken) for step in steps)


def alias(node: VisitorNode, inputs: Sequence[str]) -> str:
    """A short C++ name for a node in its epilogue's header, given the :func:`subject` of each input."""
    return of_kind(_ALIASES, node)(node, inputs)


def subject(node: VisitorNode, inputs: Sequence[str]) -> str:
    """The name of a node's output within the names of other parts of the graph: ``X`` for a load, ``Plus`` for an
    operator. Casts and what forwards its input keep the name of that."""
    if node.forwards or isinstance(node, Cast | DecodeFloat8):
        return inputs[0]
    if isinstance(node, AccLoad):
        return ACCUMULATORS[node.index]
    if isinstance(node, Kept):
        return node.called
    return alias(node, inputs) if node.tensor is None else pascal(node.tensor.name)


_ALIASES: dict[type[VisitorNode], Callable[[Any, Sequence[str]], str]] = {
    # The kind, and the tensor.
    VisitorNode: lambda node, inputs: node.template.removeprefix("Visitor") + pascal(getattr(node, "name", "")),
    Compute: lambda node, inputs: node.op if isinstance(node.op, str) else node.op.cpp,
    Cast: lambda node, inputs: f"Cast{inputs[0]}To{node.to.pascal}",
    Alternate: lambda node, inputs: f"{('Even', 'Odd')[node.start]}ColumnsOf{inputs[0]}",
    Part: lambda node, inputs: f"PartOf{inputs[0]}",
    DecodeFloat8: lambda node, inputs: f"Decoded{inputs[0]}",
    TopK: lambda node, inputs: f"LargestOf{inputs[0]}",
    TopKResult: lambda node, inputs: f"{'Columns' if int32 == node.T else 'Values'}Of{inputs[0]}",
    Rotate: lambda node, inputs: f"Rotated{inputs[0]}",
    Reducing: lambda node, inputs: f"{node.noun.title()}Of{inputs[0]}",
}


def unique(base: str, taken: dict[str, int]) -> str:
    """Take a name that is still free: the second ``Plus`` becomes ``Plus2``, the second ``CastXToInt8`` becomes
    ``CastXToInt8_2``. ``taken`` maps each name to the next number to try."""
    name = base
    while name in taken:
        name = f"{base}{'_' if base[-1].isdigit() else ''}{taken[base]}"
        taken[base] += 1
    taken[name] = 2
    return name
