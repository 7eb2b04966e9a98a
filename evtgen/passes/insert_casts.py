"""Casts where types need them."""

from __future__ import annotations

from dataclasses import replace

from ..graph.ir import Epilogue, TopologicalVisitor, TreeVisitor, Visitor
from ..graph.types import ElementType
from ..nodes import Cast
from ..targets import ARCHITECTURES, Architecture
from .analysis.casts import needed_casts


def insert_casts(epilogue: Epilogue) -> Epilogue:
    """The epilogue with a cast wherever a node's input has another element type than the node takes.

    Only with ``auto_cast``; the graph must be free of structural errors. A mismatch that no cast repairs, or only one
    that loses bits that a computation needs, is left for the checker. In a
    :class:`~evtgen.graph.ir.TopologicalVisitor` consumers that need the same cast of one op share it.

    The type that an operator computes in is not chosen here: an explicit ``Compute`` names it, and for a traced
    function :mod:`evtgen.frontend.value` has chosen it.
    """
    if not epilogue.auto_cast:
        return epilogue
    arch = ARCHITECTURES[epilogue.arch]
    return replace(epilogue, root=_visitor(epilogue.root, arch))


def _visitor(visitor: Visitor, arch: Architecture) -> Visitor:
    if isinstance(visitor, TreeVisitor):
        children = []
        for index, child in enumerate(visitor.children):
            new = _visitor(child, arch)
            for cast in needed_casts(arch, visitor.op, index, child):
                new = TreeVisitor(cast, new, location=cast.location)
            children.append(new)
        return TreeVisitor(visitor.op, *children, location=visitor.location)
    if isinstance(visitor, TopologicalVisitor):
        return _topological(visitor, arch)
    return visitor


def _topological(visitor: TopologicalVisitor, arch: Architecture) -> TopologicalVisitor:
    """The visitor with the casts that an op's consumers need placed after the op."""
    casts: list[dict[ElementType, list[Cast]]] = [{} for _ in visitor.ops]
    for consumer, edges in zip(visitor.ops, visitor.edges, strict=True):
        for number, edge in enumerate(edges):
            path = needed_casts(arch, consumer, number, visitor.ops[edge])
            if path:
                casts[edge].setdefault(path[-1].to, path)
    ops: list[Visitor] = []
    edges_of: list[tuple[int, ...]] = []
    placed: list[int] = []
    cast_of: list[dict[ElementType, int]] = []
    for op, wanted in zip(visitor.ops, casts, strict=True):
        placed.append(len(ops))
        ops.append(_visitor(op, arch))
        edges_of.append(())
        made: dict[tuple[Cast, ...], int] = {(): placed[-1]}
        for path in wanted.values():
            # Sequences with the same first casts share these.
            before: tuple[Cast, ...] = ()
            for cast in path:
                after = (*before, cast)
                if after not in made:
                    edges_of.append((made[before],))
                    made[after] = len(ops)
                    ops.append(cast)
                before = after
        cast_of.append({to: made[tuple(path)] for to, path in wanted.items()})
    for consumer, edges, index in zip(visitor.ops, visitor.edges, placed, strict=True):
        edges_of[index] = tuple(
            cast_of[edge][path[-1].to] if path else placed[edge]
            for number, edge in enumerate(edges)
            for path in [needed_casts(arch, consumer, number, visitor.ops[edge])]
        )
    return TopologicalVisitor(edges_of, ops, location=visitor.location)
