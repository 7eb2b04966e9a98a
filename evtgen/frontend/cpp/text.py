"""C++ as text: where a type and its parts, and braces and what is in them, stand in a file.

What a name means is none of its business; see :mod:`.clang`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ...graph.location import Location

_TOKEN = re.compile(
    rb"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/|\\\r?\n)
    | (?P<raw>R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)")
    | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    | (?P<number>\.?\d(?:[eEpP][-+]|'?[\w.])*)
    | (?P<name>[A-Za-z_]\w*)
    | ::|->|.""",
    re.VERBOSE | re.DOTALL,
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_SKIPPED = ("typename", "template", "const", "struct", "class")
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Token:
    """A token of C++; ``offset`` counts bytes of the file, ``line`` from 1."""

    text: str
    offset: int
    line: int

    @property
    def is_name(self) -> bool:
        return _NAME.fullmatch(self.text) is not None


@dataclass(frozen=True)
class Written:
    """A type, or another argument of a template, as it is written.

    Attributes:
        names: of a qualified name, the names; empty for anything else, such as an expression.
        args: the arguments that are written behind its last name.
        line: where it begins.
    """

    names: tuple[Token, ...]
    args: tuple[Written, ...]
    line: int

    @property
    def last(self) -> Token | None:
        """The last name, which says what it is."""
        return self.names[-1] if self.names else None


@dataclass(frozen=True)
class Expression:
    """An initialiser that is not in braces."""

    tokens: tuple[Token, ...]

    @property
    def line(self) -> int:
        return self.tokens[0].line

    def __str__(self) -> str:
        text = ""
        for token in self.tokens:
            apart = text and token.text[0] not in ").,;:[(<>-" and text[-1] not in "(:.[<>-{"
            text += " " * bool(apart) + token.text
        return text


@dataclass(frozen=True)
class Braces:
    """Initialisers in braces; ``of`` is the type that is written before them."""

    items: tuple[Braces | Expression, ...]
    line: int
    of: tuple[Token, ...] = ()

    def __str__(self) -> str:
        return f"{Expression(self.of) if self.of else ''}{{{', '.join(map(str, self.items))}}}"


Given = Braces | Expression


