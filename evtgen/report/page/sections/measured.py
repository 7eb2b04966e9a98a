"""What a device took, beside the clock."""

from __future__ import annotations

from ....pipeline.report import Subject
from ....system.translation import tr
from ...measurements import BESIDE, beside, took
from ..html import Fragment, table, tag


def section(subject: Subject) -> Fragment | None:
    """A line for each pipe; None if nothing was measured."""
    one = subject.profile
    if one is None or one.measured is None:
        return None
    note = tag("p", took(one, one.measured), class_="note")
    grid = table((tr("pipe"), *BESIDE), beside(one, one.measured), numbers=(1, 2, 3))
    return Fragment(tr("What a device took"), "measured", note + grid)
