"""A file of C++, read into the epilogues of its EVTs."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...analysis import cpp_names as reserved
from ...diagnostics import cpp as codes
from ...diagnostics.diagnostic import Diagnostic, EvtgenError
from ...diagnostics.suggestions import suggest
from ...graph.ir import DEFAULT_ARCH, Epilogue, Gemm, Node, TopologicalVisitor, TreeVisitor, Visitor, flatten
from ...graph.location import Location
from ...nodes import AccLoad, Compute
from .arguments import Arguments
from .around import KERNEL_NAMES, Block, block_of, c_of, gemm_of, parts
from .clang import Alias, Giver, Unit, errors_in, parsed
from .graph import COMPOSED, Located, located
from .nodes import Unseen, node, unread
from .phases import joined
from .text import Written
from .types import CppType
from .values import Values, given_by

SUFFIXES = (".hpp", ".cpp", ".h", ".cc", ".cxx", ".hh", ".hxx", ".asc", ".cce", ".inl")
"""Files that are read as C++."""

_EVERYDAY = ("EVT", "EVG", "Evt", "evt")
"""Names of aliases that do not tell one epilogue from another."""

_HEADS = re.compile(r"TreeVisitor|TopologicalVisitor|Visitor[A-Z]\w*")


@dataclass(frozen=True)
class Read:
    """An EVT of a file.

    Attributes:
        alias: its name with namespaces, as it is selected by.
        epilogue: what it is; None where it cannot be read.
        diagnostics: of reading it.
    """

    alias: str
    epilogue: Epilogue | None
    diagnostics: tuple[Diagnostic, ...]


def is_cpp(path: Path) -> bool:
    """Whether a path names a file of C++, or one EVT in it: ``FILE.hpp:NAME``."""
    return selected(path)[0].suffix in SUFFIXES


def selected(path: Path) -> tuple[Path, str]:
    """A file and the name of an EVT behind it, or an empty one."""
    file, colon, name = str(path).rpartition(".")
    suffix, colon, evt = name.partition(":")
    return (Path(f"{file}.{suffix}"), evt) if colon and f".{suffix}" in SUFFIXES else (path, "")


def read(path: Path, text: bytes, name: str = "") -> list[Read]:
    """The EVTs of a file, in its order, or the one of a ``name``. Raises EvtgenError: libclang is missing (EVT220), or
    there is no such EVT (EVT221)."""
    unit = parsed(path, text)
    roots = list(_roots(unit))
    broken = list(_broken(unit))
    found = _File(unit, roots).reads()
    if not found and not broken:
        raise codes.NO_EVT.error(f"{path} has no EVT", Location(str(path), 0), "name one: using EVT = TreeVisitor<…>;")
    if name:
        known = {key: one for one in found for key in (one.alias, *_shorter(one), *_called(one))}
        if name not in known:
            raise codes.NO_EVT.error(
                f"{path} has no EVT {name}", Location(str(path), 0), suggest(name, [one.alias for one in found])
            )
        return [known[name]]
    if broken:
        found.append(Read("", None, tuple(broken)))
    return found


def _shorter(one: Read) -> Iterator[str]:
    names = one.alias.split("::")
    return ("::".join(names[i:]) for i in range(1, len(names)))


def _called(one: Read) -> Iterator[str]:
    if one.epilogue is not None:
        yield one.epilogue.name


def _is_graph(type: CppType) -> bool:
    return (type.last in COMPOSED and not type.member) or (type.last == "Phases" and type.member == "EVT")


def _roots(unit: Unit) -> Iterator[Alias]:
    """The aliases of graphs that no other graph of the user's is made of."""
    graphs = [alias for alias in unit.aliases.values() if _is_graph(alias.type)]
    inside: set[tuple[str, int]] = set()
    for alias in unit.aliases.values():
        if _is_graph(alias.type) or alias.type.last == "Phases":
            written = unit.source(alias.place).aliased(alias.place[1])
            inside |= set(_used(unit, written, alias))
    outer = [alias for alias in graphs if alias.place not in inside]
    mine = [alias for alias in outer if alias.place[0] == unit.main]
    yield from mine or outer


