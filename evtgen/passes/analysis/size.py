"""Whether a graph is small enough to be checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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


@dataclass(frozen=True)
class Excess:
    """A limit that a graph exceeds, the place, and advice."""

    message: str
    location: Location | None
    help: str


def excess(root: Visitor) -> Excess | None:
    """The limit that a graph exceeds, found without recursion; None if it exceeds none."""
    stack: list[tuple[Any, int]] = [(root, 0)]
    count = 0
    while stack:
        visitor, depth = stack.pop()
        count += 1
        found = getattr(visitor, "location", None)
        location = found if isinstance(found, Location) else None
        if depth > MAX_DEPTH:
            return Excess(
                f"the visitors are nested more than {MAX_DEPTH} levels deep",
                location,
                "C++ compilers stop at about 900 template levels; write a TopologicalVisitor, which is flat",
            )
        if count > MAX_NODES:
            return Excess(
                f"the graph has more than {MAX_NODES} nodes",
                location,
                "a visitor that is used twice counts twice; a TopologicalVisitor shares it",
            )
        if isinstance(visitor, TreeVisitor):
            stack += [(part, depth + 1) for part in (visitor.op, *visitor.children)]
        elif isinstance(visitor, TopologicalVisitor):
            stack += [(part, depth + 1) for part in visitor.ops]
    return None
