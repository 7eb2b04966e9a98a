"""The end of a program on the CPU model."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..system.translation import tr
from ..system.words import counted
from .console import wrapped
from .measurements import launches
from .uses import not_again
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
    lines += [*outcome.warnings, *_derived(outcome), *_once(outcome)]
    errors = sum(hazard.get("severity") == "error" for hazard in outcome.hazards)
    rest = len(outcome.hazards) - errors
    found = f"{counted(errors, 'error')} and {counted(rest, 'warning')}" if outcome.hazards else "no hazards"
    own = f"; {outcome.ascendc}" if outcome.ascendc else ""
    launches = counted(outcome.launches, "kernel launch", "kernel launches")
    kinds = sorted({_CORES[known.kind] for known in outcome.kinds})
    on = f" on {' and on '.join(kinds)}" if kinds else ""
    lines.append(f"CPU model: {launches}{on}, {found}; exit status {outcome.status}; {outcome.compiler}{own}")
    return lines


_CORES = {"vector": "vector cores", "cube": "cube cores", "mix": "both kinds of core"}


def _derived(outcome: Outcome) -> list[str]:
    """For each kernel that does not declare its kind of core, the kind that its calls show."""
    found = dict.fromkeys((known.kernel, known.kind) for known in outcome.kinds if known.source == "derived")
    return [f"note: by its calls {kernel} runs on {_CORES[kind]}; --kind says otherwise" for kernel, kind in found]


def _once(outcome: Outcome) -> list[str]:
    """The buffers and flags that no core used again."""
    advice = tr("try more data, fewer blocks or --cores 1")
    text = not_again(outcome.stats.get("uses", ()))
    return [f"note: {text}; {advice}"] if text else []
