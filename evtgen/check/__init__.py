"""The checker: every rule that can be checked before compiling. It changes no graph, and accepts any graph at all.

The last rules look at the plan of the epilogue, so that checking one yields its plan, too.
"""

from __future__ import annotations

from ..diagnostics.diagnostic import Diagnostic, EvtgenError, has_errors
from ..graph.ir import Epilogue
from ..passes.analysis.size import excess
from ..planner.plan import Plan
from . import gemm, names, parts, resources, structure, types  # noqa: F401  (they declare their rules)
from .facts import Facts
from .registry import RULES, Rule


def check(epilogue: Epilogue) -> list[Diagnostic]:
    """Everything that is wrong with an epilogue, in the order of the spec's lines. Raises nothing, whatever the
    graph."""
    return planned(epilogue)[1]


def require_plan(epilogue: Epilogue) -> Plan:
    """The plan of an epilogue. Raises EvtgenError with all that is wrong with it if one of that is an error."""
    plan, found = planned(epilogue)
    if plan is None:
        raise EvtgenError(found)
    return plan


def planned(epilogue: Epilogue) -> tuple[Plan | None, list[Diagnostic]]:
    """The plan of an epilogue, None where an error is found in it, and all that :func:`check` finds."""
    too_large = excess(epilogue.root)
    if too_large is not None:
        return None, [too_large]  # no other rule can look at it
    facts = Facts(epilogue)
    rules = [RULES[code] for code in sorted(RULES)]
    found = [diagnostic for rule in rules if not rule.lowered for diagnostic in rule.diagnostics(facts)]
    if not has_errors(found):
        found += [diagnostic for rule in rules if rule.lowered for diagnostic in rule.diagnostics(facts)]
    found = sorted(dict.fromkeys(found), key=_position)
    return None if has_errors(found) else facts.plan, found


def _position(diagnostic: Diagnostic) -> tuple[str, int, str]:
    location = diagnostic.location
    return (location.file, location.line, diagnostic.code) if location else ("", 0, diagnostic.code)


__all__ = ["RULES", "Rule", "check", "has_errors", "planned", "require_plan"]
