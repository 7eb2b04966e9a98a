"""The casts that a graph needs, and their places."""

from __future__ import annotations

from ...graph.ir import Node, TreeVisitor, Visitor
from ...graph.types import ElementType
from ...nodes import Cast, VisitorNode, cast_path
from ...targets import Architecture


def output_element(visitor: Visitor) -> ElementType | None:
    """Element type of a visitor's output; None if it is not a node."""
    while not isinstance(visitor, Node):
        visitor = visitor.op if isinstance(visitor, TreeVisitor) else visitor.ops[-1]
    return visitor.element if isinstance(visitor, VisitorNode) else None


def needed_casts(arch: Architecture, consumer: Visitor, index: int, producer: Visitor) -> list[Cast]:
    """The casts that must stand between two ops: ``producer`` is the input number ``index`` of ``consumer``.

    Empty if the types match, and also if no casts are allowed: the architecture has no sequence that rounds once, or an
    operator would compute in fewer bits than its operand has. Only stored values may be narrowed.
    """
    if not isinstance(consumer, VisitorNode):
        return []
    expected, actual = consumer.takes(index), output_element(producer)
    if expected is None or actual is None or expected == actual:
        return []
    if not (expected.includes(actual) or consumer.narrows):
        return []
    return cast_path(arch, actual, expected, location=consumer.location) or []
