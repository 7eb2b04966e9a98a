"""Where a graph needs casts, and which."""

from __future__ import annotations

from ..graph.ir import Node, TreeVisitor, Visitor
from ..graph.types import ElementType
from ..nodes import Cast, VisitorNode, cast_path
from ..targets import Architecture


def output_element(visitor: Visitor) -> ElementType | None:
    """Element type of what a visitor returns; None for what is no node."""
    while not isinstance(visitor, Node):
        visitor = visitor.op if isinstance(visitor, TreeVisitor) else visitor.ops[-1]
    return visitor.element if isinstance(visitor, VisitorNode) else None


def needed_casts(arch: Architecture, consumer: Visitor, index: int, producer: Visitor) -> list[Cast]:
    """The casts that must stand between two ops: ``producer`` is the input number ``index`` of ``consumer``.

    Empty where the types match, and where the architecture has no way from one to the other.
    """
    expected = consumer.takes(index) if isinstance(consumer, VisitorNode) else None
    actual = output_element(producer)
    if expected is None or actual is None or expected == actual:
        return []
    return cast_path(arch, actual, expected, consumer.location) or []
