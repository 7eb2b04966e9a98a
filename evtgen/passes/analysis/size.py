"""Whether a graph is small enough to be checked."""

from __future__ import annotations

from typing import Any

from ...diagnostics.diagnostic import Diagnostic
from ...diagnostics.reading import TOO_LARGE
from ...graph.ir import TopologicalVisitor, TreeVisitor, Visitor
from ...graph.location import Location

MAX_DEPTH = 120
"""Levels of nested visitors. Each costs a compiler about six template levels, of which g++ has 900: 140 still compile,
150 do not."""

MAX_NODES = 20_000
"""The most nodes in all. Without a limit, a visitor object used twice at each of 60 levels would be 2^60 nodes."""

MAX_EMITTED = 512
"""The most nodes of a graph that is emitted: 500 of each shape are compiled by g++ and clang++. Beyond, compilers reach
limits one after the other: the depth of templates, the depth of brackets, their own stack."""

MAX_OPERANDS = 200
"""The most inputs of an operator: clang++ nests fold expressions 256 deep."""


def excess(root: Visitor) -> Diagnostic | None:
    """EVT030 for a graph that is too deep or too large, found without recursion; None for any other."""
    stack: list[tuple[Any, int]] = [(root, 0)]
    count = 0
    while stack:
        visitor, depth = stack.pop()
        count += 1
        found = getattr(visitor, "location", None)
        location = found if isinstance(found, Location) else None
        if depth > MAX_DEPTH:
            return TOO_LARGE.of("deep", location, limit=MAX_DEPTH)
        if count > MAX_NODES:
            return TOO_LARGE.of("large", location, limit=MAX_NODES)
        if isinstance(visitor, TreeVisitor):
            stack += [(part, depth + 1) for part in (visitor.op, *visitor.children)]
        elif isinstance(visitor, TopologicalVisitor):
            stack += [(part, depth + 1) for part in visitor.ops]
    return None
