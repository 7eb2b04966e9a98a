"""The input of the rules: the graph, flattened. It is read so carefully that nothing a user can build raises here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ..diagnostics.diagnostic import Diagnostic
from ..diagnostics.table import Code
from ..graph.ir import Epilogue, Gemm, Node, TopologicalVisitor, TreeVisitor
from ..graph.location import Location
from ..graph.types import ElementType, float32, mask, narrowest
from ..nodes import AccLoad, Cast, Compute, VisitorNode
from ..passes.analysis.fields import describe, fits, is_int, quoted_name, say, short, values_of
from ..passes.analysis.gemm import chosen
from ..passes.analysis.size import excess
from ..passes.compose_reductions import compose_reductions
from ..passes.insert_casts import insert_casts
from ..planner.plan import Plan, lower
from ..targets import ARCHITECTURES, Architecture, AtlasA2


@dataclass
class Place:
    """A node and its place in the graph.

    Attributes:
        node: the node.
        label: its name in messages.
        given: how many inputs were written, good or bad.
        inputs: indices of the producers in ``Facts.places`` with the input's number; bad edges are left out.
        sound: its fields have the types that its class declares; without that it has no element type.
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


class Found:
    """A finding of a rule: one of its messages (:func:`~.registry.says`), with values for its fields.

    Attributes:
        where: the place; None for the epilogue.
        when: which of the messages.
        help: said in place of the message's own help, unless it is None.
        fields: the values. A rule need not give the names of the place (``label``), the architecture (``arch``) and the
            epilogue (``epilogue``).
    """

    def __init__(
        self, where: Place | Location | None = None, when: str = "", help: str | None = None, **fields: object
    ) -> None:
        self.where, self.when, self.help, self.fields = where, when, help, fields

    def diagnostic(self, code: Code, facts: Facts) -> Diagnostic:
        """The finding in words."""
        fields = {"arch": facts.arch.name, "epilogue": facts.epilogue.name}
        location = facts.epilogue.location if self.where is None else self.where
        if isinstance(location, Place):
            fields["label"], location = location.label, location.location
        # A user can put any object into a graph, also in place of a location.
        place = location if isinstance(location, Location) else None
        return code.of(self.when, place, help=self.help, **(fields | self.fields))


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
        """An op in a message: its index and its label."""
        place = self.places[index]
        return f"{index}: {facts.places[place].label if place is not None else 'not a node'}"

    def location(self, index: int) -> Location | None:
        """The location of an op, or else of the visitor."""
        return getattr(self.visitor.ops[index], "location", None) or self.visitor.location


class Facts:
    """An epilogue as the rules see it.

    It must not be too large (:func:`~evtgen.passes.analysis.size.excess`): everything here recurses over the nest.
    """

    def __init__(self, epilogue: Epilogue) -> None:
        self.epilogue = epilogue
        self.places: list[Place] = []
        self.levels: list[Level] = []
        self.trees: list[TreeVisitor] = []
        self.malformed: list[Found] = []
        self.root = self._build(epilogue.root, epilogue.location)

    @cached_property
    def arch(self) -> Architecture:
        """The architecture; the first one for an unknown name, which a rule of its own reports."""
        name = self.epilogue.arch
        return ARCHITECTURES.get(name, AtlasA2) if isinstance(name, str) else AtlasA2

    @cached_property
    def gemm(self) -> Gemm | None:
        """The GEMM with all that was left open chosen; None where a field has another type than it should."""
        gemm = self.epilogue.gemm
        if not isinstance(gemm, Gemm) or not all(fits(value, hint) for _, hint, value in values_of(gemm)):
            return None
        reads = next((place.node.T for place in self.sound() if isinstance(place.node, AccLoad)), None)
        return chosen(gemm, reads, self.arch)

    @cached_property
    def with_casts(self) -> Epilogue:
        """The epilogue with the casts that ``auto_cast`` inserts, and with both nodes of each reduction that is made of
        two; unchanged if its structure has faults."""
        whole = all(
            level.visitor.ops and tuple(map(tuple, level.edges)) == level.visitor.edges for level in self.levels
        )
        if self.malformed or not whole:
            return self.epilogue
        cast = self.epilogue.auto_cast is True
        return compose_reductions(insert_casts(replace(self.epilogue, arch=self.arch.name)) if cast else self.epilogue)

    @cached_property
    def final(self) -> Epilogue:
        """:attr:`with_casts`, or the epilogue as written if the casts make the graph too large to check."""
        return self.epilogue if excess(self.with_casts.root) else self.with_casts

    @cached_property
    def plan(self) -> Plan:
        """The plan; only for a graph in which the rules before have found no error."""
        return lower(self.epilogue)

    def sound(self) -> Iterator[Place]:
        """The places whose nodes have fields of the right types."""
        return (place for place in self.places if place.sound)

    def settled(self) -> Iterator[Place]:
        """Those of them whose type is the one that was meant."""
        return (place for index, place in enumerate(self.places) if place.sound and index not in self.unsettled)

    @cached_property
    def read(self) -> set[int]:
        """The places that another place reads."""
        return {producer for place in self.places for _, producer in place.inputs}

    @cached_property
    def unsettled(self) -> set[int]:
        """The places of a traced graph that have another type once operands are cast as EVT021 says, and the values
        that are made of theirs: what their types of now lead to is no fault of its own."""
        found: set[int] = set()
        if self.epilogue.auto_cast or not self.epilogue.traced:
            return found
        for index, place in enumerate(self.places):
            if not isinstance(place.node, Cast) and any(producer in found for _, producer in place.inputs):
                found.add(index)
            elif place.sound and isinstance(place.node, Compute):
                given = {self.places[producer].element for _, producer in place.inputs}
                given |= {scalar.T for scalar in place.node.scalars}
                numbers = [T for T in given if T is not None and mask != T]
                # Where no type holds them all exactly, the help is float32.
                meeting = (narrowest(numbers) or float32) if numbers else place.node.T
                if meeting != place.node.T and replace(place.node, T=meeting).unsupported(self.arch) is None:
                    found.add(index)
        return found

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
                self.malformed.append(Found(visitor.location, "edge", value=short(edge)))
        edges = [[e for e in written if _is_index(e, len(visitor.ops))] for written in visitor.edges]
        edges = edges[: len(visitor.ops)]
        return edges + [[] for _ in range(len(visitor.ops) - len(edges))]

    def _place(self, node: Any, near: Location | None) -> int | None:
        if not isinstance(node, VisitorNode):
            self.malformed.append(Found(near, "class" if isinstance(node, type) else "node", value=short(node)))
            return None
        place = Place(node, describe(node))
        for name, hint, value in values_of(node):
            if not fits(value, hint):
                place.sound = False
                self.malformed.append(wrong_type(place, "field", name, hint, value))
        self.places.append(place)
        return len(self.places) - 1


def wrong_type(where: Place | None, when: str, name: str, hint: Any, value: Any) -> Found:
    """The finding that a field or an option has a value of another type than its annotation says."""
    return Found(where, when, quoted_name(value, hint), name=name, hint=say(hint), value=short(value))


def _is_index(edge: Any, count: int) -> bool:
    return is_int(edge) and 0 <= edge < count
