"""The columns of C that parts take, and of the tensors that parts meet."""

from __future__ import annotations

from dataclasses import replace

from ..graph.ir import Epilogue, Node, TopologicalVisitor, TreeVisitor, Visitor, flatten
from ..nodes import TopK, VisitorNode
from .analysis.columns import columned, has_parts, may_be_long, placed


def place_parts(epilogue: Epilogue) -> Epilogue:
    """The epilogue with the columns of each part, and of each tensor and reduction, in their nodes."""
    steps = flatten(epilogue.root)
    if not has_parts(steps):
        return epilogue
    found, is_long = iter(zip(steps, columned(steps).of, strict=True)), may_be_long(steps)

    def node() -> VisitorNode:
        step, columns = next(found)
        assert isinstance(step.node, VisitorNode)
        own = replace(step.node, long=is_long) if isinstance(step.node, TopK) else step.node
        return replace(own, columns=placed(own, columns))

    def visitor(given: Visitor) -> Visitor:
        # The order of flatten: children, then the op.
        if isinstance(given, TreeVisitor):
            children = [visitor(child) for child in given.children]
            return TreeVisitor(node(), *children, location=given.location)
        if isinstance(given, TopologicalVisitor):
            return TopologicalVisitor(given.edges, [visitor(op) for op in given.ops], location=given.location)
        assert isinstance(given, Node)
        return node()

    return replace(epilogue, root=visitor(epilogue.root))
