"""``evtgen install``: add files to a Catlass checkout."""

from __future__ import annotations

from typing import Annotated

import typer

from ..report.files import written
from ..system.translation import tr
from .options import Arch, Banner, Catlass, Force, IncludeDirs, InFramework, Json, Specs, VisitorFramework
from .outcome import call, print_diagnostics, print_json


def install(
    specs: Specs,
    catlass: Catlass,
    examples: Annotated[bool, typer.Option("--examples", help=tr("Also an example directory per epilogue."))] = False,
    replace: Annotated[
        bool,
        typer.Option("--replace", help=tr("In the place of a visitor framework of the checkout's own, which is kept.")),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help=tr("List the changes; make none."))] = False,
    diff: Annotated[bool, typer.Option("--diff", help=tr("Print the changes as a patch; make none."))] = False,
    include: IncludeDirs = None,
    arch: Arch = None,
    force: Force = False,
    framework: InFramework = VisitorFramework.evtgen,
    banner: Banner = None,
    as_json: Json = False,
) -> None:
    """Add the framework and the epilogues to a Catlass checkout; without --replace no file of its own is changed."""
    from ..pipeline.install import install as into

    done = call(
        into, specs, catlass, examples=examples, in_place=replace, dry_run=dry_run, diff=diff, force=force,
        banner=banner, own_framework=framework.is_catlass, as_json=as_json,
    )  # fmt: skip
    if as_json:
        print_json(done.to_json())
        return
    print_diagnostics(list(done.diagnostics))
    if diff:
        print(done.patch, end="")
        return
    for note in done.notes:
        print(note)
    if dry_run:
        print("nothing is written; without --dry-run:")
    written(done.written)
