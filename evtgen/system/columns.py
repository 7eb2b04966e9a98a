"""Columns of a terminal: how wide text is there, and its lines broken. Chinese characters take two."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from itertools import accumulate

_WIDE = "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6"
_OPENING, _CLOSING = r"（《「(\[", r"，。；：、！？）》」…)\]"
_PARTS = re.compile(rf"\s+|\[[{_WIDE}]+\]|[{_OPENING}]*(?:[{_WIDE}]|[^\s{_WIDE}]+)[{_CLOSING}]*|\S")
"""What stays in one line: a word, words in brackets, or a Chinese character with the punctuation beside it."""


def columns(text: str) -> int:
    """The columns that a text takes."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def padded(text: str, width: int) -> str:
    """A text with blanks behind it, up to so many columns."""
    return text + " " * (width - columns(text))


def cut(text: str, width: int) -> str:
    """As much of a text as so many columns have room for, with an ellipsis where something is missing."""
    if columns(text) <= width:
        return text
    ends = accumulate(map(columns, text))
    return text[: sum(end < width for end in ends)] + "…"


def broken(text: str, width: int, indent: str = "", first: str = "") -> list[str]:
    """The lines of a text, broken between words; no word is. What is behind the first is indented."""
    return _Wrapper(
        width, initial_indent=first, subsequent_indent=indent, break_long_words=False, replace_whitespace=False,
        expand_tabs=False,
    ).wrap(text)  # fmt: skip


class _Part(str):
    """A part whose length is its width."""

    __slots__ = ()

    def __len__(self) -> int:
        return columns(str(self))


class _Wrapper(textwrap.TextWrapper):
    """Measures in columns."""

    def _split(self, text: str) -> list[str]:
        return [_Part(part) for part in _PARTS.findall(text)]
