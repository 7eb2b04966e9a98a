"""``evtgen verify``: compile, run, compare."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..diagnostics.diagnostic import Diagnostic
from ..model.processes import TIMEOUT
from ..pipeline.bounds import MOST
from ..report.console import progress
from ..report.verification import findings
from ..report.verification import results as report
from ..system.translation import tr
from .options import (
    AgainstAscendC,
    AgainstCatlass,
    Arch,
    Batch,
    Cxx,
    Format,
    Groups,
    IncludeDirs,
    InFramework,
    Json,
    Specs,
    Strict,
    Timeout,
    VisitorFramework,
    directory,
    parse_groups,
    parse_shape,
)
from .outcome import FAILED, OK, Form, call, print_diagnostics, print_json

if TYPE_CHECKING:
    from ..verify import Result


class Data(str, Enum):
    """The values of ``--data``."""

    int = "int"
    normal = "normal"


Shapes = Annotated[
    list[str],
    typer.Option("--shape", metavar="MxNxK", help=tr("Problem to run; repeatable. Default: several small ones.")),
]


def verify(
    specs: Specs,
    shape: Shapes = [],  # noqa: B006 - typer copies it
    batch: Batch = None,
    groups: Groups = None,
    seed: Annotated[int, typer.Option(min=0, help=tr("Seed of the input data."))] = 0,
    data: Annotated[
        Data | None,
        typer.Option(
            help=tr("Only whole numbers, or only normally distributed ones. Default: each shape runs with both.")
        ),
    ] = None,
    include: IncludeDirs = None,
    arch: Arch = None,
    cxx: Cxx = None,
    headers: Annotated[
        Path | None,
        typer.Option(
            parser=directory, metavar="DIR", help=tr("Verify the headers in this include root, not fresh ones.")
        ),
    ] = None,
    strict: Strict = False,
    catlass: AgainstCatlass = None,
    ascendc: AgainstAscendC = None,
    schedules: Annotated[
        int,
        typer.Option(metavar="N", min=0, help=tr("Also run as late as possible and in N random orders, and compare.")),
    ] = 0,
    pad: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            max=MOST,
            help=tr("Elements between the rows of every tensor, as in a larger matrix, and between matmuls."),
        ),
    ] = 0,
    dump: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help=tr("Write one .npz per run into DIR, with all inputs and outputs.")),
    ] = None,
    timeout: Timeout = TIMEOUT,
    framework: InFramework = VisitorFramework.evtgen,
    form: Format = Form.text,
    as_json: Json = False,
) -> None:
    """Build, compile, run on the CPU model and compare with numpy."""

    def run() -> tuple[list[Result], list[Diagnostic]]:
        from ..emit.framework import Framework
        from ..kernels import Matmuls
        from ..pipeline.specs import load_and_check
        from ..pipeline.verify import verify
        from ..verify import Options

        shapes = tuple(parse_shape(text) for text in shape)
        kind = None if data is None else data.value
        chosen = Options(
            shapes,
            seed,
            kind,
            cxx,
            headers,
            strict,
            catlass,
            schedules,
            framework=Framework(catlass=True) if framework.is_catlass else None,
            pad=pad,
            dump=dump,
            timeout=timeout,
            ascendc=ascendc,
            matmuls=Matmuls(batch, None if groups is None else parse_groups(groups)),
        )
        return verify(load_and_check(specs), chosen, progress())

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
