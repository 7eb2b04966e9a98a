"""The emitted header."""

from __future__ import annotations

from ...emit.places import epilogue_path
from ...pipeline.subjects import Subject
from ..html import Fragment, tag


def section(subject: Subject) -> Fragment:
    """The header of an epilogue as it is emitted."""
    path = epilogue_path(subject.name)
    return Fragment("Emitted header", "header", tag("div", tag("pre", subject.headers[path]), class_="wide"))
