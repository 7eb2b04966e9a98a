"""What host code gives nodes: pointers with their names, layouts, numbers and the arguments of other nodes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...graph.types import ElementType
from .clang import Giver, Place, Unit
from .text import Braces, Expression, Given, Source, Token

_CASTS = ("static_cast", "reinterpret_cast", "const_cast")
_ARITHMETIC = re.compile(
    r"(?:unsigned |signed )?(?:char|short|int|long|float|double|bool|long long)|half|bfloat16_t|__fp16|_Float16"
)
_STORAGE = re.compile(r"^(?:device|dev|gm|tensor|ptr|addr|d)_?(?=[A-Z0-9])|^(?:device|dev|gm|ptr|d)_(?=\w)|^p(?=[A-Z])")
_STORED = re.compile(r"(?<=\w)_?(?:Device|Dev|Gm|GM|Ptr|Addr)$|_(?:device|dev|gm|ptr|addr)$")
_PARTS = ("device", "data", "get", "ptr", "addr", "dev")


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
    default: float | int | None
    negative: bool
    constant: bool


class Values:
    """What the names of a file's host code are."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.givers = {giver.place: giver for giver in unit.givers}

    def declared(self, given: Given, source: Source) -> tuple[Place, str] | None:
        """The variable that an expression names, and its type; None for anything else."""
        if isinstance(given, Braces) or not _is_name(given.tokens):
            return None
        place = self.unit.named.get((source.file, given.tokens[-1].offset))
        return None if place is None or place not in self.unit.values else (place, self.unit.values[place])

    def followed(self, given: Given, source: Source) -> tuple[Given, Source]:
        """The braces that a variable with arguments of a node or a graph was given, in place of its name."""
        found = self.declared(given, source)
        if found is None or found[0] not in self.givers:
            return given, source
        there = self.unit.source(found[0])
        initial = given_by(self.givers[found[0]], self.unit)
        return (given, source) if initial is None else (initial, there)

    def kind(self, given: Given, source: Source) -> str | None:  # noqa: PLR0911
        """``"pointer"``, ``"layout"``, ``"number"``, ``"arguments"`` or ``"braces"``; None if that cannot be told."""
        if isinstance(given, Braces):
            if not given.of:
                return "braces"
            last = given.of[-1].text
            return "arguments" if last == "Arguments" else _kind(self._type_named(given.of, source))
        tokens = given.tokens
        if tokens[-1].text == "nullptr" and len(tokens) == 1:
            return "pointer"
        if tokens[0].text == "reinterpret_cast" or "&" in (tokens[0].text,):
            return "pointer"
        if isinstance(self.number(given, source, None), float | int):
            return "number"
        found = self.declared(given, source)
        if found is None:
            return None
        return "arguments" if found[0] in self.givers else _kind(found[1])

    def _type_named(self, names: Sequence[Token], source: Source) -> str:
        place = self.unit.named.get((source.file, names[-1].offset))
        alias = self.unit.aliases.get(place) if place else None
        return alias.type.name if alias else Expression(tuple(names)).__str__()

    def layout(self, given: Given, source: Source) -> str | None:
        """The layout that a value has, by its name; None if it is none, or cannot be told."""
        if isinstance(given, Braces):
            spelled = self._type_named(given.of, source) if given.of else ""
        else:
            found = self.declared(given, source)
            spelled = found[1] if found else ""
        named = re.search(r"layout::(\w+)", spelled)
        return named[1] if named else None

    def extents(self, given: Given, source: Source) -> tuple[str, str] | None:
        """The rows and the columns of a layout, as they are written; None if they are not."""
        found = self.declared(given, source)
        if found is not None:
            source = self.unit.source(found[0])
            given_ = source.initialiser(found[0][1])
            if given_ is None:
                return None
            given = given_
        if not isinstance(given, Braces) or len(given.items) < 2:
            return None
        rows, columns = (str(item) if isinstance(item, Expression) else "" for item in given.items[:2])
        return rows, columns

    def number(
        self, given: Given, source: Source, T: ElementType | None
    ) -> float | int | Reference | None:
        """The number that is given: its value, or its name; None for anything else. ``T`` is the type that it has."""
        if isinstance(given, Braces):
            items = given.items
            return self.number(items[0], source, T) if len(items) == 1 else 0 if not items else None
        return self._number(given.tokens, source, T)

    def _number(  # noqa: PLR0911
        self, tokens: tuple[Token, ...], source: Source, T: ElementType | None
    ) -> float | int | Reference | None:
        first, last = tokens[0].text, tokens[-1].text
        if first in "+-":
            return _negated(self._number(tokens[1:], source, T)) if tokens[1:] and first == "-" else None
        if len(tokens) == 1 and (literal := _literal(first)) is not None:
            return literal
        if "numeric_limits" in (token.text for token in tokens[:3]):
            name = next((token.text for token in tokens if token.text in _LIMITS), "")
            if not name or T is None or T.kind != "float":
                return None
            return {"lowest": -T.largest, "max": T.largest, "infinity": float("inf")}[name]
        if last == ")":
            opening = next((i for i, token in enumerate(tokens) if token.text == "("), 0)
            before = tokens[:opening]
            converts = not before or before[0].text == "static_cast" or (len(before) == 1 and _kind(first) == "number")
            if converts and tokens[opening + 1 : -1]:
                return self._number(tokens[opening + 1 : -1], source, T)
            if first == "__builtin_inff":
                return float("inf")
        if _is_name(tokens):
            return self._reference(tokens, source, T)
        return None

    def _reference(self, tokens: tuple[Token, ...], source: Source, T: ElementType | None) -> Reference | None:
        place = self.unit.named.get((source.file, tokens[-1].offset))
        if place is None or place not in self.unit.values:
            return Reference(tokens[-1].text, None, False, False)
        if _kind(self.unit.values[place]) != "number":
            return None
        there = self.unit.source(place)
        given = there.initialiser(place[1])
        empty = isinstance(given, Braces) and not given.items
        default = None if given is None or empty else self.number(given, there, T)
        constant = place in self.unit.constants
        if isinstance(default, Reference):
            default = default.default if default.constant else None
        return Reference(tokens[-1].text, default, False, constant and default is not None)


