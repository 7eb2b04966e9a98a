"""``evtgen profile``: modelled times."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..diagnostics.diagnostic import Diagnostic
from ..options import ProfileOptions
from ..report.console import progress
from ..report.measurements import profiles
from .cpu import on_the_clock
from .options import Json, Specs
from .outcome import call, print_diagnostics, print_json
from .records import takes

if TYPE_CHECKING:
    from ..measure.profile import Profile

PROGRAMS = (".cpp", ".cc", ".cxx", ".asc")
"""Suffixes of C++ in place of specs; ``.asc`` is AscendC's own."""


@takes(ProfileOptions)
def profile(specs: Specs, options: Callable[[], ProfileOptions], as_json: Json = False) -> None:
    """Run on the CPU model's clock: cycles, busy pipes, and what the time goes to. Modelled, not measured.

    In place of specs, FILE.cpp is a program that evtgen did not write; evtgen cpu --profile has more options for it.
    """
    if len(specs) == 1 and specs[0].suffix in PROGRAMS:
        on_the_clock(specs[0], options, as_json)

    def run() -> tuple[list[Profile], list[Diagnostic]]:
        from ..model.trace import prepare
        from ..pipeline.profile import profile
        from ..pipeline.specs import load_and_check

        chosen = options()
        # Before a spec runs, which may take long and print.
        if chosen.trace is not None:
            prepare(chosen.trace)
        return profile(load_and_check(specs), chosen, progress())

    found, warnings = call(run, as_json=as_json, as_array=True)
    if as_json:
        print_json([one.to_json() for one in found])
    else:
        print_diagnostics(warnings)
        profiles(found)
