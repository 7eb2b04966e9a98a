"""The sections of the page, in the order in which a reader wants them: the important ones first."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ....pipeline.report import Subject
from ..html import Fragment
from . import (
    arguments,
    compare,
    graph,
    hazards,
    header,
    kernel,
    measured,
    over_k,
    results,
    spec,
    timeline,
    times,
    ub,
    verdict,
)

Section: TypeAlias = Callable[[Subject], Fragment | None]

SECTIONS: tuple[Section, ...] = (
    verdict.section,
    compare.section,
    over_k.section,
    spec.section,
    graph.section,
    arguments.section,
    timeline.section,
    times.section,
    measured.section,
    ub.section,
    results.section,
    hazards.section,
    kernel.section,
    header.section,
)
