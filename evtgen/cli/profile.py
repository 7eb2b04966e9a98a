"""``evtgen profile``: modelled times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..diagnostics.diagnostic import Diagnostic
from ..model.processes import TIMEOUT
from ..report.console import progress
from ..report.measurements import profiles
from ..system.translation import tr
from .cpu import cpu
from .options import (
    Arch,
    Batch,
    Cores,
    Cxx,
    Groups,
    IncludeDirs,
    Json,
    Specs,
    Timeout,
    TraceFile,
    parse_buffers,
    parse_groups,
    parse_shape,
)
from .outcome import call, print_diagnostics, print_json

if TYPE_CHECKING:
    from ..profile.measure import Profile

PROGRAMS = (".cpp", ".cc", ".cxx", ".asc")
"""Suffixes of C++ in place of specs; ``.asc`` is AscendC's own."""


def profile(
    specs: Specs,
    shape: Annotated[
        str | None, typer.Option(metavar="MxNxK", help=tr("Problem size. Default: 1024x4096x64, M that of the groups."))
    ] = None,
    batch: Batch = None,
    groups: Groups = None,
    buffers: Annotated[
        str | None, typer.Option(metavar="N,...", help=tr("Numbers of buffers to compare; else 1, 2, 3 and its own."))
    ] = None,
    include: IncludeDirs = None,
    arch: Arch = None,
    trace: TraceFile = None,
    cores: Cores = None,
    cxx: Cxx = None,
    timeout: Timeout = TIMEOUT,
    as_json: Json = False,
) -> None:
    """Run on the CPU model's clock: cycles, busy pipes, and what the time goes to. Modelled, not measured.

    In place of specs, FILE.cpp is a program that evtgen did not write; evtgen cpu --profile has more options for it.
    """
    if len(specs) == 1 and specs[0].suffix in PROGRAMS:
        cpu(specs[0], cxx=cxx, trace=trace, profile=True, cores=cores, timeout=timeout, as_json=as_json)

    def run() -> tuple[list[Profile], list[Diagnostic]]:
        from ..kernels import Matmuls
        from ..model.trace import prepare
        from ..pipeline.profile import profile
        from ..pipeline.specs import load_and_check
        from ..profile.measure import write_trace

        if trace is not None:
            prepare(trace)
        sizes = (None if shape is None else parse_shape(shape), None if buffers is None else parse_buffers(buffers))
        matmuls = Matmuls(batch, None if groups is None else parse_groups(groups))
        checked = load_and_check(specs)
        found, warnings = profile(checked, *sizes, cxx, progress(), cores=cores, timeout=timeout, matmuls=matmuls)
        if trace is not None:
            write_trace(found, trace)
        return found, warnings

    found, warnings = call(run, as_json=as_json, as_array=True)
    if as_json:
        print_json([one.to_json() for one in found])
    else:
        print_diagnostics(warnings)
        profiles(found)
