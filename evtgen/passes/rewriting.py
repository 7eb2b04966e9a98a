"""Rewriting a traced graph, one value after another.

A rule looks at a step whose inputs have been rewritten already, and says which value of the new graph stands for the
step's. What no output needs any more is left out at the end; parameters stay, since they are the caller's arguments.
An explicit graph is the user's own choice of nodes: no rule touches it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..graph.ir import Epilogue, Node, Scalar, Step, consumers, flatten
from ..nodes import Compute, Position, VisitorNode
from ..operators.constants import nearest
from ..operators.declaration import Operator
from ..operators.table import OPERATORS
from ..targets import ARCHITECTURES, Architecture
from .analysis.roots import rooted


class Values:
    """The new graph while it grows; a value goes by the index of its step.

    Attributes:
        arch: the architecture of the epilogue.
        steps: the steps so far, inputs before the steps that read them.
    """

    def __init__(self, arch: Architecture) -> None:
        self.arch = arch
        self.steps: list[Step] = []
        self.reads: list[int] = []

    def add(self, node: Node, *inputs: int) -> int:
        """A new step; returns its value."""
        self.steps.append(Step(node, inputs))
        self.reads.append(0)
        return len(self.steps) - 1

    def source(self, value: int) -> int:
        """The value below the stores and reductions that hand it on."""
        while _forwards(self.steps[value]):
            value = self.steps[value].inputs[0]
        return value

    def made(self, value: int) -> Step:
        """The step that computes a value."""
        return self.steps[self.source(value)]

    def once(self, value: int) -> bool:
        """Whether no more than one step needs a value, stores included: what computes it may change with that step."""
        return self.reads[self.source(value)] <= 1


Rule = Callable[[Values, Step], int | None]
"""The value that stands for a step's, made with :meth:`Values.add` where it is new; None keeps the step."""


def rewritten(epilogue: Epilogue, rule: Rule) -> Epilogue:
    """The epilogue after a rule has seen each step; itself if it is explicit, or if the rule kept all steps."""
    if not epilogue.traced:
        return epilogue
    old = flatten(epilogue.root)
    reads = _reads(old)
    values = Values(ARCHITECTURES[epilogue.arch])
    place: list[int] = []
    changed = False
    for index, step in enumerate(old):
        node = step.node
        if isinstance(node, VisitorNode) and node.joins:
            place.append(-1)  # the new root is found anew
            continue
        moved = Step(node, tuple(place[i] for i in step.inputs))
        value = rule(values, moved)
        changed |= value is not None
        place.append(values.add(node, *moved.inputs) if value is None else value)
        values.reads[values.source(place[-1])] += 0 if _forwards(step) else reads[index]
    return replace(epilogue, root=rooted(_live(values.steps), epilogue.root.location)) if changed else epilogue


def _forwards(step: Step) -> bool:
    return isinstance(step.node, VisitorNode) and step.node.forwards


def _reads(steps: list[Step]) -> list[int]:
    """How many steps need each value, be it through a store that hands it on."""
    reads = [len(users) for users in consumers(steps)]
    for index in reversed(range(len(steps))):
        node = steps[index].node
        if _forwards(steps[index]):
            reads[steps[index].inputs[0]] += reads[index]
        elif isinstance(node, VisitorNode) and node.joins:
            for source in steps[index].inputs:
                reads[source] -= 1
    return reads


def _live(steps: list[Step]) -> list[Step]:
    """The steps that write, the parameters, and what the former need."""
    live = {i for i, step in enumerate(steps) if not step.inputs and not isinstance(step.node, Position)}
    waiting = [i for i, step in enumerate(steps) if isinstance(step.node, VisitorNode) and step.node.writes]
    while waiting:
        index = waiting.pop()
        if index not in live:
            live.add(index)
            waiting += steps[index].inputs
    kept = sorted(live)
    place = {old: new for new, old in enumerate(kept)}
    return [Step(steps[i].node, tuple(place[j] for j in steps[i].inputs)) for i in kept]


def operator(step: Step, *names: str) -> Operator | None:
    """The operator of a step if it is one of the framework's with one of these C++ names."""
    node = step.node
    return OPERATORS[node.op] if isinstance(node, Compute) and node.op in names and isinstance(node.op, str) else None


def number(node: Compute) -> float | int | None:
    """The only constant of a node as the device has it; None if it has another count, or is given at run time."""
    if len(node.constants) != 1 or isinstance(node.constants[0], Scalar):
        return None
    return nearest(node.constants[0], node.element_constant)
