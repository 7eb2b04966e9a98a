"""Initialisers in a file of C++: braces, what is in them, and where it stands.

What a name means is none of its business; see :mod:`.clang`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from ...graph.location import Location

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_ENDS = (",", "}", ";", ")", "")
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
    """Initialisers in braces; ``of`` is the type before them."""

    items: tuple[Braces | Expression, ...]
    line: int
    of: tuple[Token, ...] = ()

    def __str__(self) -> str:
        return f"{Expression(self.of) if self.of else ''}{{{', '.join(map(str, self.items))}}}"


Given = Braces | Expression


@dataclass(frozen=True)
class Using:
    """``using NAME = TYPE;``

    Attributes:
        name: the token of NAME.
        type: the tokens of TYPE, up to the semicolon.
    """

    name: Token
    type: Sequence[Token]

    @property
    def head(self) -> str:
        """The last name before the arguments of a template."""
        return next((t.text for t in reversed([*takewhile(lambda t: t.text != "<", self.type)]) if t.is_name), "")

    @property
    def lines(self) -> range:
        return range(self.name.line, max(token.line for token in (self.name, *self.type[-1:])) + 1)


class Source:
    """A file of C++.

    Attributes:
        file: its path.
        text: its bytes.
        tokens: without comments.
    """

    def __init__(self, file: str, text: bytes) -> None:
        self.file, self.text = file, text
        self.tokens: list[Token] = []

    def location(self, line: int) -> Location:
        return Location(self.file, line)

    def usings(self) -> Iterator[Using]:
        """All aliases that are no templates."""
        for at in range(len(self.tokens)):
            if self._text(at) == "using" and self._text(at + 2) == "=" and self._text(at - 1) != ">":
                end = next((i for i in range(at, len(self.tokens)) if self._text(i) == ";"), len(self.tokens))
                yield Using(self.tokens[at + 1], self.tokens[at + 3 : end + 1])

    def initialiser(self, offset: int) -> Given | None:
        """The initialiser of the variable or field with its name at an offset: ``{…}``, ``= {…}`` or ``= …``."""
        at = self._at(offset) + 1
        if self._text(at) not in ("=", "{"):
            return None
        return self._item(at + (self._text(at) == "="))[0]

    def assigned(self, offset: int) -> Given | None:
        """The first braces that are assigned to the variable with its name at an offset."""
        at = self._at(offset)
        name = self._text(at)
        for index in range(at + 1, len(self.tokens) - 2):
            if [self._text(index + i) for i in range(3)] == [name, "=", "{"]:
                return self._item(index + 2)[0]
        return None

    def returned(self, start: int, end: int) -> Given | None:
        """The braces that a function between two offsets returns."""
        returns = (index for index in range(self._at(start), self._at(end)) if self._text(index) == "return")
        items = (self._item(index + 1)[0] for index in returns)
        return next((given for given in items if isinstance(given, Braces)), None)

    def _at(self, offset: int) -> int:
        """The index of the first token from an offset on."""
        return bisect_left(self.tokens, offset, key=lambda token: token.offset)

    def _text(self, at: int) -> str:
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def _closing(self, at: int) -> int:
        """The index of the bracket that closes the one at an index; the last index if none does."""
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
        """An initialiser, and the index of the token that ends it."""
        start = at
        while self._text(at) not in _ENDS:
            text = self._text(at)
            if text == "{" and all(t.is_name or t.text in ("::", "<", ">", ",") for t in self.tokens[start:at]):
                end = self._closing(at)
                if self._text(end + 1) in _ENDS:
                    return Braces(self._items(at, end), self.tokens[start].line, tuple(self.tokens[start:at])), end + 1
            if text in _CLOSING:
                at = self._closing(at)
            elif text == "<" and self.tokens[at - 1].is_name:
                at = self._angle(at)
            at += 1
        return Expression(tuple(self.tokens[start : max(at, start + 1)] or self.tokens[-1:])), at

    def _angle(self, at: int) -> int:
        """The index of the ``>`` that closes a ``<``, if it opens the arguments of a template; else the same index."""
        depth = 0
        for index in range(at, min(at + 200, len(self.tokens))):
            text = self._text(index)
            depth += (text == "<") - (text == ">")
            if text in (";", "{", "}"):
                break
            if not depth:
                return index if self._text(index + 1) in ("(", "{", "::") else at
        return at

    def _items(self, opening: int, closing: int) -> tuple[Given, ...]:
        """The initialisers between two braces."""
        items, at = [], opening + 1
        while at < closing:
            item, at = self._item(at)
            items.append(item)
            at += 1
        return tuple(items)
