"""``evtgen check``: diagnostics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

from ..options import CheckOptions
from ..report.console import fine, progress
from ..report.measurements import accuracies
from .options import Format, Json, Specs
from .outcome import FAILED, OK, WRONG_INPUT, Form, call, print_diagnostics, print_json
from .records import takes


@takes(CheckOptions)
def check(specs: Specs, options: Callable[[], CheckOptions], form: Format = Form.text, as_json: Json = False) -> None:
    """Check the specs and report every fault; write nothing, and compile nothing without --numeric."""
    from ..pipeline.check import check_further
    from ..pipeline.specs import load_and_check

    checked = call(load_and_check, specs, as_json=as_json, form=form)
    measured = call(lambda: check_further(checked, options(), progress()), as_json=as_json, form=form)
    ok = all(result.ok for result in measured or ())
    if as_json:
        found: dict[str, Any] = {
            "ok": checked.ok and ok,
            "epilogues": [epilogue.name for epilogue in checked.epilogues],
            "diagnostics": [d.to_json() for d in checked.diagnostics],
        }
        if options().numeric:
            found["operators"] = [result.to_json() for result in measured or ()]
        print_json(found)
    else:
        print_diagnostics(checked.diagnostics, form)
        if checked.ok and form is not Form.sarif:
            print(fine([epilogue.name for epilogue in checked.epilogues]))
            if measured is not None:
                accuracies(measured)
    raise typer.Exit(WRONG_INPUT if not checked.ok else OK if ok else FAILED)
