"""The root of a traced graph: the only output that nobody reads, or an Outputs node over several."""

from __future__ import annotations

from collections.abc import Sequence

from ...graph.ir import Step, TopologicalVisitor
from ...graph.location import Location
from ...nodes import Outputs, VisitorNode


def rooted(steps: Sequence[Step], location: Location | None) -> TopologicalVisitor:
    """The steps of a graph without a root, inputs first, as one flat visitor whose last op is its root.

    ``location`` is that of the visitor, and of an Outputs node.
    """
    steps = list(steps)
    read = {i for step in steps for i in step.inputs}
    tips = [i for i, step in enumerate(steps) if i not in read and _writes(step)]
    if len(tips) > 1:
        steps.append(Step(Outputs(location=location), tuple(tips)))
    elif tips[0] != len(steps) - 1:
        # Only unused parameters, which nobody reads, can come after it.
        order = [i for i in range(len(steps)) if i != tips[0]] + tips
        place = {old: new for new, old in enumerate(order)}
        steps = [Step(steps[i].node, tuple(place[j] for j in steps[i].inputs)) for i in order]
    return TopologicalVisitor([s.inputs for s in steps], [s.node for s in steps], location=location)


def _writes(step: Step) -> bool:
    return isinstance(step.node, VisitorNode) and step.node.writes
