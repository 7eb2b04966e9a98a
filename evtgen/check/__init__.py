"""The checker: every rule that can be known before compiling. It changes nothing and never gives up on a bad graph."""

from __future__ import annotations

from ..ir import Epilogue
from . import frontend_codes, gemm, names, resources, structure, types  # noqa: F401  (they declare their rules)
from .diagnostics import Diagnostic, EvtgenError, has_errors, render
from .facts import Facts, measure
from .registry import TABLE, Rule, declare

RULES: tuple[Rule, ...] = tuple(TABLE[code] for code in sorted(TABLE))
"""Every code of reading specs and of the graph, sorted; ``function`` is None for what no graph rule finds."""


def check(epilogue: Epilogue) -> list[Diagnostic]:
    """Everything that is wrong with an epilogue, in the order of the spec's lines. Raises nothing, whatever the
    graph."""
    too_large = measure(epilogue.root)
    if too_large is not None:
        return [TABLE["EVT030"].diagnostic(too_large)]
    facts = Facts(epilogue)
    found = [
        rule.diagnostic(finding) for rule in RULES if rule.function is not None for finding in rule.function(facts)
    ]
    return sorted(dict.fromkeys(found), key=_position)


def _position(diagnostic: Diagnostic) -> tuple[str, int, str]:
    location = diagnostic.location
    return (location.file, location.line, diagnostic.code) if location else ("", 0, diagnostic.code)


__all__ = [
    "RULES",
    "Diagnostic",
    "EvtgenError",
    "Rule",
    "check",
    "declare",
    "has_errors",
    "render",
]