def _used(unit: Unit, written: Written, alias: Alias) -> Iterator[tuple[str, int]]:
    """The aliases that another is made of."""
    last = written.last
    meant = unit.named.get((alias.place[0], last.offset)) if last else None
    if meant is not None and meant in unit.aliases and meant != alias.place:
        yield meant
        used = unit.aliases[meant]
        if block_of(used.type) is not None:
            # What the phases of several visit is a part of the whole.
            yield from _used(unit, unit.source(meant).aliased(meant[1]), used)
    for arg in written.args:
        yield from _used(unit, arg, alias)


def _broken(unit: Unit) -> Iterator[Diagnostic]:
    """What clang says of aliases that should be graphs, and are nothing."""
    for alias in unit.aliases.values():
        source = unit.source(alias.place)
        written = source.aliased(alias.place[1])
        head = written.last.text if written.last else ""
        if alias.place[0] != unit.main or not _HEADS.fullmatch(head) or _HEADS.fullmatch(alias.type.last):
            continue
        end = source.tokens[min(source.at(alias.place[1]) + _extent(written), len(source.tokens) - 1)].line
        for said in errors_in(unit, alias.place[0], range(alias.line, max(end, alias.line) + 1)):
            help = "give the directory of the header that has it: -I DIR"
            yield codes.UNREAD_CPP(f"{alias.name} cannot be read: {said.message}", source.location(said.line), help)
            break
        else:
            yield codes.UNREAD_CPP(f"{alias.name} cannot be read", source.location(alias.line))


def _extent(written: Written) -> int:
    return 4 + 2 * len(written.names) + sum(_extent(arg) for arg in written.args)


class _File:
    """The EVTs of a file and what belongs to each."""

    def __init__(self, unit: Unit, roots: Sequence[Alias]) -> None:
        self.unit = unit
        self.roots = roots
        self.values = Values(unit)
        types = [alias.type for alias in unit.aliases.values()]
        self.blocks = [block for type in types for part in parts(type) if (block := block_of(part))]
        self.kernels = [part for type in types for part in parts(type) if part.last in KERNEL_NAMES]

    def reads(self) -> list[Read]:
        names = self._names()
        return [self._read(alias, name) for alias, name in zip(self.roots, names, strict=True)]

    def _names(self) -> list[str]:
        """A name for each epilogue: that of the alias, or what is around it where the alias is called as all are."""
        stem = re.sub(r"\W", "_", Path(self.unit.main).stem)
        names = []
        for alias in self.roots:
            around = [part for part in alias.scope if part not in reserved.NAMESPACES | {"Evt", "Run", "main", ""}]
            candidates = [] if alias.name in _EVERYDAY else [alias.name]
            candidates += [around[-1]] if around and alias.name in _EVERYDAY else []
            names.append(next(filter(_usable, [*candidates, stem]), "epilogue"))
        return [
            name if names.count(name) == 1 else f"{name}_{alias.name}" if names.count(name) == len(
                {other.name for other in self.roots}) else f"{name}_{index}"
            for index, (name, alias) in enumerate(zip(names, self.roots, strict=True))
        ]  # fmt: skip

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
        types = [phase.type for phase in phases]
        givers = list(self._givers(alias))
        arguments = [Arguments(phases, *self._given(giver), self.values) for giver in givers]
        first = arguments[0] if arguments else Arguments(phases, None, None, self.values)
        builder = _Builder(first)
        graphs = [builder.visitor(phase) for phase in phases]
        block = next((block for block in self.blocks if block.evt in types), None)
        kernel = self._kernel(alias.type, types, block)
        gemm = gemm_of(kernel, block) if kernel and block else c_of(block) if block else Gemm()
        epilogue = Epilogue(
            name,
            joined(graphs, location) if len(graphs) > 1 else graphs[0],
            arch=block.arch if block else DEFAULT_ARCH.get(),
            compute_length=block.length if block and block.length is not None and len(phases) == 1 else "auto",
            buffers=block.buffers if block and block.buffers is not None and len(phases) == 1 else "auto",
            gemm=_accumulators(gemm, graphs),
            deterministic=any(part.last == "VisitorInOrder" for type in types for part in parts(type)),
            location=location,
        )
        found = [diagnostic for one in arguments for diagnostic in one.diagnostics]
        found += _opaque(epilogue)
        found += self._unread_around(alias, block)
        return epilogue, found

    def _phases(self, alias: Alias) -> list[Located]:
        """The graph, or that of each phase."""
        if alias.type.last != "Phases":
            return [located(self.unit, alias)]
        whole = CppType(alias.type.name, alias.type.args)
        named = next((other for other in self.unit.aliases.values() if other.type == whole), alias)
        return [block.args[-1] for block in located(self.unit, named).args if block.args]

    def _kernel(self, evt: CppType, types: Sequence[CppType], block: Block | None) -> CppType | None:
        if block is None:
            return None
        for kernel in self.kernels:
            epilogue = kernel.argument(1)
            if epilogue == block.type or (epilogue.last == "Phases" and block.type in epilogue.args):
                return kernel
        return None

    def _givers(self, alias: Alias) -> Iterator[Giver]:
        """What gives the arguments of a graph; of a graph that stands in a file twice, those behind each."""
        same = [one for one in self.roots if one.type == alias.type]
        for giver in self.unit.givers:
            if replace_member(giver.type) != alias.type:
                continue
            before = [one for one in same if one.place[0] == giver.place[0] and one.place[1] < giver.place[1]]
            if not before or before[-1] is alias:
                given = given_by(giver, self.unit)
                if given is not None:
                    yield giver

    def _given(self, giver: Giver):
        return given_by(giver, self.unit), self.unit.source(giver.place)

    def _unread_around(self, alias: Alias, block: Block | None) -> Iterator[Diagnostic]:
        """What clang says of the block epilogue that should name a graph, where none does."""
        if block is not None:
            return
        for other in self.unit.aliases.values():
            source = self.unit.source(other.place)
            written = source.aliased(other.place[1])
            if written.last is None or written.last.text != "BlockEpilogue" or other.type.last == "BlockEpilogue":
                continue
            if alias.place not in set(_used(self.unit, written, other)) and not any(
                arg.last and arg.last.text == alias.name for arg in written.args
            ):
                continue
            lines = range(other.line, other.line + 12)
            why = next((f": {said.message}" for said in errors_in(self.unit, other.place[0], lines)), "")
            yield codes.BESIDE(f"{other.name} cannot be read{why}", source.location(other.line))


