"""``evtgen report``: a page about epilogues."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..diagnostics.diagnostic import Diagnostic
from ..model.processes import TIMEOUT
from ..report.console import clear, progress
from ..system.translation import tr
from .options import (
    Arch,
    Batch,
    Cores,
    Cxx,
    Force,
    Groups,
    IncludeDirs,
    Json,
    Specs,
    Timeout,
    directory,
    parse_buffers,
    parse_groups,
    parse_shape,
)
from .outcome import call, print_diagnostics, print_json


def report(
    specs: Specs,
    output: Annotated[
        Path, typer.Option("-o", "--output", parser=directory, metavar="DIR", help=tr("Where index.html goes."))
    ],
    shape: Annotated[
        str | None,
        typer.Option(metavar="MxNxK", help=tr("Problem size of the profile. Default: that of evtgen profile.")),
    ] = None,
    buffers: Annotated[
        str | None, typer.Option(metavar="N,...", help=tr("Numbers of buffers to compare; else 1, 2, 3 and its own."))
    ] = None,
    batch: Batch = None,
    groups: Groups = None,
    run: Annotated[
        bool, typer.Option("--run/--no-run", help=tr("Verify and profile, too; or only what needs no compiler."))
    ] = True,
    verify: Annotated[
        bool, typer.Option("--verify/--no-verify", help=tr("Verify what is run, or only profile it."))
    ] = True,
    include: IncludeDirs = None,
    arch: Arch = None,
    cores: Cores = None,
    cxx: Cxx = None,
    timeout: Timeout = TIMEOUT,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write a page about the epilogues: what they compute, from what, in which memory, how right and how fast."""

    def made() -> tuple[Path, list[Diagnostic]]:
        from ..kernels import Matmuls
        from ..page.report import report
        from ..pipeline.specs import load_and_check
        from ..pipeline.subjects import Request

        request = Request(
            None if shape is None else parse_shape(shape),
            Matmuls(batch, None if groups is None else parse_groups(groups)),
            cores,
            cxx,
            timeout,
            run,
            None if buffers is None else parse_buffers(buffers),
            verify,
        )
        return report(load_and_check(specs), output, request, progress(), force=force)

    path, warnings = call(made, as_json=as_json)
    if as_json:
        print_json({"ok": True, "page": path, "diagnostics": [d.to_json() for d in warnings]})
    else:
        clear()
        print_diagnostics(warnings)
        print(f"wrote {path}")
