"""``evtgen explain``: the graph and the C++ made from it."""

from __future__ import annotations

from ..report.plans import plan as report
from .options import Arch, IncludeDirs, Json, Specs
from .outcome import call, print_diagnostics, print_json


def explain(specs: Specs, include: IncludeDirs = None, arch: Arch = None, as_json: Json = False) -> None:
    """Show the graph, the C++ type, the order of the arguments and the UB budget."""
    from ..pipeline.explain import explain as describe
    from ..pipeline.specs import load_and_check

    plans, warnings = call(lambda: describe(load_and_check(specs)), as_json=as_json)
    if as_json:
        print_json(plans)
    else:
        print_diagnostics(warnings)
        for plan in plans:
            report(plan)
