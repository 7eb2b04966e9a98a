"""The meaning of names in a file of C++, by libclang.

A file is parsed with ``declarations.hpp`` in place of all that is AscendC's, Catlass's or the standard library's. So
none of them need be there, and a file takes some hundredths of a second. What else a file includes is parsed with it
where it is found: beside it, or in :data:`INCLUDE_DIRS`. What the declarations lack is an error for clang, after which
it goes on; only what is read of the result matters.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from ...diagnostics import cpp as codes
from ...graph.location import Location
from ...operators.table import FRAMEWORK
from ...system.translation import tr
from .paths import INCLUDE_DIRS
from .text import Source, Token
from .types import CppType, parse

FUNCTORS = {
    "Add": "Plus",
    "Sub": "Minus",
    "SubOp": "Minus",
    "Mul": "Multiplies",
    "Mul3": "Multiplies",
    "Div": "Divides",
    "DivOp": "Divides",
    "Max": "Maximum",
    "Min": "Minimum",
    "ExpOp": "Exp",
    "RsqrtFast": "Rsqrt",
    "PlusRelu": "AddRelu",
}
"""Other names of functors, in the framework, in that of its authors and in Catlass's own: the operators that they
are."""

COPY = "Copy"
"""The functor with which an epilogue in Catlass's own framework stores what it has loaded."""

FUSION = "Catlass::Epilogue::Fusion"

_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*(?:include|import)[^\n]*", re.MULTILINE)
_INCLUDED = re.compile(rb'[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]')
_ALIAS = re.compile(r"namespace\s+\w+\s*=\s*(?:::)?(Catlass(?:::\w+)+)\s*;")
_NUMBER = re.compile(
    rb"^(?P<before>[ \t]*(?:std::)?(?:u?int\d+_t|size_t|(?:unsigned\s+)?(?:int|long|short))\s+\w+\s*)"
    rb"(?P<value>=[^;{}]*|\{[^;{}]*\})(?=\s*;)",
    re.MULTILINE,
)
"""A variable number and what it is computed from."""
_OTHERS = re.compile(r"(catlass|tla|kernel_operator|acl|tiling|opdev|runtime)\b")
_KNOWN = (FUSION, "Catlass::Epilogue", "Catlass::Gemm", "Catlass::Arch", "Catlass::layout")

_OF_OTHERS = frozenset({"Catlass", "Epilogue", "Fusion", "Visitors", "AscendC", "tla", "std"})
"""Namespaces that have no functor of the user's."""

_DECLARATIONS = "/evtgen/declarations.hpp"
_ARGUMENTS = (
    "-x", "c++", "-std=c++17", "-nostdinc", "-nostdinc++", "-ferror-limit=0", "-Wno-everything",
    "-include", _DECLARATIONS,
)  # fmt: skip
_KEEP_GOING = 0x200

Place = tuple[str, int]
"""A file and an offset in it."""


@dataclass(frozen=True)
class Alias:
    """A name for a type.

    Attributes:
        name: of the alias.
        scope: the namespaces and classes around it.
        type: what it stands for.
        place: of its name.
        line: that of its name.
    """

    name: str
    scope: tuple[str, ...]
    type: CppType
    place: Place
    line: int


@dataclass(frozen=True)
class Variable:
    """A variable, parameter or field; ``type`` is as clang spells it once nothing in it is an alias."""

    name: str
    type: str
    is_constant: bool


@dataclass(frozen=True)
class Giver:
    """What has the type ``X::Arguments``: a variable, or what a function returns.

    Attributes:
        type: it.
        place: of the name of the variable or of the function.
        end: where its declaration ends.
        is_function: whether it is a function.
    """

    type: CppType
    place: Place
    end: int
    is_function: bool


@dataclass(frozen=True)
class Said:
    """An error of clang's."""

    file: str
    line: int
    message: str


@dataclass
class Unit:
    """A file and what it includes of the user's own.

    Attributes:
        main: the file.
        sources: the text of each.
        aliases: the names of types, as they follow each other.
        named: the declaration that a name at a place means.
        variables: by the places of their names.
        givers: all that give arguments.
        errors: what clang says.
        missing: the user's own headers that were not found, as they are included.
    """

    main: str
    sources: dict[str, Source] = field(default_factory=dict)
    aliases: dict[Place, Alias] = field(default_factory=dict)
    named: dict[Place, Place] = field(default_factory=dict)
    variables: dict[Place, Variable] = field(default_factory=dict)
    givers: list[Giver] = field(default_factory=list)
    errors: list[Said] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def source(self, place: Place) -> Source:
        return self.sources[place[0]]

    def meant(self, file: str, name: Token) -> Place | None:
        """The declaration that a name in a file means; where clang has lost it, the last of that name before it."""
        found = self.named.get((file, name.offset))
        if found is not None:
            return found
        before = (place for place in self._declared.get(name.text, ()) if place[0] == file and place[1] < name.offset)
        return max(before, default=None)

    @cached_property
    def _declared(self) -> dict[str, list[Place]]:
        """The places of all aliases and variables, by name."""
        found: dict[str, list[Place]] = {}
        names = [(alias.name, place) for place, alias in self.aliases.items()]
        names += [(variable.name, place) for place, variable in self.variables.items()]
        for name, place in names:
            found.setdefault(name, []).append(place)
        return found