class Source:
    """A file of C++."""

    def __init__(self, file: str, text: bytes) -> None:
        self.file = file
        self.text = text

    @cached_property
    def tokens(self) -> list[Token]:
        """Its tokens, without comments."""
        tokens, line, last = [], 1, 0
        for found in _TOKEN.finditer(self.text):
            if found.lastgroup != "skip":
                line += self.text.count(b"\n", last, found.start())
                last = found.start()
                tokens.append(Token(found[0].decode(errors="replace"), last, line))
        return tokens

    @cached_property
    def _offsets(self) -> list[int]:
        return [token.offset for token in self.tokens]

    def at(self, offset: int) -> int:
        """The index of the first token from an offset on."""
        return bisect_left(self._offsets, offset)

    def location(self, line: int) -> Location:
        return Location(self.file, line)

    def aliased(self, offset: int) -> Written:
        """The type that an alias stands for, whose name is at an offset."""
        at = self.at(offset) + 1
        if self._text(at) == "=":
            return self._type(at + 1)[0]
        while at > 0 and self._text(at) not in ("typedef", ";", "{", "}"):
            at -= 1
        return self._type(at + 1)[0]

    def alias_names(self) -> Iterator[Token]:
        """The names that ``using NAME = …`` declares, but not those of templates."""
        for index, token in enumerate(self.tokens):
            if token.text == "using" and self._text(index + 2) == "=" and self._text(index - 1) != ">":
                yield self.tokens[index + 1]

    def first_arguments(self, template: str) -> Iterator[tuple[str, ...]]:
        """The names in the first argument of each use of a template."""
        for index, token in enumerate(self.tokens):
            if token.text == template and self._text(index + 1) == "<":
                first, _ = self._type(index + 2)
                if first.names:
                    yield tuple(name.text for name in first.names)

    def end_line(self, offset: int) -> int:
        """The line where the declaration ends that has a name at an offset."""
        at = self.at(offset)
        while self._text(at) not in (";", ""):
            at += 1
        return self.tokens[min(at, len(self.tokens) - 1)].line

    def initialiser(self, offset: int) -> Given | None:
        """What the variable or field is given whose name is at an offset: ``{…}``, ``= {…}`` or ``= …``."""
        at = self.at(offset) + 1
        if self._text(at) == "=":
            at += 1
        elif self._text(at) != "{":
            return None
        return self._item(at)[0]

    def assigned(self, offset: int) -> Given | None:
        """What the first assignment of braces gives the variable whose name is at an offset."""
        at = self.at(offset)
        name = self._text(at)
        for index in range(at + 1, len(self.tokens) - 2):
            if [self._text(index + i) for i in range(3)] == [name, "=", "{"]:
                return self._item(index + 2)[0]
        return None

    def returned(self, start: int, end: int) -> Given | None:
        """What a function returns in braces, which is between two offsets."""
        for index in range(self.at(start), self.at(end)):
            if self._text(index) == "return":
                given, _ = self._item(index + 1)
                if isinstance(given, Braces):
                    return given
        return None

    def _text(self, at: int) -> str:
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def _type(self, at: int) -> tuple[Written, int]:
        """A type, up to what ends it, and the index of that."""
        line = self.tokens[at].line if at < len(self.tokens) else 0
        names: list[Token] = []
        args: list[Written] = []
        plain = True
        while self._text(at) not in (",", ">", ";", ")", "}", ""):
            token = self.tokens[at]
            if token.is_name and token.text not in _SKIPPED:
                # A second name is that of a typedef, or of something that is no type.
                if names and self._text(at - 1) != "::":
                    plain = plain and self._text(at + 1) == ";"
                    break
                plain = plain and not args
                names.append(token)
            elif token.text == "<" and names:
                at += 1
                while self._text(at) not in (">", ";", ""):
                    if self._text(at) == ",":
                        at += 1
                    argument, at = self._type(at)
                    args.append(argument)
                    if self._text(at) in (")", "}"):
                        return Written((), (), line), at
            elif token.text in _CLOSING:
                plain, at = False, self._closing(at)
            else:
                plain = plain and token.text in ("::", *_SKIPPED)
            at += 1
        return Written(tuple(names) if plain else (), tuple(args) if plain else (), line), at

    def _closing(self, at: int) -> int:
        """The index of the bracket that closes the one at an index; of the end where none does."""
        stack = []
        for index in range(at, len(self.tokens)):
            text = self._text(index)
            if text in _CLOSING:
                stack.append(_CLOSING[text])
            elif stack and text == stack[-1]:
                stack.pop()
                if not stack:
                    return index
        return len(self.tokens) - 1

    def _item(self, at: int) -> tuple[Given, int]:
        """An initialiser, and the index of what ends it."""
        start = at
        while self._text(at) not in (",", "}", ";", ")", ""):
            text = self._text(at)
            if text == "{" and all(t.is_name or t.text in ("::", "<", ">", ",") for t in self.tokens[start:at]):
                end = self._closing(at)
                if self._text(end + 1) in (",", "}", ";", ")", ""):
                    braces = self._braces(at, end)
                    return Braces(braces, self.tokens[start].line, tuple(self.tokens[start:at])), end + 1
            if text in _CLOSING:
                at = self._closing(at)
            elif text == "<" and self.tokens[at - 1].is_name:
                at = self._angle(at)
            at += 1
        return Expression(tuple(self.tokens[start : max(at, start + 1)] or self.tokens[-1:])), at

    def _angle(self, at: int) -> int:
        """The index of the ``>`` that closes a ``<``, if it opens the arguments of a template; else of itself."""
        depth = 0
        for index in range(at, min(at + 200, len(self.tokens))):
            text = self._text(index)
            depth += (text == "<") - (text == ">")
            if text in (";", "{", "}"):
                break
            if not depth:
                return index if self._text(index + 1) in ("(", "{", "::") else at
        return at

    def _braces(self, opening: int, closing: int) -> tuple[Given, ...]:
        items, at = [], opening + 1
        while at < closing:
            item, at = self._item(at)
            items.append(item)
            at += 1
        return tuple(items)
