"""The room that text takes. It is set in a fixed pitch, whose width is known without a font."""

from __future__ import annotations

import unicodedata

LARGE, SMALL = 13.0, 11.0
"""Sizes of letters."""

PITCH = 0.61
"""The advance of a letter, of its size: the widest of the usual monospaced fonts has 0.602."""


def width(text: str, size: float) -> float:
    """The width of one line."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text) * PITCH * size


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters; what is too long loses its middle."""
    if len(text) <= most:
        return text
    head = (most - 1) // 2
    return f"{text[:head]}…{text[len(text) - (most - 1 - head) :]}"
