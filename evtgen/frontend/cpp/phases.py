"""The graphs of phases as the one graph that they were cut from."""

from __future__ import annotations

from collections.abc import Sequence

from ...diagnostics import cpp as codes
from ...graph.ir import Node, Step, Visitor, flatten, visit_order
from ...graph.location import Location
from ...nodes import REDUCED, Kept, Outputs, Reduce, Reduced, VisitorNode
from ...passes.analysis.roots import rooted


def joined(graphs: Sequence[Visitor], location: Location) -> Visitor:
    """A graph in which what crosses from one phase to the next is an operand, and what several phases compute stands
    once. One of whole rows, which is all of this again, is left out. Raises EvtgenError (EVT216) where a phase reads
    what none before it has written."""
    if any(isinstance(step.node, Reduced) for step in flatten(graphs[-1])):
        graphs = graphs[:-1]
    steps: list[Step] = []
    values: dict[int, int] = {}
    known: dict[tuple[Node, tuple[int, ...]], int] = {}

    def add(node: VisitorNode, inputs: tuple[int, ...]) -> int:
        key = (node, inputs)
        if node.writes or key not in known:
            steps.append(Step(node, inputs))
            known[key] = len(steps) - 1
        return known[key]

    for graph in graphs:
        own = flatten(graph)
        made: dict[int, int] = {}
        order = visit_order([step.inputs for step in own])
        if len(order) < len(own):
            return graph  # it has a cycle, which a rule reports
        for index in order:
            node, inputs = own[index].node, tuple(made[i] for i in own[index].inputs)
            if isinstance(node, Outputs) or not isinstance(node, VisitorNode):
                continue
            if not isinstance(node, Kept):
                step = add(node, inputs)
                # Who reads an output reads its input: another phase has the one without the other.
                made[index] = inputs[0] if node.forwards and inputs else step
            elif not node.writes:
                if node.number not in values:
                    raise codes.UNREAD_CPP.refusal("phase", node.location, number=node.number)
                made[index] = values[node.number]
            elif inputs:
                made[index] = inputs[0]
                values[node.number] = add(_reduced(node), inputs) if isinstance(node, Reduce) else inputs[0]
    if not any(step.node.writes for step in steps if isinstance(step.node, VisitorNode)):
        return graphs[-1]  # it has no output, which a rule reports
    return rooted(steps, location)


def _reduced(node: Reduce) -> VisitorNode:
    """A reduction whose result is read again."""
    kind = next(reduced for kind, reduced in REDUCED.items() if isinstance(node, kind))
    return kind(node.op, node.T, location=node.location)
