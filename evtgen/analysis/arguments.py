"""The order of ``EVT::Arguments``: a tree lists its children and then its op, a topological visitor its ops."""

from __future__ import annotations

from typing import Any

from ..graph.ir import TopologicalVisitor, TreeVisitor, Visitor
from ..nodes import VisitorNode


def arguments_nest(visitor: Visitor) -> Any:
    """The nest of ``EVT::Arguments``: for a node its tensor's or scalar's name, a tuple of several, ``()`` for none."""
    if isinstance(visitor, TreeVisitor):
        return (*(arguments_nest(child) for child in visitor.children), arguments_nest(visitor.op))
    if isinstance(visitor, TopologicalVisitor):
        return tuple(arguments_nest(op) for op in visitor.ops)
    assert isinstance(visitor, VisitorNode)
    names = [scalar.name for scalar in visitor.scalars]
    if visitor.tensor is not None:
        names.append(visitor.tensor.name)
    return names[0] if len(names) == 1 else tuple(names)
