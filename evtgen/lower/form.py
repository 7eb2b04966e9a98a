"""The form of a traced graph: a tree where it can be one, else a topological visitor."""

from __future__ import annotations

from dataclasses import replace

from ..ir import Epilogue, Node, TopologicalVisitor, TreeVisitor, Visitor

MAX_TREE_DEPTH = 32
"""Levels of a tree that the lowering nests; a compiler's work and the reader's grow with them."""


def choose_form(epilogue: Epilogue) -> Epilogue:
    """The epilogue in the form in which it will be emitted; only a traced one is changed.

    A graph in which no value has two consumers, and which is at most 32 levels deep, becomes a ``TreeVisitor``. Any
    other stays a ``TopologicalVisitor`` in the order of its definition, in which the largest subtrees that bring all
    their own inputs, of 2 nodes or more and with no more than one consumer, are nested as trees.
    """
    root = epilogue.root
    if not epilogue.traced or not isinstance(root, TopologicalVisitor):
        return epilogue
    return replace(epilogue, root=_form(root))


def _form(root: TopologicalVisitor) -> Visitor:
    uses = [0] * len(root.ops)
    for edges in root.edges:
        for edge in edges:
            uses[edge] += 1
    # Height of each op as a tree of its own, None where something below is shared. Definition order: inputs come first.
    height: list[int | None] = []
    for op, edges in zip(root.ops, root.edges, strict=True):
        below = [height[e] if uses[e] == 1 else None for e in edges]
        tallest = max((h for h in below if h is not None), default=0)
        fits = None not in below and tallest < MAX_TREE_DEPTH and isinstance(op, Node)
        height.append(tallest + 1 if fits else None)
    if height[-1] is not None:
        return _tree(root, len(root.ops) - 1)
    consumer = {e: i for i, edges in enumerate(root.edges) for e in edges}
    nested = [h is not None and h > 1 and uses[i] == 1 for i, h in enumerate(height)]
    inside = set()
    for index in reversed(range(len(root.ops))):
        above = consumer.get(index)
        if above is not None and (above in inside or nested[above]) and height[index] is not None:
            inside.add(index)
    place: dict[int, int] = {}
    ops: list[Visitor] = []
    edges_of: list[tuple[int, ...]] = []
    for index, (op, edges) in enumerate(zip(root.ops, root.edges, strict=True)):
        if index in inside:
            continue
        place[index] = len(ops)
        ops.append(_tree(root, index) if nested[index] else op)
        edges_of.append(() if nested[index] else tuple(place[e] for e in edges))
    return TopologicalVisitor(edges_of, ops, location=root.location)


def _tree(root: TopologicalVisitor, index: int) -> Visitor:
    op, edges = root.ops[index], root.edges[index]
    if not edges:
        return op
    assert isinstance(op, Node)
    return TreeVisitor(op, *(_tree(root, e) for e in edges), location=op.location)
