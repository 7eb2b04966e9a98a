"""The rules of the graph: a function each, whose docstring is the explanation of its code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..diagnostics.diagnostic import Diagnostic, Severity
from ..diagnostics.table import Code, declare
from .facts import Facts, Found

RuleFunction = Callable[[Facts], Iterator[Found] | Iterator[Diagnostic]]

_SAYS: dict[RuleFunction, dict[str, tuple[str, str | None]]] = {}
"""The messages of functions that are not yet rules."""


@dataclass(frozen=True)
class Rule:
    """A function that yields the findings of one code in a graph.

    Attributes:
        code: the code.
        function: it.
        lowered: it looks at the plan, which only a graph without errors has.
    """

    code: Code
    function: RuleFunction
    lowered: bool = False

    def diagnostics(self, facts: Facts) -> Iterator[Diagnostic]:
        """The findings of the function, under the rule's code."""
        for found in self.function(facts):
            yield found if isinstance(found, Diagnostic) else found.diagnostic(self.code, facts)


RULES: dict[str, Rule] = {}
"""Every rule of the graph by its code."""


def says(text: str, help: str | None = None, *, when: str = "") -> Callable[[RuleFunction], RuleFunction]:
    """Declare a message of a rule, and its help; ``when`` names the case that it is for if the rule has several."""

    def register(function: RuleFunction) -> RuleFunction:
        _SAYS.setdefault(function, {})[when] = text, help
        return function

    return register


def rule(
    code: str, title: str, severity: Severity = Severity.ERROR, *, lowered: bool = False
) -> Callable[[RuleFunction], RuleFunction]:
    """Declare a rule of the graph; the function's docstring is the explanation of its code."""

    def register(function: RuleFunction) -> RuleFunction:
        declared = declare(code, title, function.__doc__ or "", severity, says=_SAYS.pop(function, {}))
        return rule_of(declared, lowered=lowered)(function)

    return register


def rule_of(code: Code, *, lowered: bool = False) -> Callable[[RuleFunction], RuleFunction]:
    """Declare the rule of a code that already exists because the front end reports it too."""

    def register(function: RuleFunction) -> RuleFunction:
        RULES[code.code] = Rule(code, function, lowered)
        return function

    return register
