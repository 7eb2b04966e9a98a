"""The meaning of names in a file of C++, by libclang.

``declarations.hpp`` stands for AscendC, Catlass and the standard library. None of them is needed, and a file takes some
hundredths of a second. Headers of the user are parsed if they lie beside the file or in :data:`INCLUDE_DIRS`. After an
error, such as a name that the declarations lack, clang goes on.
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
from ...diagnostics.reading import TOO_LARGE
from ...graph.location import Location
from ...operators.table import FRAMEWORK
from ...passes.analysis.size import MAX_EMITTED
from ...system.translation import tr
from .paths import INCLUDE_DIRS
from .text import Source, Token, Using
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
_FUNCTOR = re.compile(rb"\bVisitorCompute\s*<\s*(\w+(?:\s*::\s*\w+)*)")
"""The functor of a node."""
_OTHERS = re.compile(r"(catlass|tla|kernel_operator|acl|tiling|opdev|runtime)\b")
_KNOWN = (FUSION, "Catlass::Epilogue", "Catlass::Gemm", "Catlass::Arch", "Catlass::layout")
_INSIDE = (*_KNOWN[:2], "Catlass::Gemm::Kernel", "Catlass::Gemm::Block")

_OF_OTHERS = frozenset({"Catlass", "Epilogue", "Fusion", "Visitors", "AscendC", "tla", "std"})
"""Namespaces that have no functor of the user's."""

_DECLARATIONS = "/evtgen/declarations.hpp"
_ARGUMENTS = (
    "-x", "c++", "-std=c++17", "-nostdinc", "-nostdinc++", "-ferror-limit=0", "-Wno-everything",
    "-include", _DECLARATIONS,
    # Otherwise a number that clang cannot compute takes with it the types of all layouts that are made of it.
    "-Xclang", "-fno-recovery-ast",
)  # fmt: skip
_KEEP_GOING = 0x200

_LONGEST = 300 * MAX_EMITTED
"""Characters of a type, without aliases, that is read: an alias that is used twice counts twice, at each level."""

# The kinds of clang's cursors that are read.
_TEMPLATE = "TYPE_ALIAS_TEMPLATE_DECL"
_ALIASES = ("TYPE_ALIAS_DECL", "TYPEDEF_DECL")
_VALUES = ("VAR_DECL", "FIELD_DECL", "PARM_DECL")
_FUNCTIONS = ("FUNCTION_DECL", "CXX_METHOD", "FUNCTION_TEMPLATE")
_NAMES = ("TYPE_REF", "TEMPLATE_REF")
_USES = (*_NAMES, "DECL_REF_EXPR", "MEMBER_REF_EXPR")
_SCOPES = ("NAMESPACE", "STRUCT_DECL", "CLASS_DECL", "CLASS_TEMPLATE")

Place = tuple[str, int]
"""A file and an offset in it."""


@dataclass(frozen=True)
class Use:
    """A name in a type.

    Attributes:
        name, line: as it stands in the file.
        meant: the place of its declaration.
        is_template: whether it is an alias of a template.
    """

    name: str
    line: int
    meant: Place
    is_template: bool


@dataclass(frozen=True)
class Alias:
    """A name for a type.

    Attributes:
        name: of the alias.
        scope: the namespaces and classes around it.
        type: of libclang, without aliases.
        place, line: of its name.
        uses: the names in the type, in their order in the file.
    """

    name: str
    scope: tuple[str, ...]
    type: CppType
    place: Place
    line: int
    uses: tuple[Use, ...]


@dataclass(frozen=True)
class Variable:
    """A variable, parameter or field; ``type`` is the canonical spelling, without aliases."""

    name: str
    type: str
    is_constant: bool


@dataclass(frozen=True)
class Giver:
    """A variable of type ``X::Arguments``, or a function that returns one.

    Attributes:
        type: ``X::Arguments``.
        place: of the name of the variable or of the function.
        end: the offset behind the declaration.
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
    """A file and the user's own headers that it includes.

    Attributes:
        main: the file.
        sources: the text of each.
        aliases: the names of types, in their order.
        named: the declaration of the name at a place.
        variables: by the places of their names.
        givers: all that give arguments.
        errors: of clang.
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

    def meant(self, file: str, name: Token, scope: str = "") -> Place | None:
        """The declaration of a name in a file; where clang has lost it, the last of that name before it, in ``scope``
        if the name has that before it."""
        found = self.named.get((file, name.offset))
        if found is not None:
            return found
        before = [place for place in self._declared.get(name.text, ()) if place[0] == file and place[1] < name.offset]
        within = [place for place in before if place in self.aliases and self.aliases[place].scope[-1:] == (scope,)]
        return max(within or before, default=None)

    def said(self, using: Using) -> Said:
        """The first error in the lines of an alias in the file."""
        unknown = Said(self.main, using.name.line, tr("it depends on what is not known here"))
        return next((one for one in self.errors if one.file == self.main and one.line in using.lines), unknown)

    @cached_property
    def _declared(self) -> dict[str, list[Place]]:
        """The places of all aliases and variables, by name."""
        found: dict[str, list[Place]] = {}
        named = [(alias.name, place) for place, alias in self.aliases.items()]
        for name, place in [*named, *((variable.name, place) for place, variable in self.variables.items())]:
            found.setdefault(name, []).append(place)
        return found


def parsed(path: Path, text: bytes) -> Unit:
    """A file of C++. Raises EvtgenError: libclang is missing (EVT220), or gives up (EVT216)."""
    libclang()
    unit = Unit(_name(str(path)))
    replaced: dict[str, str | bytes] = {}
    _include(path, text, unit, replaced)
    translated = _translated(path, unit, replaced, _declarations(unit))
    if functors := _undeclared_functors(unit):
        translated = _translated(path, unit, replaced, "\n".join([_declarations(unit), *functors]))
    for file in [path, *(Path(included.include.name) for included in translated.get_includes())]:
        if source := unit.sources.get(_name(str(file))):
            source.tokens = list(_tokens(translated, str(file), source))
    _read(unit, translated.cursor, ())
    return unit


