"""The table of diagnostics: every code with its title, its explanation and, for rules of the graph, its function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..ir import Location
from .diagnostics import Diagnostic, EvtgenError
from .facts import Facts, Finding

RuleFunction = Callable[[Facts], Iterator[Finding]]


@dataclass(frozen=True)
class Rule:
    """One row of the table.

    Attributes:
        code: the stable code.
        title: a few words.
        explanation: what it means, why it is a rule and what to do; Markdown.
        severity: ``"error"`` or ``"warning"``.
        function: yields the findings in a graph; None for what is found elsewhere (reading specs, writing files).
    """

    code: str
    title: str
    explanation: str
    severity: str = "error"
    function: RuleFunction | None = None

    def diagnostic(self, finding: Finding) -> Diagnostic:
        """The finding under this rule's code."""
        location = finding.location if isinstance(finding.location, Location) else None
        return Diagnostic(self.code, self.severity, finding.message, location, finding.help)

    def __call__(self, message: str, location: Location | None = None, help: str | None = None) -> Diagnostic:
        """A diagnostic under this rule's code."""
        return Diagnostic(self.code, self.severity, message, location, help)

    def error(
        self, message: str, location: Location | None = None, help: str | None = None, status: int = 2
    ) -> EvtgenError:
        """The exception that carries one diagnostic under this rule's code."""
        return EvtgenError(self(message, location, help), status)


TABLE: dict[str, Rule] = {}
"""Every code that was declared, in no particular order."""


def declare(
    code: str, title: str, explanation: str, severity: str = "error", function: RuleFunction | None = None
) -> Rule:
    """Add a row to the table. Each code exists once."""
    if code in TABLE:
        raise ValueError(f"{code} is declared twice")
    rule = Rule(code, title, inspect.cleandoc(explanation), severity, function)
    TABLE[code] = rule
    return rule


def rule(code: str, title: str, severity: str = "error") -> Callable[[RuleFunction], RuleFunction]:
    """Declare a rule of the graph; the function's docstring is its explanation."""

    def register(function: RuleFunction) -> RuleFunction:
        declare(code, title, function.__doc__ or "", severity, function)
        return function

    return register
