"""The table of diagnostics: every code, declared once, with its title, its explanation and its messages.

``declare`` is the only way to add a code. A code is reported through the :class:`Code` that ``declare`` returns, so
its severity cannot differ from the table.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ..graph.location import Location, caller
from ..system.translation import tr
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
        says: its messages and their helps, with fields in braces, by the case that each is for; "" for the only one.
    """

    code: str
    title: str
    explanation: str
    severity: Severity = Severity.ERROR
    status: int = WRONG_INPUT
    says: Mapping[str, tuple[str, str | None]] = field(default_factory=dict, hash=False)

    def of(
        self, when: str = "", at: Location | None = None, *, help: str | None = None, **fields: object
    ) -> Diagnostic:
        """A diagnostic in declared words, with values for their fields; ``help`` in place of the declared one."""
        text, advice = self.says[when]
        help = help or (advice and tr(advice).format(**fields))
        return Diagnostic(self.code, self.severity, tr(text).format(**fields), at, help, when)

    def refusal(
        self, when: str = "", at: Location | None = None, *, help: str | None = None, **fields: object
    ) -> EvtgenError:
        """The exception that carries the diagnostic :meth:`of` the same arguments."""
        return EvtgenError(self.of(when, at, help=help, **fields), self.status)

    def here(self, when: str = "", *, help: str | None = None, **fields: object) -> EvtgenError:
        """The same at the user's line that called evtgen."""
        return self.refusal(when, caller(), help=help, **fields)

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
    code: str,
    title: str,
    explanation: str,
    severity: Severity = Severity.ERROR,
    *,
    status: int = WRONG_INPUT,
    says: Mapping[str, tuple[str, str | None]] = MappingProxyType({}),
) -> Code:
    """Add a row to the table. Raises ValueError when the code exists already."""
    if code in TABLE:
        raise ValueError(f"{code} is declared twice")
    TABLE[code] = Code(code, title, inspect.cleandoc(explanation), severity, status, says)
    return TABLE[code]