def _translated(path: Path, unit: Unit, replaced: dict[str, str | bytes], declarations: str) -> Any:
    arguments = [*_ARGUMENTS, *(f"-I{directory}" for directory in INCLUDE_DIRS.get())]
    files = [*replaced.items(), (_DECLARATIONS, declarations)]
    try:
        translated = libclang().Index.create().parse(str(path), arguments, files, _KEEP_GOING)
    except libclang().TranslationUnitLoadError:
        raise codes.UNREAD_CPP.refusal("not parsed", Location(str(path), 0), path=path) from None
    unit.errors = [
        Said(_name(said.location.file.name), said.location.line, said.spelling)
        for said in translated.diagnostics
        if said.severity >= libclang().Diagnostic.Error and said.location.file is not None
    ]
    return translated


def _tokens(translated: Any, file: str, source: Source) -> Iterator[Token]:
    for token in translated.get_tokens(extent=translated.get_extent(file, (0, len(source.text)))):
        if token.kind.name != "COMMENT":
            start, line = token.location.offset, token.location.line
            text = source.text[start : token.extent.end.offset].decode(errors="replace")
            # Two ">" in a row may close the arguments of two templates.
            yield from (
                [Token(">", start, line), Token(">", start + 1, line)] if text == ">>" else [Token(text, start, line)]
            )


def _undeclared_functors(unit: Unit) -> list[str]:
    """Declarations of functors from headers that are missing: the names are enough."""
    said = "\n".join(one.message for one in unit.errors)
    unknown = set(re.findall(r"use of undeclared identifier '(\w+)'", said))
    members = re.findall(r"no member named '(\w+)' in namespace '([\w:]+)'", said)
    unknown |= {f"{scope}::{name}" for name, scope in members}
    found = {}
    for functor in (written for source in unit.sources.values() for written in _FUNCTOR.findall(source.text)):
        *scope, name = names = re.findall(r"\w+", functor.decode())
        prefixes = {"::".join(names[:count]) for count in range(1, len(names) + 1)}
        if unknown & prefixes and not _OF_OTHERS.intersection(names):
            declared = f"template <class> struct {name} {{}};"
            found["::".join(names)] = f"namespace {'::'.join(scope)} {{ {declared} }}" if scope else declared
    return list(found.values())


@cache
def libclang() -> Any:
    """The module with libclang's functions. Raises EvtgenError (EVT220) without it."""
    try:
        from clang import cindex

        cindex.conf.lib  # noqa: B018 - loads the library
    except Exception as error:  # clang's own, of another version of the library, too
        raise codes.NO_LIBCLANG.refusal(help="pip install 'libclang==18.*'", error=error) from error
    return cindex


def _include(path: Path, text: bytes, unit: Unit, replaced: dict[str, str | bytes]) -> None:
    """Take in a file and the user's own headers that it includes. Clang is given nothing else to open."""
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

    replaced[str(path)] = _INCLUDE.sub(kept, text)


def _found(path: Path, beside: bool, name: str) -> tuple[Path, bytes] | None:
    """The user's header in a line of a file, and its text, if it can be read."""
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
    lines.append(Path(__file__).with_name("declarations.hpp").read_text(encoding="utf-8"))
    for namespace in (
        name for source in unit.sources.values() for name in _ALIAS.findall(source.text.decode(errors="replace"))
    ):
        # The framework is in a namespace of its own where Catlass has another in its place.
        if not namespace.startswith(_KNOWN):
            inside = "".join(f"using namespace ::{name};" for name in _INSIDE)
            lines.append(f"namespace {namespace} {{ {inside} }}")
    return "\n".join(lines)


def _read(unit: Unit, cursor: Any, scope: tuple[str, ...]) -> None:
    """Take in the declarations below a cursor of clang's, and the names in them."""
    for child in cursor.get_children():
        place, kind = _place(child), child.kind.name
        if place[0] not in unit.sources:
            continue
        if kind in _ALIASES:
            spelling = child.underlying_typedef_type.get_canonical().spelling
            if len(spelling) > _LONGEST:
                raise TOO_LARGE.refusal("large", Location(place[0], child.location.line), limit=MAX_EMITTED)
            unit.aliases[place] = Alias(
                child.spelling, scope, parse(spelling), place, child.location.line, tuple(_uses(child))
            )
        elif kind in _VALUES:
            canonical = child.type.get_canonical()
            unit.variables[place] = Variable(child.spelling, canonical.spelling, canonical.is_const_qualified())
        elif kind in _USES and child.referenced is not None:
            unit.named[place] = _place(child.referenced)
        if kind in _VALUES or kind in _FUNCTIONS:
            given = (child.type if kind in _VALUES else child.result_type).get_canonical().spelling
            if given.endswith("::Arguments"):
                unit.givers.append(Giver(parse(given), place, child.extent.end.offset, kind in _FUNCTIONS))
        if kind != _TEMPLATE:  # its type depends on its use
            _read(unit, child, (*scope, child.spelling) if kind in _SCOPES else scope)


def _uses(alias: Any) -> Iterator[Use]:
    for one in alias.walk_preorder():
        if one.kind.name in _NAMES and (meant := one.referenced) is not None:
            yield Use(meant.spelling, one.location.line, _place(meant), meant.kind.name == _TEMPLATE)


def _place(cursor: Any) -> Place:
    location = cursor.location
    return (_name(location.file.name) if location.file is not None else "", location.offset)
