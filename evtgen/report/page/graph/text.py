"""The room that text takes. The font has a fixed pitch, so the width is known without it."""

from __future__ import annotations

from ....system.columns import columns

LARGE, SMALL = 13.0, 11.0
"""Sizes of letters."""

PITCH = 0.61
"""The advance of a letter as a share of its size: the widest of the usual monospaced fonts has 0.602."""


def width(text: str, size: float) -> float:
    """The width of one line."""
    return columns(text) * PITCH * size


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters; a longer text loses its middle."""
    if len(text) <= most:
        return text
    head = (most - 1) // 2
    return f"{text[:head]}…{text[len(text) - (most - 1 - head) :]}"
