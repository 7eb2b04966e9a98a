"""``evtgen tune``: the fastest kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..diagnostics.diagnostic import Diagnostic
from ..options import TuneOptions
from ..report.console import progress
from .options import Json, Specs
from .outcome import call, print_diagnostics, print_json
from .records import takes

if TYPE_CHECKING:
    from ..pipeline.tune import Tuning


@takes(TuneOptions)
def tune(specs: Specs, options: Callable[[], TuneOptions], as_json: Json = False) -> None:
    """Search for the fastest kernel of each epilogue at a shape, and verify it. Times are modelled, not measured."""

    def run() -> tuple[list[Tuning], list[Diagnostic]]:
        from ..pipeline.specs import load_and_check
        from ..pipeline.tune import tune
        from ..pipeline.winners import keep, require_places

        chosen = options()
        checked = load_and_check(specs)
        require_places(checked, chosen)
        found, warnings = tune(checked, chosen, progress())
        keep(checked, found, chosen)
        return found, warnings

    found, warnings = call(run, as_json=as_json, as_array=True)
    if as_json:
        print_json([one.to_json() for one in found])
        return
    from ..report.tuning import tunings

    print_diagnostics(warnings)
    tunings(found)
