"""The contents of a picture of a graph: boxes, edges and bands, still without places."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from ....emit.formula import accumulators, assignment, bare, product, spoken, text_of
from ....emit.framework import Framework
from ....emit.types import node_type
from ....nodes import AccLoad, AStatistic, Cast, Kept, KeptLoad, KeptStore, Position, Reduce, VisitorNode, node_of
from ....planner.plan import Plan
from ....system.translation import tr
from .text import shortened

LETTERS = ("x", "y", "z", "u", "v", "w")
"""The names of a node's inputs in its box, and at the ends of their edges."""

MOST = 32
"""The most characters of a line in a box."""

KINDS = {
    "input": tr("loaded from global memory"),
    "compute": tr("computed"),
    "cast": tr("cast to another type"),
    "output": tr("written to global memory"),
    "kept": tr("in the workspace, between phases"),
}
"""The kinds of boxes, in words."""


@dataclass(frozen=True)
class Box:
    """A node.

    Attributes:
        title: the tensor, or the formula of the inputs.
        alias: its name in the emitted header, and in all output about it.
        value: the element type and the shape of its output, or of its tensor; whether it is computed again, and how
            many nodes use it.
        kind: one of :data:`KINDS`.
        phase: the number of its band.
        uses: the number of nodes that read its output.
        again: whether an earlier phase computes the same.
        about: more, for a tooltip.
    """

    title: str
    alias: str
    value: str
    kind: str
    phase: int
    uses: int
    again: bool
    about: str


@dataclass(frozen=True)
class Edge:
    """A value that one box takes from another, by their indices.

    Attributes:
        label: its name in the title of the target; empty if the target has one input.
        crosses: whether it goes from one phase to a later one, through the workspace.
    """

    source: int
    target: int
    label: str = ""
    crosses: bool = False


@dataclass(frozen=True)
class Band:
    """A phase, with the values that it computes and the values that it leaves in the workspace for later phases."""

    title: str
    note: str


@dataclass(frozen=True)
class Drawing:
    """A graph to be drawn; ``bands`` is empty where there is one phase."""

    name: str
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    bands: tuple[Band, ...] = ()


@spoken()
def drawing_of(plan: Plan) -> Drawing:
    """The picture of a plan, of all its phases."""
    boxes: list[Box] = []
    edges: list[Edge] = []
    writers: dict[int, int] = {}
    known: dict[Hashable, int] = {}
    for phase, part in enumerate(plan.phases):
        made = _part(plan, part, phase, known)
        place = {index: len(boxes) + number for number, index in enumerate(made)}
        for index, box in made.items():
            boxes.append(box)
            node = node_of(part.steps[index])
            if isinstance(node, Kept) and node.writes:
                writers[node.number] = place[index]
            elif isinstance(node, Kept):
                edges.append(Edge(writers[node.number], place[index], crosses=True))
            names = _names(part.steps[index].inputs)
            labels = {names[i]: i for i in names} if len(names) > 1 else {}
            called = {source: letter for letter, source in labels.items()}
            edges += [Edge(place[i], place[index], called.get(i, "")) for i in names]
    bands = tuple(_band(plan, part, number) for number, part in enumerate(plan.parts))
    return Drawing(plan.name, tuple(boxes), tuple(edges), bands)


def _part(plan: Plan, part: Plan, phase: int, known: dict[Hashable, int]) -> dict[int, Box]:
    """The boxes of a phase by their steps; ``known`` numbers the values that the phases so far compute."""
    uses = [0] * len(part.steps)
    for step in part.steps:
        for source in set(step.inputs):
            uses[source] += not node_of(step).joins
    before = len(known)
    same: dict[int, int] = {}
    boxes = {}
    for index in part.order:
        node, inputs = node_of(part.steps[index]), part.steps[index].inputs
        made = [same[i] for i in inputs]
        same[index] = made[0] if node.forwards else known.setdefault(_identity(node, made), len(known))
        if isinstance(node, KeptStore):
            known[_identity(KeptLoad(node.name, node.T, number=node.number), ())] = made[0]
        if node.joins:
            continue
        again = same[index] < before and not node.writes and not isinstance(node, Kept)
        boxes[index] = Box(
            shortened(_title(plan, node, inputs), MOST),
            shortened(part.aliases[index], MOST),
            tr(", ").join(
                [
                    _value(node),
                    *([tr("again")] if again else []),
                    *([tr("{count} uses", count=uses[index])] if uses[index] > 1 else []),
                ]
            ),
            kind_of(node, inputs),
            phase,
            uses[index],
            again,
            _about(plan, node, inputs, part.aliases[index]),
        )
    return boxes


def _identity(node: VisitorNode, inputs: Sequence[int]) -> Hashable:
    """A key: equal for nodes that compute the same from the same inputs. Inputs are given by their numbers."""
    if isinstance(node, AccLoad):
        return "accumulator", node.index
    return ("kept", node.number) if isinstance(node, Kept) else (node, *inputs)


def _names(inputs: Sequence[int]) -> dict[int, str]:
    """A letter for each different input."""
    different = list(dict.fromkeys(inputs))
    return {index: LETTERS[n] if n < len(LETTERS) else f"x{n}" for n, index in enumerate(different)}


def _title(plan: Plan, node: VisitorNode, inputs: Sequence[int]) -> str:
    """The tensor, or the formula."""
    names = _names(inputs)
    if isinstance(node, AccLoad):
        return accumulators(plan)[node.index]
    if isinstance(node, Kept):
        return node.called
    if node.tensor is not None:
        return node.tensor.name
    if isinstance(node, Cast):
        return tr("x as {T}", T=node.to)
    return bare(text_of(node, [names[i] for i in inputs]))


def _value(node: VisitorNode) -> str:
    tensor = node.kept if isinstance(node, Kept) else node.tensor
    if isinstance(node, AStatistic):
        return f"{node.element} M × 1"
    rows, columns = ("M", "N") if tensor is None else tensor.extents
    return f"{node.element} {rows} × {columns}"


def kind_of(node: VisitorNode, inputs: Sequence[int]) -> str:
    """One of :data:`KINDS`."""
    if isinstance(node, Kept):
        return "kept"
    if node.writes:
        return "output"
    if isinstance(node, Cast):
        return "cast"
    return "compute" if inputs or isinstance(node, (AStatistic, Position)) else "input"


def _about(plan: Plan, node: VisitorNode, inputs: Sequence[int], alias: str) -> str:
    """Its name, the C++ type, its task, and its line in the spec."""
    names = _names(inputs)
    given = [names[i] for i in inputs]
    lines = [f"{alias}: {node_type(node, Framework().prefix)}"]
    if isinstance(node, AccLoad):
        lines.append(product(plan))
    elif node.writes:
        lines.append(assignment(node, given[0]))
    elif inputs and not isinstance(node, Cast):
        lines.append(bare(text_of(node, given)))
    elif isinstance(node, Cast) and node.round != "CAST_NONE":
        lines.append(node.round)
    where = node.location
    if where is not None and where.line:
        lines.append(f"{PurePath(where.file).name}:{where.line}")
    return "\n".join(lines)


def _band(plan: Plan, part: Plan, number: int) -> Band:
    left = [node for _, node in part.nodes() if isinstance(node, Kept) and node.writes]
    reduced, kept = tr("{name} (reduced)"), tr("{name} (kept)")
    names = [(reduced if isinstance(node, Reduce) else kept).format(name=node.called) for node in left]
    note = tr("leaves in the workspace: {names}", names=tr(", ").join(names)) if names else ""
    return Band(tr("Phase {place} of {count}", place=number + 1, count=len(plan.parts)), note)
