"""Values that host code gives to nodes: pointers with their names, layouts, numbers, and the arguments of other
nodes."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...graph.types import ElementType
from .clang import Giver, Place, Unit
from .text import Braces, Expression, Given, Source, Token
from .types import CppType

_CASTS = ("static_cast", "reinterpret_cast", "const_cast")
_ARITHMETIC = re.compile(
    r"(?:(?:unsigned |signed )?(?:char|short|int|long|long long)|float|double|bool|half|bfloat16_t|fp8_\w+)"
)
_STORAGE = re.compile(r"^(?:device|dev|gm|tensor|ptr|addr|d)_?(?=[A-Z0-9])|^(?:device|dev|gm|ptr|d)_(?=\w)|^p(?=[A-Z])")
_STORED = re.compile(r"(?<=\w)_?(?:Device|Dev|Gm|GM|Ptr|Addr)$|_(?:device|dev|gm|ptr|addr)$")
_PARTS = ("device", "data", "get", "ptr", "addr", "dev")
"""Members that hold the pointer of their object."""


@dataclass(frozen=True)
class Reference:
    """A number that has a name.

    Attributes:
        name: of the variable, parameter or field.
        default: its initial value; None without one.
        negative: whether it stands with a minus.
        constant: whether it never changes.
    """

    name: str
    default: float | int | None = None
    negative: bool = False
    constant: bool = False

    @property
    def value(self) -> float | int | None:
        """Its initial value, with the minus."""
        return self.default if self.default is None or not self.negative else -self.default


Number = float | int | Reference


class Values:
    """The meaning of names in a file's host code."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.givers = {giver.place: giver for giver in unit.givers}

    def followed(self, given: Given, source: Source) -> tuple[Given, Source]:
        """The braces that initialise a variable with the arguments of a node or a graph, in place of its name."""
        place = self._declared(given, source)
        giver = self.givers.get(place) if place else None
        initial = given_by(giver, self.unit) if giver else None
        return (given, source) if giver is None or initial is None else (initial, self.unit.source(giver.place))

    def kind(self, given: Given, source: Source) -> str | None:
        """The kind of a value: ``"pointer"``, ``"layout"``, ``"number"``, ``"arguments"`` or ``"braces"``; None if it
        is not known."""
        if isinstance(given, Braces):
            if not given.of:
                return "braces"
            return "arguments" if self.arguments_of(given, source) else _kind(self._type_named(given.of, source).name)
        first = given.tokens[0].text
        if first in ("nullptr", "NULL", "reinterpret_cast", "&"):
            return "pointer"
        if isinstance(self.number(given, source, None), float | int):
            return "number"
        place = self._declared(given, source)
        if place is None:
            return None
        return "arguments" if place in self.givers else _kind(self.unit.variables[place].type)

    def arguments_of(self, given: Braces, source: Source) -> tuple[str, CppType] | None:
        """The node that braces belong to, by the type before them: its name, the alias in ``AuxLoadX::Arguments{…}``,
        and its type. The name is empty if the alias names the arguments instead."""
        names = [token for token in given.of if token.is_name]
        if names[1:] and names[-1].text == "Arguments":
            scope = names[-3].text if names[2:] else ""
            alias = self.unit.aliases.get(self._meant(names[-2], source, scope))
            return None if alias is None else (alias.name, alias.type)
        if names:
            alias = self.unit.aliases.get(self._meant(names[-1], source))
            if alias is not None and alias.type.member == "Arguments":
                return "", replace(alias.type, member="")
        return None

    def layout(self, given: Given, source: Source) -> str | None:
        """The name of the layout of a value; None if it is no layout, or not known."""
        if isinstance(given, Braces):
            spelled = self._type_named(given.of, source).name if given.of else ""
        else:
            place = self._declared(given, source)
            spelled = self.unit.variables[place].type if place else ""
        named = re.search(r"layout::(\w+)", spelled)
        return named[1] if named else None

    def extents(self, given: Given, source: Source) -> tuple[str, str] | None:
        """The rows and the columns of a layout as they are written, without a suffix of 1; None if they are not
        written."""
        place = self._declared(given, source)
        if place is not None:
            source = self.unit.source(place)
            initial = source.initialiser(place[1])
            if initial is None:
                return None
            given = initial
        if not isinstance(given, Braces) or len(given.items) < 2:
            return None
        rows, columns = (re.sub(r"^1[uUlL]+$", "1", str(item)) for item in given.items[:2])
        return rows, columns

    def number(self, given: Given, source: Source, T: ElementType | None) -> Number | None:
        """A number of type ``T``: its value, or its name; None for anything else."""
        if isinstance(given, Braces):
            if not given.items:
                return 0
            return self.number(given.items[0], source, T) if len(given.items) == 1 else None
        return self._number(given.tokens, source, T)

    def _number(self, tokens: tuple[Token, ...], source: Source, T: ElementType | None) -> Number | None:
        first, last = tokens[0].text, tokens[-1].text
        if first == "-":
            value = self._number(tokens[1:], source, T) if tokens[1:] else None
            return replace(value, negative=not value.negative) if isinstance(value, Reference) else value and -value
        if len(tokens) == 1 and (literal := _literal(first)) is not None:
            return literal
        if last == ")" and "(" in (texts := [token.text for token in tokens]):
            opening = texts.index("(")
            return self._converted(tokens[:opening], tokens[opening + 1 : -1], source, T)
        return self._reference(tokens, source, T) if _is_name(tokens) else None

    def _converted(
        self, before: tuple[Token, ...], inside: tuple[Token, ...], source: Source, T: ElementType | None
    ) -> Number | None:
        """A number in parentheses: after a type, after ``static_cast``, or as the result of a function of constants."""
        names = [token.text for token in before]
        if inside and (not before or names[0] == "static_cast" or (len(names) == 1 and _kind(names[0]) == "number")):
            return self._number(inside, source, T)
        if names == ["__builtin_inff"]:
            return math.inf
        if "numeric_limits" in names and T is not None and T.kind == "float":
            return {"lowest": -T.largest, "max": T.largest, "infinity": math.inf}.get(names[-1])
        return None

    def _reference(self, tokens: tuple[Token, ...], source: Source, T: ElementType | None) -> Reference | None:
        name, place = tokens[-1].text, self._meant(tokens[-1], source)
        variable = self.unit.variables.get(place)
        if variable is None:
            return Reference(name)
        if _kind(variable.type) != "number":
            return None
        there = self.unit.source(place)
        given = there.initialiser(place[1])
        empty = given is None or (isinstance(given, Braces) and not given.items)
        default = None if empty or given is None else self.number(given, there, T)
        if isinstance(default, Reference):
            default = default.value if default.constant else None
        return Reference(name, default, constant=variable.is_constant and default is not None)

    def _declared(self, given: Given, source: Source) -> Place | None:
        """The variable that an expression names; None for anything else."""
        if isinstance(given, Braces) or not _is_name(given.tokens):
            return None
        place = self._meant(given.tokens[-1], source)
        return place if place in self.unit.variables else None

    def _meant(self, name: Token, source: Source, scope: str = "") -> Place:
        return self.unit.meant(source.file, name, scope) or ("", 0)

    def _type_named(self, names: Sequence[Token], source: Source) -> CppType:
        alias = self.unit.aliases.get(self._meant(names[-1], source))
        return alias.type if alias else CppType(str(Expression(tuple(names))))


