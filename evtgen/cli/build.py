"""``evtgen build``: write headers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from ..options import BuildOptions
from ..report import files as report
from ..system.translation import tr
from .options import Json, Specs, directory
from .outcome import FAILED, OK, call, print_diagnostics, print_json
from .records import takes


@takes(BuildOptions)
def build(
    specs: Specs,
    output: Annotated[
        Path, typer.Option("-o", "--output", parser=directory, metavar="DIR", help=tr("Include root to write into."))
    ],
    options: Callable[[], BuildOptions],
    check: Annotated[bool, typer.Option("--check", help=tr("Write nothing; exit 1 if a build would."))] = False,
    as_json: Json = False,
) -> None:
    """Write the framework and each epilogue's header into an include root."""
    from ..pipeline.build import Request, compare
    from ..pipeline.build import build as write

    def request() -> Request:
        return Request.of(options(), output, options().examples, specs=tuple(specs))

    if check:
        differences, warnings = call(lambda: compare(request()), as_json=as_json)
        found = [{"path": d.path, "state": d.state.value} for d in differences]
        if as_json:
            print_json({"ok": not found, "differences": found, "diagnostics": [d.to_json() for d in warnings]})
        else:
            print_diagnostics(warnings)
            report.differences(differences)
        raise typer.Exit(FAILED if found else OK)
    written, warnings = call(lambda: write(request(), force=options().force), as_json=as_json)
    if as_json:
        print_json({"ok": True, **vars(written), "diagnostics": [d.to_json() for d in warnings]})
    else:
        print_diagnostics(warnings)
        report.written(written)
