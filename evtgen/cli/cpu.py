"""``evtgen cpu``: a program on the CPU model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from ..options import CpuOptions, ProfileOptions, refuse, shared
from ..report.console import progress
from ..system.translation import tr
from .options import Json
from .outcome import call, print_diagnostics, print_json
from .records import takes

if TYPE_CHECKING:
    from ..pipeline.program import Outcome


@takes(CpuOptions)
def cpu(
    file: Annotated[Path, typer.Argument(metavar="FILE.cpp", help=tr("A host program with its kernel."))],
    arguments: Annotated[list[str] | None, typer.Argument(metavar="[-- ARGS...]", help=tr("Its arguments."))] = None,
    options: Callable[[], CpuOptions] = CpuOptions,
    as_json: Json = False,
) -> None:
    """Compile a program written as Catlass's examples are, and run it on the CPU model with all checks."""
    _run(file, tuple(arguments or ()), options, as_json)


def on_the_clock(file: Path, options: Callable[[], ProfileOptions], as_json: bool) -> NoReturn:
    """The times of a program without arguments, to which the options about epilogues are not given."""

    def of_program() -> CpuOptions:
        chosen = options()
        theirs = [option.name for option in fields(chosen) if option.name not in vars(CpuOptions())]
        refuse(chosen, theirs, f"{file.name}")
        return replace(shared(chosen, CpuOptions), profile=True)

    _run(file, (), of_program, as_json)


def _run(file: Path, arguments: tuple[str, ...], options: Callable[[], CpuOptions], as_json: bool) -> NoReturn:
    def run() -> Outcome:
        from ..pipeline.program import Program, run

        return run(Program(file, arguments, as_json, options()), progress())

    outcome = call(run, as_json=as_json, stdout=not as_json)
    if as_json:
        print_json(outcome.to_json())
    else:
        from ..report.programs import outcome as report

        report(outcome)
        print_diagnostics(list(outcome.diagnostics))
    raise typer.Exit(outcome.exit_status)
