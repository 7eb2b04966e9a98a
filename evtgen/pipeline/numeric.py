"""The operators that specs declare, measured against their own numpy functions."""

from __future__ import annotations

from ..measure.accuracy import Accuracy, measure, own_cases
from ..system.progress import Progress, Steps, silent
from .specs import Checked


def check_numeric(checked: Checked, progress: Progress = silent) -> list[Accuracy]:
    """Run the operators with the element types and the constants that the epilogues use.

    Raises EvtgenError without a compiler, and for an operator that does not compile (EVT089).
    """
    results = []
    cases = own_cases(checked.plans)
    steps = Steps(progress, "measured {count} of {of} operators: {name}", len(cases))
    for case, result in zip(cases, measure(cases, progress=progress), strict=True):
        steps.next(f"{case.operator.name} in {case.T}: {'ok' if result.ok else 'FAILED'}")
        results.append(result)
    return results
