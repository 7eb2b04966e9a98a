"""The operators that specs declare, measured against their own numpy functions."""

from __future__ import annotations

from ..accuracy.measure import Accuracy, measure, own_cases
from ..model.programs import Progress, silent
from ..planner.plan import lower
from .specs import Checked


def check_numeric(checked: Checked, progress: Progress = silent) -> list[Accuracy]:
    """Run the operators with the element types and the constants that the epilogues use.

    Raises EvtgenError without a compiler, and for an operator that does not compile (EVT089).
    """
    results = []
    cases = own_cases([lower(epilogue) for epilogue in checked.epilogues])
    for case, result in zip(cases, measure(cases, progress=progress), strict=True):
        progress(f"{case.operator.name} in {case.T}: {'ok' if result.ok else 'FAILED'}")
        results.append(result)
    return results
