"""The arguments by name, as host code gives them."""

from __future__ import annotations

from ...pipeline.subjects import Subject
from ..html import Fragment, table


def section(subject: Subject) -> Fragment:
    """The tensors and scalars in the order of ``EVT::Arguments``."""
    rows = [(tensor["name"], tensor["dtype"], " x ".join(tensor["shape"])) for tensor in subject.described["tensors"]]
    return Fragment("Arguments", "arguments", table(("name", "type", "shape"), rows))