def parsed(path: Path, text: bytes) -> Unit:
    """A file of C++. Raises EvtgenError, if libclang is not there (EVT220) or gives up (EVT216)."""
    cindex = libclang()
    unit = Unit(_name(str(path)))
    replaced: dict[str, str | bytes] = {}
    _include(path, text, unit, replaced)
    replaced[_DECLARATIONS] = _declarations(unit)
    translated = _translated(path, replaced)
    unit.errors = _errors(translated)
    if functors := _undeclared_functors(unit):
        replaced[_DECLARATIONS] = "\n".join([_declarations(unit), *functors])
        translated = _translated(path, replaced)
        unit.errors = _errors(translated)
    _Reader(cindex, unit).read(translated.cursor, ())
    return unit


def _translated(path: Path, replaced: dict[str, str | bytes]) -> Any:
    arguments = [*_ARGUMENTS, *(f"-I{directory}" for directory in INCLUDE_DIRS.get())]
    try:
        return libclang().Index.create().parse(str(path), arguments, list(replaced.items()), _KEEP_GOING)
    except libclang().TranslationUnitLoadError:
        raise codes.UNREAD_CPP.error(tr("clang cannot parse {path}", path=path), Location(str(path), 0)) from None


def _errors(translated: Any) -> list[Said]:
    return [
        Said(_name(said.location.file.name), said.location.line, said.spelling)
        for said in translated.diagnostics
        if said.severity >= libclang().Diagnostic.Error and said.location.file is not None
    ]


def _undeclared_functors(unit: Unit) -> list[str]:
    """Declarations of functors that stand in a header which is not there: nothing but their names need be known."""
    said = "\n".join(one.message for one in unit.errors)
    unknown = set(re.findall(r"use of undeclared identifier '(\w+)'", said))
    unknown |= {
        f"{scope}::{name}" for name, scope in re.findall(r"no member named '(\w+)' in namespace '([\w:]+)'", said)
    }
    found = {}
    for source in unit.sources.values():
        for names in source.first_arguments("VisitorCompute"):
            *scope, name = names
            prefixes = {"::".join(names[:count]) for count in range(1, len(names) + 1)}
            if unknown & prefixes and not _OF_OTHERS.intersection(names):
                declared = f"template <class> struct {name} {{}};"
                found["::".join(names)] = f"namespace {'::'.join(scope)} {{ {declared} }}" if scope else declared
    return list(found.values())


def _without_numbers(text: bytes) -> bytes:
    """The text without the values of variable numbers, in so many characters. One that clang cannot compute would take
    with it all that depends on the number: the types in ``decltype(MakeLayout<…>(m, n))``, say."""

    def blank(found: re.Match[bytes]) -> bytes:
        return found["before"] + re.sub(rb"[^\n]", b" ", found["value"])

    return _NUMBER.sub(blank, text)


@cache
def libclang() -> Any:
    """The module with libclang's functions. Raises EvtgenError (EVT220) without it."""
    try:
        from clang import cindex

        cindex.conf.lib  # noqa: B018 - loads the library
    except Exception as error:  # clang's own, of another version of the library, too
        message = tr("reading C++ needs libclang: {error}", error=error)
        raise codes.NO_LIBCLANG.error(message, help="pip install 'libclang==18.*'") from error
    return cindex


def _include(path: Path, text: bytes, unit: Unit, replaced: dict[str, str | bytes]) -> None:
    """Take in a file and what it includes of the user's own. Clang is given nothing else to open."""
    unit.sources[_name(str(path))] = Source(_name(str(path)), text)

    def kept(line: re.Match[bytes]) -> bytes:
        included = _INCLUDED.match(line[0])
        found = included and _found(path, included[1] == b'"', os.fsdecode(included[2]))
        if not found:
            if included and included[1] == b'"' and not _OTHERS.match(name := os.fsdecode(included[2])):
                unit.missing.append(name)
            return b" " * len(line[0])
        file, content = found
        if _name(str(file)) not in unit.sources:
            _include(file, content, unit, replaced)
        return line[0]

    replaced[str(path)] = _without_numbers(_INCLUDE.sub(kept, text))


