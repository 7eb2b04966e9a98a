"""Numbers in words, in the English of reports and of generated comments."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """``1 buffer``, ``2 buffers``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
