"""The sections of the page, in the order in which a reader wants them: what matters first."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ...pipeline.subjects import Subject
from ..html import Fragment
from . import arguments, hazards, header, results, timeline, times, verdict

Section: TypeAlias = Callable[[Subject], Fragment | None]

SECTIONS: tuple[Section, ...] = (
    verdict.section,
    arguments.section,
    timeline.section,
    times.section,
    results.section,
    hazards.section,
    header.section,
)
