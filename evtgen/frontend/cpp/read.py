"""A file of C++, read into the epilogues of its EVTs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...diagnostics import cpp as codes
from ...diagnostics.diagnostic import Diagnostic, EvtgenError
from ...diagnostics.suggestions import suggest
from ...graph.ir import DEFAULT_ARCH, Epilogue, Gemm, Node, TopologicalVisitor, TreeVisitor, Visitor, flatten
from ...graph.location import Location
from ...nodes import AccLoad
from ...passes.analysis import cpp_names as reserved
from ...planner.aliases import unique
from ...system.translation import tr
from .clang import Alias, Place, Unit, parsed
from .evg import faults
from .graph import COMPOSED, Located, located, within
from .kernel import (
    BEHIND,
    KERNEL_NAMES,
    Block,
    block_of,
    c_of,
    epilogue_of,
    gemm_of,
    graph_beside,
    parts,
    place_of_arguments,
)
from .launch_arguments import Arguments
from .nodes import node, unseen
from .phases import joined
from .text import Braces, Given
from .types import CppType
from .values import Values, given_by

_IN_ORDER = ("VisitorInOrder", "VisitorScatterInOrder")
"""The nodes of a deterministic epilogue."""

_EVERYDAY = ("EVT", "EVG", "Evt", "Evg")
"""Names of aliases that do not tell one epilogue from another."""

_ENDS = ("expected '}'", "unterminated conditional directive")
"""What clang says where a file ends too early."""

_HEADS = re.compile(r"TreeVisitor|TopologicalVisitor|Visitor[A-Z]\w*")


@dataclass(frozen=True)
class Read:
    """An EVT of a file.

    Attributes:
        alias: its name, with namespaces and classes around it.
        epilogue: what it is; None where it cannot be read.
        diagnostics: of reading it.
    """

    alias: str
    epilogue: Epilogue | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def names(self) -> Iterator[str]:
        """What it can be asked for by."""
        names = self.alias.split("::")
        yield from ("::".join(names[i:]) for i in range(len(names)))
        if self.epilogue is not None:
            yield self.epilogue.name


def read(path: Path, text: bytes, name: str = "") -> list[Read]:
    """The EVTs of a file, in its order, or the one of a ``name``. Raises EvtgenError: libclang is missing (EVT220), or
    there is no such EVT (EVT221)."""
    unit = parsed(path, text)
    found = _File(unit).reads()
    broken = [Read(alias, None, (said,)) for alias, said in _broken(unit)]
    whole = [Read("", None, (said,)) for said in _refused(unit)]
    if name:
        known = {key: one for one in (*broken, *reversed(found)) for key in one.names}
        if name not in known:
            help = suggest(name, _short([*found, *broken])) or _where(unit)
            raise codes.NO_EVT.refusal("named", Location(str(path), 0), help=help, path=path, name=name)
        return [known[name], *whole]
    if not found and not broken:
        help = _where(unit) or tr("name one: using EVT = TreeVisitor<…>;")
        raise codes.NO_EVT.refusal("none", Location(str(path), 0), help=help, path=path)
    return [*whole, *found, *broken]


def _refused(unit: Unit) -> Iterator[Diagnostic]:
    """What no compiler takes, whatever the headers of others are: ``#error``, and the beginning of a file alone."""
    for said in unit.errors:
        source, at = unit.sources.get(said.file), Location(said.file, said.line)
        if source and re.match(rb"\s*#\s*error\b", source.text.splitlines()[said.line - 1]):
            yield codes.UNREAD_CPP.of("error", at, why=said.message)
        elif source and said.message in _ENDS:
            yield codes.UNREAD_CPP.of("end", at, why=said.message)


def _short(found: Sequence[Read]) -> list[str]:
    """The names without namespaces that mean one EVT, or its whole name where there is none."""
    counts = Counter(name for one in found for name in set(one.names))
    short = ([name for name in dict.fromkeys(one.names) if "::" not in name and counts[name] == 1] for one in found)
    return [name for one, names in zip(found, short, strict=True) for name in names or [one.alias]]


def _where(unit: Unit) -> str | None:
    """The way out where headers were not found."""
    names = ", ".join(dict.fromkeys(unit.missing))
    return tr("not found: {names}; give the directory: -I DIR", names=names) if names else None


def _broken(unit: Unit) -> Iterator[tuple[str, Diagnostic]]:
    """The aliases of graphs and nodes that clang cannot read, with its reason."""
    source = unit.sources[unit.main]
    lost: set[str] = set()
    for using in source.usings():
        alias = unit.aliases.get((unit.main, using.name.offset))
        if not _HEADS.fullmatch(using.head) or (alias is not None and _HEADS.fullmatch(alias.type.last)):
            continue
        said, name = unit.said(using), using.name.text
        lost.add(name)
        if lost.intersection(re.findall(r"'(\w+)'", said.message)):
            continue  # it is made of another that was lost
        yield name, codes.UNREAD_CPP.of("unread", source.location(said.line), name=name, why=said.message)


