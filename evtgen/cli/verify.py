"""``evtgen verify``: compile, run, compare."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import typer

from ..diagnostics.diagnostic import Diagnostic
from ..options import VerifyOptions
from ..report.console import progress
from .options import Format, Json, Specs
from .outcome import FAILED, OK, Form, call, print_diagnostics, print_json
from .records import takes

if TYPE_CHECKING:
    from ..verify import Result


@takes(VerifyOptions)
def verify(specs: Specs, options: Callable[[], VerifyOptions], form: Format = Form.text, as_json: Json = False) -> None:
    """Build, compile, run on the CPU model and compare with numpy."""

    def run() -> tuple[list[Result], list[Diagnostic]]:
        from ..pipeline.specs import load_and_check
        from ..pipeline.verify import verify

        chosen = options()
        return verify(load_and_check(specs), chosen, progress())

    from ..report.verification import findings
    from ..report.verification import results as report

    results, warnings = call(run, as_json=as_json, as_array=True, form=form)
    if as_json:
        print_diagnostics(warnings)
        print_json([result.to_json() for result in results])
    elif form is Form.sarif:
        print_diagnostics([*warnings, *findings(results)], form)
    else:
        print_diagnostics([*warnings, *(findings(results) if form is Form.github else [])], form)
        report(results)
    raise typer.Exit(OK if all(result.ok for result in results) else FAILED)