def replace_member(type: CppType) -> CppType:
    """The graph whose arguments a type is."""
    return replace(type, member=type.member.removesuffix("Arguments").removesuffix("::"))


class _Builder:
    """A graph of located types as a graph of nodes."""

    def __init__(self, arguments: Arguments) -> None:
        self.gets = arguments.gets()

    def visitor(self, at: Located, inputs: int = 0) -> Visitor:
        if at.type.last == "TreeVisitor":
            if not at.args:
                raise unread("a TreeVisitor without a node", at.location)
            children = [self.visitor(child) for child in at.args[1:]]
            op = self.visitor(at.args[0], len(children))
            if not isinstance(op, Node):
                raise unread(f"{at.label}: the op of a TreeVisitor is a node, not a visitor", at.location)
            return TreeVisitor(op, *children, location=at.location)
        if at.type.last == "TopologicalVisitor":
            edges = [_edge(edge, at.location) for edge in (at.args[0].type.args if at.args else ())]
            ops = [
                self.visitor(op, len(edges[i]) if i < len(edges) else 0) for i, op in enumerate(at.args[1:])
            ]
            return TopologicalVisitor(edges, ops, location=at.location)
        return node(at, inputs, next(self.gets))


def _edge(edge: CppType, location: Location) -> tuple[int, ...]:
    numbers = [arg.number for arg in edge.args]
    if edge.last != "seq" or None in numbers:
        raise unread(f"{edge} is no tla::seq of indices", location)
    return tuple(number for number in numbers if number is not None)


def _accumulators(gemm: Gemm, graphs: Sequence[Visitor]) -> Gemm:
    """With two accumulators where the second is read; the types do not say of which B it is a product."""
    nodes = [step.node for graph in graphs for step in flatten(graph)]
    if any(isinstance(node, AccLoad) and node.index for node in nodes):
        return replace(gemm, accumulators="separate")
    return gemm


def _opaque(epilogue: Epilogue) -> Iterator[Diagnostic]:
    for step in flatten(epilogue.root):
        if isinstance(step.node, Compute) and isinstance(step.node.op, Unseen):
            help = "the rest is checked as if it took values of the node's type and gave one"
            yield codes.OPAQUE(f"{step.node.op.cpp} is no functor of the framework", step.node.location, help)


def _usable(name: str) -> bool:
    taken = reserved.NAMESPACES | reserved.TYPES | reserved.KEYWORDS | reserved.MACROS
    return reserved.is_identifier(name) and name not in taken and name.lower() not in reserved.HEADERS and "__" not in name
