"""What matters first: is it right, has it hazards, how long does it take."""

from __future__ import annotations

from ...pipeline.subjects import Subject
from ..html import Fragment, tag


def section(subject: Subject) -> Fragment:
    """The verdict on an epilogue."""
    return Fragment("Verdict", "verdict", tag("p", subject.name), lead=True)
