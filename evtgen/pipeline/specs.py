"""Specs, loaded and checked: the first step of every command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..check import check, has_errors
from ..diagnostics import files as codes
from ..diagnostics.diagnostic import Diagnostic, EvtgenError
from ..graph.ir import Epilogue
from ..system.translation import tr

if TYPE_CHECKING:
    from ..planner.plan import Plan


@dataclass(frozen=True)
class Spec:
    """A spec file and the epilogues in it, in order of definition."""

    path: Path
    epilogues: tuple[Epilogue, ...]


@dataclass
class Checked:
    """Specs that were loaded and checked, and their diagnostics."""

    specs: list[Spec] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether no diagnostic is an error."""
        return not has_errors(self.diagnostics)

    @property
    def epilogues(self) -> list[Epilogue]:
        """The epilogues of all specs, in order."""
        return [epilogue for spec in self.specs for epilogue in spec.epilogues]

    def require(self) -> Checked:
        """Itself. Raises EvtgenError with every diagnostic if one is an error."""
        if not self.ok:
            raise EvtgenError(self.diagnostics, 2)
        return self


def load_and_check(paths: Sequence[Path]) -> Checked:
    """Load every spec and check every epilogue. Every fault of a spec, failure to load included, is a diagnostic."""
    from ..frontend.load import load

    result = Checked()
    # A spec that is named twice counts once.
    for path in dict.fromkeys(paths):
        try:
            epilogues = tuple(load([path]))
        except EvtgenError as error:
            result.diagnostics += error.diagnostics
            continue
        result.specs.append(Spec(path, epilogues))
        for epilogue in epilogues:
            result.diagnostics += check(epilogue)
    result.diagnostics += _clashes(result.epilogues)
    return result


def in_catlass(epilogues: Iterable[Epilogue]) -> list[Diagnostic]:
    """The reasons (EVT175) why Catlass's own visitor framework cannot express epilogues in which no error is found."""
    from ..planner import evg
    from ..planner.plan import lower

    return [problem for epilogue in epilogues for problem in evg.refusals(lower(epilogue))]


def expressible(plans: Iterable[Plan]) -> None:
    """Raises EvtgenError (EVT175) unless Catlass's own visitor framework can express every plan."""
    from ..planner import evg

    if problems := [problem for plan in plans for problem in evg.refusals(plan)]:
        raise EvtgenError(problems)


def _clashes(epilogues: Sequence[Epilogue]) -> list[Diagnostic]:
    """EVT083: epilogues that would be written to one header."""
    # Some file systems ignore case.
    counts = Counter(str(epilogue.name).lower() for epilogue in epilogues)
    first: dict[str, str] = {}
    problems = []
    for epilogue in epilogues:
        name, lower = str(epilogue.name), str(epilogue.name).lower()
        if lower not in first:
            first[lower] = name
            continue
        if name == first[lower]:
            message = tr(
                "{name} is the name of {counts} epilogues; each writes {name}.hpp", name=name, counts=counts[lower]
            )
        else:
            message = tr(
                "{name}.hpp and {first}.hpp differ only in case and would be one file on some systems",
                name=name,
                first=first[lower],
            )
        help_ = tr("give it another name=, or build the specs into different directories")
        problems.append(codes.SAME_NAME(message, epilogue.location, help_))
    return problems
