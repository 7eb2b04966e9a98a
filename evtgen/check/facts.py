"""What the rules look at: the graph laid out flat, read so carefully that nothing a user can build breaks it."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cache, cached_property
from typing import Any

from ..arch import ARCHITECTURES, Architecture, AtlasA2
from ..ir import Epilogue, Gemm, Location, Node, TopologicalVisitor, TreeVisitor, Visitor
from ..lower.auto_cast import insert_casts
from ..nodes import VisitorNode
from ..types import ElementType

MAX_DEPTH = 200
"""Levels of nested visitors. Each costs a compiler a few template levels, of which g++ has 900."""

MAX_NODES = 20_000
"""Nodes in all: a visitor object used twice at each of 60 levels would otherwise be 2^60 of them."""


@dataclass(frozen=True)
class Finding:
    """What a rule yields: a diagnostic without its code."""

    message: str
    location: Location | None = None
    help: str | None = None


@dataclass
class Place:
    """A node where it stands in the graph.

    Attributes:
        node: the node.
        label: how messages name it.
        given: how many inputs were written, good or bad.
        inputs: indices of the producers in ``Facts.places`` with the input's number; bad edges are left out.
        sound: its fields have the types that its class declares; what is unsound has no element type.
    """

    node: VisitorNode
    label: str
    given: int = 0
    inputs: list[tuple[int, int]] = field(default_factory=list)
    sound: bool = True

    @property
    def location(self) -> Location | None:
        return self.node.location

    @property
    def element(self) -> ElementType | None:
        """Element type of its output; None when that is not known."""
        return self.node.element if self.sound else None


@dataclass
class Level:
    """One topological visitor.

    Attributes:
        visitor: it.
        edges: its edges without those that point outside.
        places: the place of each op's root; None where the op is no visitor.
    """

    visitor: TopologicalVisitor
    edges: list[list[int]]
    places: list[int | None]

    def name(self, facts: Facts, index: int) -> str:
        """An op for a message: its index and what it is."""
        place = self.places[index]
        return f"{index}: {facts.places[place].label if place is not None else 'not a node'}"

    def location(self, index: int) -> Location | None:
        """The line of an op, or else of the visitor."""
        return getattr(self.visitor.ops[index], "location", None) or self.visitor.location


class Facts:
    """An epilogue as the rules see it. ``measure`` must have passed: everything here recurses over the nest."""

    def __init__(self, epilogue: Epilogue) -> None:
        self.epilogue = epilogue
        self.places: list[Place] = []
        self.levels: list[Level] = []
        self.trees: list[TreeVisitor] = []
        self.malformed: list[Finding] = []
        self.root = self._build(epilogue.root, epilogue.location)

    @cached_property
    def arch(self) -> Architecture:
        """The architecture; for an unknown one, which has its own rule, the first."""
        name = self.epilogue.arch
        return ARCHITECTURES.get(name, AtlasA2) if isinstance(name, str) else AtlasA2

    @cached_property
    def with_casts(self) -> Epilogue:
        """The epilogue with the casts that ``auto_cast`` inserts; as it is where its structure is not sound enough."""
        whole = all(
            level.visitor.ops and tuple(map(tuple, level.edges)) == level.visitor.edges for level in self.levels
        )
        if self.epilogue.auto_cast is not True or self.malformed or not whole:
            return self.epilogue
        return insert_casts(replace(self.epilogue, arch=self.arch.name))

    @cached_property
    def final(self) -> Epilogue:
        """The same, but as it is where the casts make the graph too large to be looked at."""
        return self.epilogue if measure(self.with_casts.root) else self.with_casts

    def sound(self) -> Iterator[Place]:
        """The places whose nodes have fields of the right types."""
        return (place for place in self.places if place.sound)

    @cached_property
    def read(self) -> set[int]:
        """Places that some place reads."""
        return {producer for place in self.places for _, producer in place.inputs}

    def _build(self, visitor: Any, near: Location | None) -> int | None:
        """Lay out a visitor; returns the place of its root."""
        if isinstance(visitor, TreeVisitor):
            self.trees.append(visitor)
            inputs = [self._build(child, visitor.location) for child in visitor.children]
            index = self._place(visitor.op, visitor.location)
            if index is not None:
                place = self.places[index]
                place.given = len(inputs)
                place.inputs = [(i, p) for i, p in enumerate(inputs) if p is not None]
            return index
        if isinstance(visitor, TopologicalVisitor):
            places = [self._build(op, visitor.location) for op in visitor.ops]
            edges = self._edges(visitor)
            self.levels.append(Level(visitor, edges, places))
            for op, index, written in zip(visitor.ops, places, visitor.edges, strict=False):
                if index is None or not isinstance(op, Node):
                    continue
                self.places[index].given = len(written)
                for number, edge in enumerate(written):
                    producer = places[edge] if _is_index(edge, len(places)) else None
                    if producer is not None:
                        self.places[index].inputs.append((number, producer))
            return places[-1] if places else None
        return self._place(visitor, near)

    def _edges(self, visitor: TopologicalVisitor) -> list[list[int]]:
        for edge in (e for edges in visitor.edges for e in edges):
            if not isinstance(edge, int) or isinstance(edge, bool):
                self.malformed.append(Finding(f"an edge is {edge!r}; edges are indices of ops", visitor.location))
        edges = [[e for e in written if _is_index(e, len(visitor.ops))] for written in visitor.edges]
        edges = edges[: len(visitor.ops)]
        return edges + [[] for _ in range(len(visitor.ops) - len(edges))]

    def _place(self, node: Any, near: Location | None) -> int | None:
        if not isinstance(node, VisitorNode):
            what = node.__name__ + " itself, not one of it" if isinstance(node, type) else _short(node)
            self.malformed.append(
                Finding(f"the graph holds {what} where a node is expected", near, "write a node such as AccLoad(half)")
            )
            return None
        place = Place(node, describe(node))
        for name, hint, value in _values(node):
            if not fits(value, hint):
                place.sound = False
                self.malformed.append(
                    Finding(
                        f"{place.label}: {name} must be {_say(hint)}, but is {_short(value)}",
                        node.location,
                        _quoted_name(value, hint),
                    )
                )
        self.places.append(place)
        return len(self.places) - 1


def measure(root: Visitor) -> Finding | None:
    """What is wrong when the graph is nested too deep or too large to be looked at, found without recursion."""
    stack: list[tuple[Any, int]] = [(root, 0)]
    count = 0
    while stack:
        visitor, depth = stack.pop()
        count += 1
        location = getattr(visitor, "location", None)
        if depth > MAX_DEPTH:
            return Finding(
                f"the visitors are nested more than {MAX_DEPTH} levels deep",
                location,
                "C++ compilers stop at about 900 template levels; write a TopologicalVisitor, which is flat",
            )
        if count > MAX_NODES:
            return Finding(
                f"the graph has more than {MAX_NODES} nodes",
                location,
                "a visitor that is used twice counts twice; a TopologicalVisitor shares it",
            )
        if isinstance(visitor, TreeVisitor):
            stack += [(part, depth + 1) for part in (visitor.op, *visitor.children)]
        elif isinstance(visitor, TopologicalVisitor):
            stack += [(part, depth + 1) for part in visitor.ops]
    return None


def describe(node: Any) -> str:
    """A node as its constructor call, without the values that are defaults: ``Compute("Plus", half)``."""
    shown = []
    for f in fields(node):
        value = getattr(node, f.name)
        if f.name == "location" or (f.default is not MISSING and value is f.default):
            continue
        text = _short(value)
        shown.append(f"{f.name}={text}" if f.default is not MISSING else text)
    return f"{type(node).__name__}({', '.join(shown)})"


def fits(value: Any, hint: Any) -> bool:  # noqa: PLR0911
    """Whether a value has the type of an annotation; a bool is no number here, an int is a float."""
    if hint is Any:
        return True
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, part) for part in typing.get_args(hint))
    if origin is tuple:
        args = typing.get_args(hint)
        if not isinstance(value, tuple):
            return False
        if len(args) == 2 and args[1] is Ellipsis:
            return all(fits(v, args[0]) for v in value)
        return len(value) == len(args) and all(fits(v, a) for v, a in zip(value, args, strict=True))
    if origin is not None:
        return isinstance(value, origin)
    if hint is None:
        return value is None
    if hint in (int, float):
        return isinstance(value, (int, hint)) and not isinstance(value, bool)
    return isinstance(value, hint)


@cache
def hints(kind: Any) -> dict[str, Any]:
    """The annotations of a dataclass's fields, evaluated, without the location."""
    # Names that the graph's module needs only for its annotations.
    names = {"Visitor": Visitor}
    evaluated = typing.get_type_hints(kind, localns=names)
    return {f.name: evaluated[f.name] for f in fields(kind) if f.name != "location"}


