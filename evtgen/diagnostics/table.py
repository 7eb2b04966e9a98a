"""The table of diagnostics: every code, declared once, with its title and its explanation.

``declare`` is the only way to add a code. A code is reported through the :class:`Code` that ``declare`` returns, so
its severity cannot differ from the table.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from ..graph.location import Location
from .diagnostic import WRONG_INPUT, Diagnostic, EvtgenError, Severity


@dataclass(frozen=True)
class Code:
    """One row of the table.

    Attributes:
        code: ``EVT`` and three digits; never changes its meaning.
        title: a few words.
        explanation: its meaning, the reason for the rule and the remedy; Markdown.
        severity: an error stops the command.
        status: the exit status of a command that it stops: 2 wrong input, 3 environment.
    """

    code: str
    title: str
    explanation: str
    severity: Severity = Severity.ERROR
    status: int = WRONG_INPUT

    def __call__(self, message: str, location: Location | None = None, help: str | None = None) -> Diagnostic:
        """A diagnostic under this code."""
        return Diagnostic(self.code, self.severity, message, location, help)

    def error(
        self, message: str, location: Location | None = None, help: str | None = None, status: int | None = None
    ) -> EvtgenError:
        """The exception that carries one diagnostic under this code."""
        return EvtgenError(self(message, location, help), self.status if status is None else status)


TABLE: dict[str, Code] = {}
"""Every code that was declared, in no particular order."""


def declare(
    code: str, title: str, explanation: str, severity: Severity = Severity.ERROR, status: int = WRONG_INPUT
) -> Code:
    """Add a row to the table. Raises ValueError when the code exists already."""
    if code in TABLE:
        raise ValueError(f"{code} is declared twice")
    TABLE[code] = Code(code, title, inspect.cleandoc(explanation), severity, status)
    return TABLE[code]