def given_by(giver: Giver, unit: Unit) -> Given | None:
    """The initial value of a variable, or the result of a function."""
    source, offset = unit.source(giver.place), giver.place[1]
    if giver.is_function:
        return source.returned(offset, giver.end)
    initial = source.initialiser(offset)
    return initial if isinstance(initial, Braces) and initial.items else source.assigned(offset) or initial


def pointer_name(given: Given) -> str | None:
    """The name of the tensor at a pointer, without the words that say where it is: ``X`` of ``deviceX``, and of
    ``X_dev.data()``; None if it has none."""
    if isinstance(given, Braces):
        return None
    tokens = given.tokens
    if tokens[0].text in _CASTS:
        # What is cast stands in the parentheses.
        tokens = tokens[next((i for i, token in enumerate(tokens) if token.text == "("), 0) :]
    names = [
        token.text for token in tokens if token.is_name and token.text not in ("nullptr", "NULL", "this", "GM_ADDR")
    ]
    if [token.text for token in tokens[-2:]] == ["(", ")"] and len(names) > 1:
        names.pop()  # a function that gives the pointer of what it is a member of
    while len(names) > 1 and names[-1] in _PARTS:
        names.pop()
    return _STORED.sub("", _STORAGE.sub("", names[-1])) or names[-1] if names else None


def _is_name(tokens: Sequence[Token]) -> bool:
    """Whether it is a name, also of a member or in a namespace."""
    return tokens[-1].is_name and all(token.is_name or token.text in (".", "->", "::") for token in tokens)


def _kind(spelled: str) -> str | None:
    """The kind of a value of this type."""
    spelled = spelled.removeprefix("const ").removesuffix("&").strip()
    if spelled.endswith("*"):
        return "pointer"
    if re.match(r"(?:Catlass::)?layout::\w+|tla::Layout\b", spelled):
        return "layout"
    return "number" if _ARITHMETIC.fullmatch(spelled) else None


def _literal(text: str) -> float | int | None:
    if text in ("INFINITY", "HUGE_VALF"):
        return math.inf
    text = text.replace("'", "")
    whole = re.fullmatch(r"(0[xX][\da-fA-F]{1,40}|\d{1,40})[uUlL]*", text)
    if whole and not re.match(r"0\d*[89]", whole[1]):
        return int(whole[1], 16 if whole[1][:2] in ("0x", "0X") else 8 if re.match(r"0\d", whole[1]) else 10)
    number = re.fullmatch(r"((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)[fFlL]?", text)
    return float(number[1]) if number else None
