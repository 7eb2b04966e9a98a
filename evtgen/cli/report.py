"""``evtgen report``: a page about epilogues."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from ..diagnostics.diagnostic import Diagnostic
from ..options import ReportOptions
from ..report.console import clear, progress
from ..system.translation import tr
from .options import Json, Specs, directory
from .outcome import call, print_diagnostics, print_json
from .records import takes


@takes(ReportOptions)
def report(
    specs: Specs,
    output: Annotated[
        Path, typer.Option("-o", "--output", parser=directory, metavar="DIR", help=tr("Where index.html goes."))
    ],
    options: Callable[[], ReportOptions],
    as_json: Json = False,
) -> None:
    """Write a page about the epilogues: what they compute, from what, in which memory, how right and how fast."""

    def made() -> tuple[Path, list[Diagnostic]]:
        from ..pipeline.specs import load_and_check
        from ..report.page.report import report

        chosen = options()
        return report(load_and_check(specs), output, chosen, progress())

    path, warnings = call(made, as_json=as_json)
    if as_json:
        print_json({"ok": True, "page": path, "diagnostics": [d.to_json() for d in warnings]})
    else:
        clear()
        print_diagnostics(warnings)
        print(tr("wrote {path}", path=path))
