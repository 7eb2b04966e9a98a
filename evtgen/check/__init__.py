"""The checker: every rule that can be checked before compiling. It changes no graph, and accepts any graph at all."""

from __future__ import annotations

from ..analysis.size import excess
from ..diagnostics.diagnostic import Diagnostic, has_errors
from ..graph.ir import Epilogue
from . import gemm, names, resources, structure, types  # noqa: F401  (they declare their rules)
from .facts import Facts
from .registry import RULES, Rule


def check(epilogue: Epilogue) -> list[Diagnostic]:
    """Everything that is wrong with an epilogue, in the order of the spec's lines. Raises nothing, whatever the
    graph."""
    too_large = excess(epilogue.root)
    if too_large is not None:
        # No other rule can look at it.
        return [RULES["EVT030"].code(too_large.message, too_large.location, too_large.help)]
    facts = Facts(epilogue)
    rules = [RULES[code] for code in sorted(RULES)]
    found = [diagnostic for rule in rules if not rule.lowered for diagnostic in rule.diagnostics(facts)]
    if not has_errors(found):
        found += [diagnostic for rule in rules if rule.lowered for diagnostic in rule.diagnostics(facts)]
    return sorted(dict.fromkeys(found), key=_position)


def _position(diagnostic: Diagnostic) -> tuple[str, int, str]:
    location = diagnostic.location
    return (location.file, location.line, diagnostic.code) if location else ("", 0, diagnostic.code)


__all__ = ["RULES", "Rule", "check", "has_errors"]
