"""``evtgen check``: diagnostics."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..report.console import fine, progress
from ..report.measurements import accuracies
from ..system.translation import tr
from .options import Arch, Format, IncludeDirs, InFramework, Json, Specs, VisitorFramework
from .outcome import FAILED, OK, WRONG_INPUT, Form, call, print_diagnostics, print_json


def check(
    specs: Specs,
    numeric: Annotated[
        bool,
        typer.Option("--numeric", help=tr("Also run your own operators on a grid of values and compare with numpy.")),
    ] = False,
    include: IncludeDirs = None,
    arch: Arch = None,
    framework: InFramework = VisitorFramework.evtgen,
    form: Format = Form.text,
    as_json: Json = False,
) -> None:
    """Check the specs and report every fault; write nothing, and compile nothing without --numeric."""
    from ..pipeline.specs import in_catlass, load_and_check

    checked = call(load_and_check, specs, as_json=as_json, form=form)
    if framework.is_catlass and checked.ok:
        checked.diagnostics += in_catlass(checked.plans)
    measured = []
    if numeric and checked.ok:
        from ..pipeline.numeric import check_numeric

        measured = call(check_numeric, checked, progress(), as_json=as_json, form=form)
    ok = all(result.ok for result in measured)
    if as_json:
        found: dict[str, Any] = {
            "ok": checked.ok and ok,
            "epilogues": [epilogue.name for epilogue in checked.epilogues],
            "diagnostics": [d.to_json() for d in checked.diagnostics],
        }
        if numeric:
            found["operators"] = [result.to_json() for result in measured]
        print_json(found)
    else:
        print_diagnostics(checked.diagnostics, form)
        if checked.ok and form is not Form.sarif:
            print(fine([epilogue.name for epilogue in checked.epilogues]))
        if checked.ok and numeric and form is not Form.sarif:
            accuracies(measured)
    raise typer.Exit(WRONG_INPUT if not checked.ok else OK if ok else FAILED)