def given_by(giver: Giver, unit: Unit) -> Given | None:
    """What a variable is given, or what a function returns."""
    source, offset = unit.source(giver.place), giver.place[1]
    if giver.is_function:
        return source.returned(offset, giver.end)
    initial = source.initialiser(offset)
    return initial if isinstance(initial, Braces) and initial.items else source.assigned(offset) or initial


def pointer_name(given: Given) -> str | None:
    """The name of the tensor at a pointer, without the words that say where it is: ``X`` of ``deviceX``, of
    ``X_dev.data()``; None if it has none."""
    if isinstance(given, Braces):
        return None
    names = [token.text for token in given.tokens if token.is_name and token.text not in (*_CASTS, "nullptr", "this")]
    if any(token.text in _CASTS for token in given.tokens):
        # What is cast stands in the parentheses.
        opening = next((i for i, token in enumerate(given.tokens) if token.text == "("), 0)
        names = [token.text for token in given.tokens[opening:] if token.is_name]
    while len(names) > 1 and names[-1] in _PARTS:
        names.pop()
    if not names:
        return None
    name = names[-1]
    return _STORED.sub("", _STORAGE.sub("", name)) or name


def _is_name(tokens: Sequence[Token]) -> bool:
    """Whether it is a name, perhaps of a member or in a namespace."""
    return tokens[-1].is_name and all(token.is_name or token.text in (".", "->", "::") for token in tokens)


def _kind(spelled: str) -> str | None:
    spelled = spelled.removeprefix("const ").removesuffix("&").strip()
    if spelled.endswith("*"):
        return "pointer"
    if re.match(r"(?:Catlass::)?layout::\w+|tla::Layout\b", spelled):
        return "layout"
    return "number" if _ARITHMETIC.fullmatch(spelled) else None


_LIMITS = ("lowest", "max", "infinity")


def _literal(text: str) -> float | int | None:
    if text in ("INFINITY", "HUGE_VALF"):
        return float("inf")
    digits = re.fullmatch(r"(0[xX][\da-fA-F]+|\d+)[uUlL]*", text.replace("'", ""))
    if digits:
        return int(digits[1], 0) if not re.fullmatch(r"0\d+", digits[1]) else int(digits[1], 8)
    number = re.fullmatch(r"((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)[fFlL]?", text)
    return float(number[1]) if number else None


def _negated(value: float | int | Reference | None) -> float | int | Reference | None:
    if isinstance(value, Reference):
        return Reference(value.name, value.default, not value.negative, value.constant)
    return None if value is None else -value
