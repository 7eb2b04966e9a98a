"""The types of a graph, each at its place in the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...graph.location import Location
from .clang import Alias, Unit
from .text import Source, Written
from .types import CppType

COMPOSED = ("TreeVisitor", "TopologicalVisitor")


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
    """The type that an alias stands for."""
    source = unit.source(alias.place)
    found = _located(unit, alias.type, source.aliased(alias.place[1]), source)
    return replace(found, aliases=(alias.name, *found.aliases))


def within(at: Located) -> Iterator[Located]:
    """A type, and those in it."""
    yield at
    for arg in at.args:
        yield from within(arg)


def _located(unit: Unit, type: CppType, written: Written, source: Source) -> Located:
    last = written.last
    if last is not None and last.text == "Planned" and len(written.args) == 2:
        return _located(unit, type, written.args[1], source)
    meant = unit.named.get((source.file, last.offset)) if last else None
    alias = unit.aliases.get(meant) if meant else None
    if alias is not None and not written.args and alias.type == type:
        return located(unit, alias)
    location = source.location(last.line if last else written.line)
    if last is None or last.text != type.last or type.member:
        # An alias of a template, or an expression: what it makes of its arguments is not written here.
        return _spread(type, location)
    given = dict(enumerate(written.args))
    args = [
        _located(unit, arg, given[i], source) if i in given else _spread(arg, location)
        for i, arg in enumerate(type.args)
    ]
    return Located(type, location, (), tuple(args))


def _spread(type: CppType, location: Location) -> Located:
    return Located(type, location, (), tuple(_spread(arg, location) for arg in type.args))
