"""Epilogues to results."""

from __future__ import annotations

from ..checkouts.catlass import recognise, require_evg
from ..diagnostics.diagnostic import Diagnostic
from ..options import VerifyOptions
from ..system.progress import Progress, silent
from ..verify import Result, verify_plans
from ..verify.headers import stale
from .specs import Checked, expressible


def verify(
    checked: Checked, options: VerifyOptions, progress: Progress = silent
) -> tuple[list[Result], list[Diagnostic]]:
    """Verify every epilogue by :func:`evtgen.verify.verify_plans`, and by the rules of the device's C++; also returns
    the warnings. Raises EvtgenError."""
    plans = checked.require().plans
    if options.compilation.place.catlass:
        if options.catlass is not None:
            require_evg(recognise(options.catlass))
        expressible(plans)
    warnings = [*checked.diagnostics, *([] if options.headers is None else stale(plans, options.headers))]
    return verify_plans(plans, options, progress, language=True), warnings
