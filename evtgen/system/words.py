"""Numbers in words: in the English of generated comments, or in a reader's language."""

from __future__ import annotations


def counted(count: int, noun: str, nouns: str = "") -> str:
    """``1 buffer``, ``2 buffers``; ``nouns`` for a plural that has more than an s."""
    return f"{count} {noun if count == 1 else nouns or noun + 's'}"


def number(count: int, text: str) -> str:
    """A text with its ``{count}``, and with ``{s}`` for the ending of a plural, which only English has."""
    return text.format(count=count, s="" if count == 1 else "s")