class _File:
    """The EVTs of a file and what belongs to each."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.values = Values(unit)
        types = [alias.type for alias in unit.aliases.values()]
        self.blocks = [block for type in types for part in parts(type) if (block := block_of(part))]
        self.kernels = [part for type in types for part in parts(type) if part.last in KERNEL_NAMES]
        self.roots = list(self._roots())

    def reads(self) -> list[Read]:
        """All EVTs, in order."""
        return [self._read(alias, name) for alias, name in zip(self.roots, self._names(), strict=True)]

    # Which are EVTs

    def _roots(self) -> Iterator[Alias]:
        """The aliases of graphs that no other graph of the user's is made of."""
        graphs = [alias for alias in self.unit.aliases.values() if _is_graph(alias.type)]
        inside: set[Place] = set()
        for alias in self.unit.aliases.values():
            if _is_graph(alias.type) or alias.type.last == "Phases":
                inside |= set(self._used(alias))
        beside = {evt for alias in self.unit.aliases.values() if (evt := graph_beside(alias.type)) is not None}
        graphs = [alias for alias in graphs if alias.type not in beside]
        used = {block.evt for block in self.blocks} | {_graph_of(giver.type) for giver in self.unit.givers}
        deep = {part for alias in graphs for part in parts(alias.type) if part != alias.type}
        outer = [
            alias for alias in graphs if alias.place not in inside and (alias.type in used or alias.type not in deep)
        ]
        outer += self._in_place({alias.type for alias in graphs} | beside)
        yield from [alias for alias in outer if alias.place[0] == self.unit.main] or outer

    def _in_place(self, named: Collection[CppType]) -> Iterator[Alias]:
        """The graphs without a name of their own, each under that of the first block epilogue or kernel it is in."""
        known = set(named)
        for alias in self.unit.aliases.values():
            for part in parts(alias.type):
                block = block_of(part)
                if block is not None and block.evt not in known and _is_graph(block.evt):
                    known.add(block.evt)
                    yield replace(alias, type=block.evt)

    def _used(self, alias: Alias) -> Iterator[Place]:
        """The aliases that another is made of."""
        for use in alias.uses:
            used = self.unit.aliases.get(use.meant)
            if used is not None:
                yield use.meant
                if block_of(used.type) is not None:
                    # What the phases of several visit is a part of the whole.
                    yield from self._used(used)

    def _names(self) -> Iterator[str]:
        """A name for each epilogue: that of the alias, or of what is around it where all aliases are called alike."""
        taken: dict[str, int] = {}
        stem = re.sub(r"\W", "_", Path(self.unit.main).stem)
        for alias in self.roots:
            own = alias.name not in _EVERYDAY
            candidates = [alias.name] if own else [*alias.scope[-1:], stem]
            yield unique(next(filter(_usable, [*candidates, stem]), "epilogue"), taken)

    # What each is

    def _read(self, alias: Alias, name: str) -> Read:
        called = "::".join([*alias.scope, alias.name])
        try:
            epilogue, diagnostics = self._epilogue(alias, name)
        except EvtgenError as error:
            return Read(called, None, tuple(error.diagnostics))
        return Read(called, epilogue, tuple(diagnostics))

    def _epilogue(self, alias: Alias, name: str) -> tuple[Epilogue, list[Diagnostic]]:
        location = self.unit.source(alias.place).location(alias.line)
        phases = self._phases(alias)
        arguments = [
            Arguments(phases, given, self.unit.source(place), self.values) for given, place in self._given(alias)
        ]
        arguments = arguments or [Arguments(phases, None, None, self.values)]
        builder = _Builder(arguments[0])
        graphs = [builder.visitor(phase) for phase in phases]
        types = [phase.type for phase in phases]
        block = next((block for block in self.blocks if block.evt in types), None)
        kernel = self._kernel(block)
        gemm = gemm_of(kernel, block) if kernel and block else c_of(block) if block else Gemm()
        whole = block is not None and len(phases) == 1
        epilogue = Epilogue(
            name,
            joined(graphs, location) if len(graphs) > 1 else graphs[0],
            arch=block.arch if block else DEFAULT_ARCH.get(),
            compute_length=block.length if whole and block and block.length is not None else "auto",
            buffers=block.buffers if whole and block and block.buffers is not None else "auto",
            gemm=_accumulators(gemm, graphs),
            deterministic=any(part.last in _IN_ORDER for type in types for part in parts(type)),
            location=location,
        )
        found = [diagnostic for one in arguments for diagnostic in one.diagnostics]
        found += _opaque(epilogue)
        found += faults(block, epilogue) if block is not None else self._unread_block(alias)
        return epilogue, found

    def _phases(self, alias: Alias) -> list[Located]:
        """The graph, or that of each phase."""
        if alias.type.last != "Phases":
            outer = located(self.unit, self.unit.aliases[alias.place])
            return [next(at for at in within(outer) if at.type == alias.type)]
        whole = replace(alias.type, member="")
        named = next((other for other in self.unit.aliases.values() if other.type == whole), alias)
        return [block.args[-1] for block in located(self.unit, named).args if block.args]

    def _kernel(self, block: Block | None) -> CppType | None:
        """The kernel that launches a block epilogue, or the phases that it is one of."""
        for kernel in self.kernels if block else ():
            epilogue = epilogue_of(kernel)
            if block and (epilogue == block.type or (epilogue.last == "Phases" and block.type in epilogue.args)):
                return kernel
        return None

    def _given(self, alias: Alias) -> Iterator[tuple[Given, Place]]:
        """The arguments that a graph is given; of a graph that stands in a file twice, those behind each."""
        same = [one for one in self.roots if one.type == alias.type]
        for giver in self.unit.givers:
            given = given_by(giver, self.unit)
            if giver.type.last in KERNEL_NAMES:
                given = self._within(giver.type, alias.type, given)
            elif giver.type.last in BEHIND and isinstance(given, Braces):
                of_c: CppType = giver.type
                while (place := BEHIND.get(of_c.last)) and isinstance(given, Braces) and len(given.items) > place[1]:
                    of_c, given = of_c.argument(place[0]), given.items[place[1]]
                block = block_of(of_c)
                given = given if (block.evt if block else of_c) == replace(alias.type, member="") else None
            elif _graph_of(giver.type) != alias.type:
                continue
            before = [one for one in same if one.place[0] == giver.place[0] and one.place[1] < giver.place[1]]
            if given is not None and (not before or before[-1] is alias):
                yield given, giver.place

    def _within(self, kernel: CppType, evt: CppType, given: Given | None) -> Given | None:
        """The arguments of a graph among those of a kernel, if they are in braces there."""
        block = block_of(epilogue_of(kernel))
        if block is None or block.evt != evt or not isinstance(given, Braces):
            return None
        found = given.items[place_of_arguments(kernel, len(given.items)) :][:1]
        return found[0] if found and isinstance(found[0], Braces) else None

    def _unread_block(self, alias: Alias) -> Iterator[Diagnostic]:
        """EVT223 for a block epilogue of a graph that clang makes nothing of."""
        source = self.unit.sources[self.unit.main]
        for using in source.usings():
            if using.head == "BlockEpilogue" and alias.name in [token.text for token in using.type]:
                said = self.unit.said(using)
                yield codes.BESIDE.of(at=source.location(said.line), name=using.name.text, why=said.message)


