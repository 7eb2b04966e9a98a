"""The commands that work on a Catlass checkout or on programs written for one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import show
from .cli import Json, Specs, _call, _print_diagnostics, _print_json, app

Catlass = Annotated[Path, typer.Option("--catlass", metavar="DIR", help="The Catlass checkout.")]


@app.command()
def install(
    specs: Specs,
    catlass: Catlass,
    examples: Annotated[bool, typer.Option("--examples", help="Also an example directory per epilogue.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done; do nothing.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show what would change; do nothing.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite edited and foreign files.")] = False,
    as_json: Json = False,
) -> None:
    """Add the framework and the epilogues to a Catlass checkout; no file of its own is edited."""
    from .install import install

    done = _call(
        install, specs, catlass, examples=examples, dry_run=dry_run, diff=diff, force=force, as_json=as_json
    )
    if as_json:
        _print_json(done.to_json())
        return
    _print_diagnostics(list(done.diagnostics))
    if diff:
        print(done.patch, end="")
        return
    for note in done.notes:
        print(note)
    if dry_run:
        print("nothing is written; without --dry-run:")
    show.written(done.written)


@app.command()
def uninstall(
    catlass: Catlass,
    force: Annotated[bool, typer.Option("--force", help="Remove files that were edited since, too.")] = False,
    as_json: Json = False,
) -> None:
    """Take away from a Catlass checkout what evtgen put there."""
    from .install import uninstall

    done = _call(uninstall, catlass, force=force, as_json=as_json)
    if as_json:
        _print_json(done.to_json())
        return
    for path in done.written.removed:
        print(f"removed  {path}")
    count = len(done.written.removed)
    print(f"{count} {'file' if count == 1 else 'files'} removed" if count else "evtgen has put nothing there")
