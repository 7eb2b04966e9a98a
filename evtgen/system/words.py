"""Numbers in words, in the English of reports and of generated comments."""

from __future__ import annotations


def counted(count: int, noun: str, nouns: str = "") -> str:
    """``1 buffer``, ``2 buffers``; ``nouns`` for a plural that has more than an s."""
    return f"{count} {noun if count == 1 else nouns or noun + 's'}"
