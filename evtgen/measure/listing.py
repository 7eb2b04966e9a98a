"""The code of a program at run time: calls, types and places, from the text of LLVM's intermediate representation.

clang writes it without optimisation. So it has every call of run time, with its line, and no call that was evaluated at
compile time. This module reads function definitions, calls, references to type information, and debug information.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

_DEFINE = re.compile(r"^define .*?@(\"[^\"]+\"|[\w.$]+)\(.*?(?:!dbg !(\d+))? \{$")
_CALL = re.compile(r"\b(?:call|invoke) [^@]*@(\"[^\"]+\"|[\w.$]+)\(.*")
_TYPE_INFO = re.compile(r"@_ZTI\w+")
_DEBUG = re.compile(r"!dbg !(\d+)")
_NODE = re.compile(r"^!(\d+) = (?:distinct )?!(DI\w+)\((.*)\)$")
_TUPLE = re.compile(r"^!(\d+) = (?:distinct )?!\{(.*)\}$")
_FIELD = re.compile(r"(\w+): (\"[^\"]*\"|![0-9]+|[\w |:]+)")
_KINDS = {
    "DICompileUnit", "DIFile", "DISubprogram", "DILocation", "DILexicalBlock", "DILexicalBlockFile", "DICompositeType",
    "DIDerivedType", "DIBasicType", "DISubroutineType", "DILocalVariable",
}  # fmt: skip


@dataclass(frozen=True)
class Place:
    """A line of a file, as the compiler names it."""

    file: str
    line: int


@dataclass(frozen=True)
class Call:
    """A call of the function ``symbol``."""

    symbol: str
    place: Place | None


@dataclass
class Function:
    """A function that is there at run time: its symbol, its name and place, its calls, and where it asks for type
    information."""

    symbol: str
    name: str
    place: Place | None
    calls: list[Call] = field(default_factory=list)
    type_information: list[Place] = field(default_factory=list)


class Listing:
    """The intermediate representation of one program."""

    def __init__(self, text: str) -> None:
        self._nodes: dict[str, tuple[str, dict[str, str]]] = {}
        self._tuples: dict[str, list[str]] = {}
        body: list[str] = []
        for line in text.splitlines():
            if not line.startswith("!"):
                body.append(line)
            elif match := _NODE.match(line):
                if match[2] in _KINDS:
                    self._nodes[match[1]] = match[2], dict(_FIELD.findall(match[3]))
            elif match := _TUPLE.match(line):
                self._tuples[match[1]] = re.findall(r"!(\d+)", match[2])
        self._body = body

    @cached_property
    def functions(self) -> dict[str, Function]:
        """The functions that are defined, by symbol."""
        found: dict[str, Function] = {}
        current: Function | None = None
        for line in self._body:
            if current is None:
                if line.startswith("define ") and (match := _DEFINE.match(line)):
                    name = self.text(match[2], "name") if match[2] else ""
                    current = Function(match[1].strip('"'), name, self.place(match[2]) if match[2] else None)
                    found[current.symbol] = current
            elif line == "}":
                current = None
            else:
                debug = _DEBUG.search(line)
                place = self.place(debug[1]) if debug else None
                if match := _CALL.search(line):
                    current.calls.append(Call(match[1].strip('"'), place))
                if place is not None and _TYPE_INFO.search(line):
                    current.type_information.append(place)
        return found

    def of_kind(self, kind: str) -> Iterator[str]:
        """The nodes of debug information of a kind."""
        return (node for node, (found, _) in self._nodes.items() if found == kind)

    def text(self, node: str, name: str) -> str:
        """A field of a node as text; empty without it."""
        return self._nodes.get(node, ("", {}))[1].get(name, "").strip('"')

    def node(self, node: str, name: str) -> str:
        """The node that a field of a node refers to; empty without one."""
        text = self.text(node, name)
        return text[1:] if text.startswith("!") else ""

    def nodes(self, node: str, name: str) -> list[str]:
        """The nodes that a field of a node lists."""
        return self._tuples.get(self.node(node, name), [])

    def kind(self, node: str) -> str:
        """The kind of a node; empty without one."""
        return self._nodes.get(node, ("", {}))[0]

    def place(self, node: str) -> Place | None:
        """The line of a node; None where it has none."""
        line, scope = self.text(node, "line"), node
        while scope and not (file := self.node(scope, "file")):
            scope = self.node(scope, "scope")
        return Place(self._path(file), int(line or 0)) if scope else None

    def _path(self, file: str) -> str:
        """A file as the compiler was given it. Its beginning may stand apart, as the compiler's working directory."""
        directory, name = self.text(file, "directory"), self.text(file, "filename")
        return name if directory == self._directory else os.path.join(directory, name)

    @cached_property
    def _directory(self) -> str:
        """The directory that the compiler worked in."""
        unit = next(self.of_kind("DICompileUnit"), "")
        return self.text(self.node(unit, "file"), "directory")