class _Builder:
    """A graph of located types as a graph of nodes."""

    def __init__(self, arguments: Arguments) -> None:
        self.gets = arguments.gets()

    def visitor(self, at: Located, inputs: int = 0) -> Visitor:
        """The graph of a type; a node has so many ``inputs``. Raises EvtgenError (EVT216)."""
        if at.type.last == "TreeVisitor":
            children = [self.visitor(child) for child in at.args[1:]]
            op = self.visitor(at.args[0], len(children)) if at.args else None
            if not isinstance(op, Node):
                raise codes.UNREAD_CPP.refusal("op", at.location)
            return TreeVisitor(op, *children, location=at.location)
        if at.type.last == "TopologicalVisitor":
            edges = [_edge(edge, at.location) for edge in (at.args[0].type.args if at.args else ())]
            ops = [self.visitor(op, len(edges[i]) if i < len(edges) else 0) for i, op in enumerate(at.args[1:])]
            return TopologicalVisitor(edges, ops, location=at.location)
        return node(at, inputs, next(self.gets))


def _edge(edge: CppType, location: Location) -> tuple[int, ...]:
    numbers = [arg.number for arg in edge.args]
    if edge.last != "seq" or None in numbers:
        raise codes.UNREAD_CPP.refusal("edge", location, edge=edge)
    return tuple(number for number in numbers if number is not None)


def _is_graph(type: CppType) -> bool:
    return (type.last in COMPOSED and not type.member) or (type.last == "Phases" and type.member == "EVT")


def _graph_of(arguments: CppType) -> CppType:
    """The graph whose ``Arguments`` a type is."""
    return replace(arguments, member=arguments.member.removesuffix("Arguments").removesuffix("::"))


def _accumulators(gemm: Gemm, graphs: Sequence[Visitor]) -> Gemm:
    """With two accumulators where the second is read; the types do not say of which B it is a product."""
    nodes = [step.node for graph in graphs for step in flatten(graph)]
    if any(isinstance(node, AccLoad) and node.index for node in nodes):
        return replace(gemm, accumulators="separate")
    return gemm


def _opaque(epilogue: Epilogue) -> Iterator[Diagnostic]:
    """EVT217 for each functor that cannot be seen into."""
    for one in unseen(epilogue):
        yield codes.OPAQUE.of(at=one.location, functor=str(one.operator and one.operator.cpp))


def _usable(name: str) -> bool:
    """Whether an epilogue can have a name."""
    taken = reserved.NAMESPACES | reserved.TYPES | reserved.KEYWORDS | reserved.MACROS
    fine = reserved.is_identifier(name) and not name.startswith("_") and "__" not in name
    return fine and name not in taken and name.lower() not in reserved.HEADERS
