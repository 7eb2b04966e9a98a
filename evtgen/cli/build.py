"""``evtgen build``: write headers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..report import files as report
from ..system.translation import tr
from .options import Arch, Banner, ForCatlass, Force, IncludeDirs, InFramework, Json, Specs, VisitorFramework, directory
from .outcome import FAILED, OK, call, print_diagnostics, print_json


def build(
    specs: Specs,
    output: Annotated[
        Path, typer.Option("-o", "--output", parser=directory, metavar="DIR", help=tr("Include root to write into."))
    ],
    examples: Annotated[
        Path | None,
        typer.Option(
            "--examples", parser=directory, metavar="DIR", help=tr("Also write an example directory per epilogue.")
        ),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help=tr("Write nothing; exit 1 if a build would."))] = False,
    include: IncludeDirs = None,
    arch: Arch = None,
    force: Force = False,
    namespace: Annotated[
        str, typer.Option(metavar="NS", help=tr("C++ namespace of the framework."))
    ] = "Catlass::Epilogue::Fusion",
    fusion_dir: Annotated[
        str, typer.Option(metavar="DIR", help=tr("Directory of the framework below the include root."))
    ] = "catlass/epilogue/fusion",
    framework: InFramework = VisitorFramework.evtgen,
    banner: Banner = None,
    catlass: ForCatlass = None,
    as_json: Json = False,
) -> None:
    """Write the framework and each epilogue's header into an include root."""
    from ..checkouts.catlass import recognise
    from ..pipeline.build import Request, compare
    from ..pipeline.build import build as write

    def request() -> Request:
        checkout = None if catlass is None else recognise(catlass)
        own = framework.is_catlass
        return Request(tuple(specs), output, examples, namespace, fusion_dir, banner, catlass=own, checkout=checkout)

    if check:
        differences, warnings = call(lambda: compare(request()), as_json=as_json)
        found = [{"path": d.path, "state": d.state.value} for d in differences]
        if as_json:
            print_json({"ok": not found, "differences": found, "diagnostics": [d.to_json() for d in warnings]})
        else:
            print_diagnostics(warnings)
            report.differences(differences)
        raise typer.Exit(FAILED if found else OK)
    written, warnings = call(lambda: write(request(), force=force), as_json=as_json)
    if as_json:
        print_json({"ok": True, **vars(written), "diagnostics": [d.to_json() for d in warnings]})
    else:
        print_diagnostics(warnings)
        report.written(written)