def _values(thing: Any) -> Iterator[tuple[str, Any, Any]]:
    kind: Any = type(thing)
    for name, hint in hints(kind).items():
        yield name, hint, getattr(thing, name)


def option_findings(epilogue: Epilogue) -> Iterator[Finding]:
    """Options of an epilogue, or fields of its Gemm, that have the wrong type."""
    for owner, thing in (("", epilogue), ("gemm.", epilogue.gemm)):
        if not isinstance(thing, (Epilogue, Gemm)):
            continue
        for name, hint, value in _values(thing):
            if name != "root" and not fits(value, hint):
                yield Finding(
                    f"{owner}{name} must be {_say(hint)}, but is {_short(value)}",
                    epilogue.location,
                    _quoted_name(value, hint),
                )


def _is_index(edge: Any, count: int) -> bool:
    return isinstance(edge, int) and not isinstance(edge, bool) and 0 <= edge < count


def _say(hint: Any) -> str:
    """An annotation in words."""
    parts = [p for p in typing.get_args(hint)] if typing.get_origin(hint) in (typing.Union, types.UnionType) else [hint]
    words = {
        "ElementType": "an element type such as half",
        "Layout": "a layout such as RowMajor",
        "str": "a string",
        "int": "an integer",
        "float": "a number",
        "bool": "True or False",
        "NoneType": "None",
        "Gemm": "a Gemm(...)",
    }
    if float in parts and int in parts:
        parts.remove(int)
    return " or ".join(words.get(getattr(p, "__name__", ""), str(p)) for p in parts)


def _quoted_name(value: Any, hint: Any) -> str | None:
    """Help for ``"half"`` written where ``half`` was meant."""
    from ..types import ELEMENT_TYPES, LAYOUTS
    from .diagnostics import suggest

    if isinstance(value, str):
        for kind, known in (("ElementType", ELEMENT_TYPES), ("Layout", LAYOUTS)):
            if kind in str(hint):
                return f"write {value} without quotes" if value in known else suggest(value, known)
    return None


def _short(value: Any) -> str:
    """A value for a message: a string in double quotes, a type by its name, nothing longer than a line."""
    if isinstance(value, str):
        text = '"' + value[:60] + '"'
    elif isinstance(value, type):
        text = value.__name__
    elif isinstance(value, (TreeVisitor, TopologicalVisitor)):
        text = f"a {type(value).__name__}"
    else:
        text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
