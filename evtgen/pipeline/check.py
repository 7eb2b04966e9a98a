"""What ``evtgen check`` finds out beyond the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..options import CheckOptions
from ..system.progress import Progress, Steps, silent
from ..system.translation import tr
from .specs import Checked, in_catlass

if TYPE_CHECKING:
    from ..measure.accuracy import Accuracy


def check_further(checked: Checked, options: CheckOptions, progress: Progress = silent) -> list[Accuracy] | None:
    """Add the reasons why Catlass's own framework cannot express the epilogues, if that is asked for; and measure the
    operators that specs declare against their own numpy functions, with the types and the constants in use. None
    without ``numeric``, or if there is a fault.

    Raises EvtgenError without a compiler, and for an operator that does not compile (EVT089).
    """
    if options.framework == "catlass" and checked.ok:
        checked.diagnostics += in_catlass(checked.plans)
    if not (options.numeric and checked.ok):
        return None
    from ..measure.accuracy import measure, own_cases

    results = []
    cases = own_cases(checked.plans)
    steps = Steps(progress, tr("measured {count} of {of} operators: {name}"), len(cases))
    for case, result in zip(cases, measure(cases, progress=progress), strict=True):
        verdict = tr("ok") if result.ok else tr("FAILED")
        steps.next(tr("{name} in {T}: {verdict}", name=case.operator.name, T=case.T, verdict=verdict))
        results.append(result)
    return results
