"""The end of a program on the CPU model."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..system.words import counted
from .console import wrapped
from .measurements import launches
from .verification import hazard_text

if TYPE_CHECKING:
    from ..pipeline.program import Outcome


def outcome(ended: Outcome) -> None:
    """Print a paragraph per finding and a closing line, on stderr: stdout is the program's own."""
    if ended.profile:
        launches(ended.profile)
    for line in describe(ended):
        print(wrapped(line, sys.stderr), file=sys.stderr)


def describe(outcome: Outcome) -> list[str]:
    """The report for people: one paragraph per finding, and a closing line."""
    lines = [hazard_text(hazard) for hazard in outcome.hazards]
    lines += [*outcome.warnings, *(f"note: {note}" for note in outcome.notes)]
    errors = sum(hazard.get("severity") == "error" for hazard in outcome.hazards)
    rest = len(outcome.hazards) - errors
    found = f"{counted(errors, 'error')} and {counted(rest, 'warning')}" if outcome.hazards else "no hazards"
    own = f"; {outcome.ascendc}" if outcome.ascendc else ""
    launches = counted(outcome.launches, "kernel launch", "kernel launches")
    lines.append(f"CPU model: {launches}, {found}; exit status {outcome.status}; {outcome.compiler}{own}")
    return lines
