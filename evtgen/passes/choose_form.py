r"""The form of a traced graph: a tree where it can be one, else a topological visitor with trees nested in it.

```text
   y = acc + X;  D = y * (row * scale) + y

   acc   X   row  scale         TopologicalVisitor
     \  /      \  /               0  acc
   ┌── y        p                1  X
   │     \     /                 2  y                       ← 0, 1    shared, so an op of its own
   │       mul                   3  TreeVisitor<p, row, scale>        one consumer, brings its own inputs: nested
   │        │                    4  mul                     ← 2, 3
   └─────▶ add ──▶ D             5  add                     ← 4, 2
                                 6  D                       ← 5
```
"""

from __future__ import annotations

from dataclasses import replace

from ..graph.ir import Epilogue, Node, TopologicalVisitor, TreeVisitor, Visitor

MAX_TREE_DEPTH = 32
"""The most levels of a tree that the pass nests: deep trees are slow to compile and hard to read."""


def choose_form(epilogue: Epilogue) -> Epilogue:
    """The epilogue in the form in which it is emitted; only a traced one is changed.

    A graph in which no value has two consumers, and which is at most 32 levels deep, becomes a ``TreeVisitor``. Any
    other stays a ``TopologicalVisitor`` in the order of its definition, in which the largest subtrees that bring all
    their own inputs, of 2 nodes or more and with no more than one consumer, are nested as trees.
    """
    root = epilogue.root
    if not epilogue.traced or not isinstance(root, TopologicalVisitor):
        return epilogue
    return replace(epilogue, root=formed(root))


def formed(root: TopologicalVisitor) -> Visitor:
    """A flat visitor, inputs first, in that form."""
    uses = _uses(root)
    heights = _heights(root, uses)
    if heights[-1] is not None:
        return _tree(root, len(root.ops) - 1)
    nested = [height is not None and height > 1 and use == 1 for height, use in zip(heights, uses, strict=True)]
    return _nest(root, nested, _inside(root, nested, heights))


def _uses(root: TopologicalVisitor) -> list[int]:
    """The number of uses of each op as an input."""
    uses = [0] * len(root.ops)
    for edges in root.edges:
        for edge in edges:
            uses[edge] += 1
    return uses


def _heights(root: TopologicalVisitor, uses: list[int]) -> list[int | None]:
    """The levels of each op as a tree of its own; None if it cannot be one, because an op below is shared or the
    tree would be too deep."""
    heights: list[int | None] = []
    # In the order of definition inputs come first.
    for op, edges in zip(root.ops, root.edges, strict=True):
        below = [heights[edge] if uses[edge] == 1 else None for edge in edges]
        tallest = max((height for height in below if height is not None), default=0)
        fits = None not in below and tallest < MAX_TREE_DEPTH and isinstance(op, Node)
        heights.append(tallest + 1 if fits else None)
    return heights


def _inside(root: TopologicalVisitor, nested: list[bool], heights: list[int | None]) -> set[int]:
    """The ops that disappear into a nested tree: all below its root."""
    consumer = {edge: index for index, edges in enumerate(root.edges) for edge in edges}
    inside: set[int] = set()
    for index in reversed(range(len(root.ops))):
        above = consumer.get(index)
        if above is not None and (above in inside or nested[above]) and heights[index] is not None:
            inside.add(index)
    return inside


def _nest(root: TopologicalVisitor, nested: list[bool], inside: set[int]) -> TopologicalVisitor:
    """The visitor without the ops that are ``inside``, and with a tree for each one that is ``nested``."""
    position: dict[int, int] = {}
    ops: list[Visitor] = []
    edges_of: list[tuple[int, ...]] = []
    for index, (op, edges) in enumerate(zip(root.ops, root.edges, strict=True)):
        if index in inside:
            continue
        position[index] = len(ops)
        ops.append(_tree(root, index) if nested[index] else op)
        edges_of.append(() if nested[index] else tuple(position[edge] for edge in edges))
    return TopologicalVisitor(edges_of, ops, location=root.location)


def _tree(root: TopologicalVisitor, index: int) -> Visitor:
    """An op and all ops below it, as a tree."""
    op, edges = root.ops[index], root.edges[index]
    if not edges:
        return op
    assert isinstance(op, Node)
    return TreeVisitor(op, *(_tree(root, edge) for edge in edges), location=op.location)