def _found(path: Path, beside: bool, name: str) -> tuple[Path, bytes] | None:
    """The header that a line of a file names and its text, if it is the user's and can be read."""
    if _OTHERS.match(name):
        return None
    for directory in (*([path.parent] if beside else []), *INCLUDE_DIRS.get()):
        file = directory / name
        with contextlib.suppress(OSError, ValueError):
            if file.is_file():  # of a pipe nobody knows when it ends
                return file, file.read_bytes()
    return None


@cache
def _name(file: str) -> str:
    """A file's path, spelled in one way."""
    return os.path.normpath(file)


def _declarations(unit: Unit) -> str:
    """What is parsed in place of the headers of others."""
    functors = dict.fromkeys([*(operator.cpp for operator in FRAMEWORK), "Mean", COPY, *FUNCTORS])
    lines = [f"namespace {FUSION} {{", *(f"template <class> struct {name} {{}};" for name in functors), "}"]
    text = "\n".join([*lines, Path(__file__).with_name("declarations.hpp").read_text(encoding="utf-8")])
    for source in unit.sources.values():
        for namespace in _ALIAS.findall(source.text.decode(errors="replace")):
            # The framework is in a namespace of its own where Catlass has another in its place.
            if not namespace.startswith(_KNOWN):
                inside = "".join(f"using namespace ::{name};" for name in (*_KNOWN[:2], "Catlass::Gemm::Kernel"))
                text += f"\nnamespace {namespace} {{ {inside} using namespace ::Catlass::Gemm::Block; }}"
    return text


class _Reader:
    """One walk over what clang made of a file."""

    def __init__(self, cindex: Any, unit: Unit) -> None:
        kinds = cindex.CursorKind
        self.unit = unit
        self.templates = kinds.TYPE_ALIAS_TEMPLATE_DECL
        self.aliases = (kinds.TYPE_ALIAS_DECL, kinds.TYPEDEF_DECL)
        self.values = (kinds.VAR_DECL, kinds.FIELD_DECL, kinds.PARM_DECL)
        self.functions = (kinds.FUNCTION_DECL, kinds.CXX_METHOD, kinds.FUNCTION_TEMPLATE)
        self.uses = (kinds.TYPE_REF, kinds.TEMPLATE_REF, kinds.DECL_REF_EXPR, kinds.MEMBER_REF_EXPR)
        self.scopes = (
            kinds.NAMESPACE, kinds.STRUCT_DECL, kinds.CLASS_DECL, kinds.CLASS_TEMPLATE,
        )  # fmt: skip

    def read(self, cursor: Any, scope: tuple[str, ...]) -> None:
        for child in cursor.get_children():
            location = child.location
            file = _name(location.file.name) if location.file is not None else ""
            if file not in self.unit.sources:
                continue
            place = (file, location.offset)
            kind = child.kind
            if kind in self.aliases:
                spelling = child.underlying_typedef_type.get_canonical().spelling
                self.unit.aliases[place] = Alias(child.spelling, scope, parse(spelling), place, location.line)
            elif kind in self.values:
                self._value(child, place)
            elif kind in self.uses:
                self._use(child, place)
            elif kind in self.functions:
                self._giver(child.result_type, child, place, is_function=True)
            if kind != self.templates:  # what an alias of a template stands for depends on its use
                self.read(child, (*scope, child.spelling) if kind in self.scopes else scope)

    def _value(self, cursor: Any, place: Place) -> None:
        canonical = cursor.type.get_canonical()
        self.unit.variables[place] = Variable(cursor.spelling, canonical.spelling, canonical.is_const_qualified())
        self._giver(cursor.type, cursor, place, is_function=False)

    def _giver(self, given: Any, cursor: Any, place: Place, is_function: bool) -> None:
        spelling = given.get_canonical().spelling
        if spelling.endswith("::Arguments"):
            self.unit.givers.append(Giver(parse(spelling), place, cursor.extent.end.offset, is_function))

    def _use(self, cursor: Any, place: Place) -> None:
        meant = cursor.referenced
        if meant is not None and meant.location.file is not None:
            self.unit.named[place] = (_name(meant.location.file.name), meant.location.offset)


def errors_in(unit: Unit, file: str, lines: range) -> Iterator[Said]:
    """What clang says of some lines of a file."""
    return (said for said in unit.errors if said.file == file and said.line in lines)
