"""The types of a graph, each at its place in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...graph.location import Location
from .clang import Alias, Unit, Use
from .types import CppType

COMPOSED = ("TreeVisitor", "TopologicalVisitor")

_PLACED = re.compile(r"\w*Visitor\w*|BlockEpilogue")
"""The types that are looked for in a file: nodes and the types around them."""


@dataclass(frozen=True)
class Located:
    """A type and where it is written, as it is for its arguments.

    Attributes:
        type: it.
        location: the line of its name, or of the alias where it cannot be told.
        aliases: the names that the user gave it, the one that stands in the graph first; none where it is written in
            place.
        args: the arguments of its template.
    """

    type: CppType
    location: Location
    aliases: tuple[str, ...] = ()
    args: tuple[Located, ...] = ()

    @property
    def alias(self) -> str:
        """The name that stands in the graph; empty without one."""
        return self.aliases[0] if self.aliases else ""

    @property
    def label(self) -> str:
        """A node in messages."""
        functor = self.type.last == "VisitorCompute" and self.type.argument(0).last
        return self.alias or functor or self.type.last.removeprefix("Visitor")

    @property
    def is_composed(self) -> bool:
        """Whether it is a visitor of nodes, not a node."""
        return self.type.last in COMPOSED

    @property
    def parts(self) -> tuple[Located, ...]:
        """The parts of a visitor in the order of its arguments: of a tree, its op is the last."""
        if self.type.last == "TreeVisitor":
            return *self.args[1:], *self.args[:1]
        return self.args[1:]


def located(unit: Unit, alias: Alias) -> Located:
    """The type of an alias."""
    found = _located(unit, alias.type, list(alias.uses), alias.place[0], alias.line)
    return replace(found, aliases=(alias.name, *found.aliases))


def within(at: Located) -> Iterator[Located]:
    """A type, and those in it."""
    yield at
    for arg in at.args:
        yield from within(arg)


def _located(unit: Unit, type: CppType, uses: list[Use], file: str, line: int) -> Located:
    """A type in a file, at the line of the first of ``uses`` that can mean it, which is removed with all before it. At
    the given line if there is none, as for types that an alias of a template makes."""
    for index, use in enumerate(uses if _PLACED.fullmatch(type.last) else ()):
        alias = unit.aliases.get(use.meant)
        if alias is not None and alias.type == type:
            del uses[: index + 1]
            return located(unit, alias)
        if use.name == type.last or (use.is_template and use.meant[0] in unit.sources):
            del uses[: index + 1]
            line, uses = use.line, uses if use.name == type.last else []
            break
    args = tuple(_located(unit, arg, uses, file, line) for arg in type.args)
    return Located(type, Location(file, line), (), args)
