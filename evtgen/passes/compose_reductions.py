"""Reductions of what an operator makes of the elements, in two nodes: squares that are added up, and the largest of the
magnitudes."""

from __future__ import annotations

from dataclasses import replace

from ..graph.ir import Epilogue, Step, TopologicalVisitor, flatten, visit_order
from ..nodes import Outputs, Reduce, Reducing, VisitorNode
from .choose_form import formed


def compose_reductions(epilogue: Epilogue) -> Epilogue:
    """The epilogue with ``"amax"`` and ``"sum_of_squares"`` of explicit nodes as tracing writes them: an operator over
    the elements, and a reduction that joins what it makes of them.

    A reduction to a tensor hands on the elements themselves, so what reads it then stands beside it and not over it.
    The graph therefore takes the form that it would have if it were traced. One with a cycle is left as it is.
    """
    old = flatten(epilogue.root)
    if not any(map(_composed, old)):
        return epilogue
    order = visit_order([step.inputs for step in old])
    if len(order) < len(old):
        return epilogue
    steps: list[Step] = []
    value: dict[int, int] = {}  # what each step hands on
    ends: dict[int, int] = {}  # the reductions to tensors, which nothing reads any more
    for index in order:
        step = old[index]
        if index == len(old) - 1 and isinstance(step.node, VisitorNode) and step.node.joins:
            continue  # the new root is found anew
        node, inputs = step.node, tuple(value[i] for i in step.inputs)
        if _composed(step):
            assert isinstance(node, (Reduce, Reducing)) and node.first is not None and node.operator is not None
            steps.append(Step(node.first, inputs))
            steps.append(Step(replace(node, op=node.operator.cpp), (len(steps) - 1,)))
        else:
            steps.append(Step(node, inputs))
        value[index] = len(steps) - 1
        if _composed(step) and isinstance(node, Reduce):
            ends[index], value[index] = value[index], inputs[0]
    root = len(old) - 1
    read = {i for step in steps for i in step.inputs}
    roots = [ends.get(i, value[i]) for i in ([root] if root in value else old[root].inputs)]
    tips = [i for i in dict.fromkeys([*(i for i in ends.values() if i not in roots), *roots]) if i not in read]
    location = epilogue.root.location
    if tips != [len(steps) - 1]:
        steps.append(Step(Outputs(location=location), tuple(tips)))
    flat = TopologicalVisitor([step.inputs for step in steps], [step.node for step in steps], location=location)
    return replace(epilogue, root=formed(flat))


def _composed(step: Step) -> bool:
    return isinstance(step.node, (Reduce, Reducing)) and step.node.first is not None and len(step.inputs) > 0
