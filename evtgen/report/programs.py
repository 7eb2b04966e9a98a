"""The end of a program on the CPU model."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..system.translation import tr
from ..system.words import number
from .console import note, wrapped
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
    found = tr("no hazards")
    if outcome.hazards:
        found = " ".join([number(errors, tr("{count} error{s} and")), number(rest, tr("{count} warning{s}"))])
    own = f"; {outcome.ascendc}" if outcome.ascendc else ""
    launches = tr("1 kernel launch") if outcome.launches == 1 else tr("{count} kernel launches", count=outcome.launches)
    kinds = sorted({_CORES[known.kind] for known in outcome.kinds})
    if kinds:
        launches = tr("{launches} on {cores}", launches=launches, cores=tr(" and on ").join(kinds))
    text = tr("CPU model: {launches}, {found}; exit status {status}; {compiler}{own}")
    lines.append(text.format(launches=launches, found=found, status=outcome.status, compiler=outcome.compiler, own=own))
    return lines


_CORES = {"vector": tr("vector cores"), "cube": tr("cube cores"), "mix": tr("both kinds of core")}


def _derived(outcome: Outcome) -> list[str]:
    """For each kernel that does not declare its kind of core, the kind that its calls show."""
    found = dict.fromkeys((known.kernel, known.kind) for known in outcome.kinds if known.source == "derived")
    text = tr("by its calls {kernel} runs on {cores}; --kind says otherwise")
    return [note(text.format(kernel=kernel, cores=_CORES[kind])) for kernel, kind in found]


def _once(outcome: Outcome) -> list[str]:
    """The buffers and flags that no core used again."""
    advice = tr("try more data, fewer blocks or --cores 1")
    text = not_again(outcome.stats.get("uses", ()))
    return [note(f"{text}; {advice}")] if text else []
