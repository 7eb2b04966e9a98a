"""``evtgen profile``: modelled times."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..diagnostics.diagnostic import Diagnostic
from ..report.console import progress
from ..report.measurements import profiles
from .options import Cxx, Json, Specs, parse_buffers, parse_shape
from .outcome import call, print_diagnostics, print_json

if TYPE_CHECKING:
    from ..profile.measure import Profile


def profile(
    specs: Specs,
    shape: Annotated[str, typer.Option(metavar="MxNxK", help="Problem size.")] = "1024x4096x64",
    buffers: Annotated[str, typer.Option(metavar="N,...", help="Numbers of buffers to compare.")] = "1,2,3",
    trace: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a Chrome trace, for Perfetto or chrome://tracing.")
    ] = None,
    cxx: Cxx = None,
    as_json: Json = False,
) -> None:
    """Run on the CPU model's table of costs: cycles, busy pipes, overlap. Modelled, not measured."""

    def run() -> tuple[list[Profile], list[Diagnostic]]:
        from ..pipeline.profile import profile
        from ..profile.measure import prepare_trace, write_trace

        if trace is not None:
            prepare_trace(trace)
        found, warnings = profile(specs, parse_shape(shape), parse_buffers(buffers), cxx, progress())
        if trace is not None:
            write_trace(found, trace)
        return found, warnings

    found, warnings = call(run, as_json=as_json, as_array=True)
    if as_json:
        print_json([one.to_json() for one in found])
    else:
        print_diagnostics(warnings)
        profiles(found)
