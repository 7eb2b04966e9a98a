"""The commands that work on a Catlass checkout or on programs written for one."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import show
from .cli import Banner, Json, Specs, _call, _print_diagnostics, _print_json, app, directory

if TYPE_CHECKING:
    from .cpu import Outcome


class Standard(str, Enum):
    """What ``--std`` takes."""

    cxx17 = "c++17"
    cxx20 = "c++20"


class Npu(str, Enum):
    """What ``--npu-arch`` takes: the numbers of Atlas A2/A3 and of Ascend950."""

    a2 = "2201"
    a5 = "3510"


Catlass = Annotated[Path, typer.Option("--catlass", parser=directory, metavar="DIR", help="The Catlass checkout.")]


@app.command()
def install(
    specs: Specs,
    catlass: Catlass,
    examples: Annotated[bool, typer.Option("--examples", help="Also an example directory per epilogue.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done; do nothing.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show what would change; do nothing.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite edited and foreign files.")] = False,
    banner: Banner = None,
    as_json: Json = False,
) -> None:
    """Add the framework and the epilogues to a Catlass checkout; no file of its own is edited."""
    from .install import install

    done = _call(
        install, specs, catlass, examples=examples, dry_run=dry_run, diff=diff, force=force, banner=banner,
        as_json=as_json,
    )  # fmt: skip
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


@app.command()
def cpu(
    file: Annotated[Path, typer.Argument(metavar="FILE.cpp", help="A host program with its kernel.")],
    arguments: Annotated[list[str] | None, typer.Argument(metavar="[-- ARGS...]", help="Of the program.")] = None,
    catlass: Annotated[
        Path | None,
        typer.Option(
            "--catlass", parser=directory, metavar="DIR", help="Compile against this checkout, not the stand-in."
        ),
    ] = None,
    include: Annotated[
        list[Path] | None,
        typer.Option("-I", "--example-includes", metavar="DIR", help="More headers, searched first; repeatable."),
    ] = None,
    cxx: Annotated[
        str | None, typer.Option(metavar="g++|clang++", help="C++ compiler; default: the first found")
    ] = None,
    std: Annotated[Standard, typer.Option(help="C++ standard.")] = Standard.cxx17,
    npu_arch: Annotated[Npu, typer.Option(help="2201: Atlas A2 and A3; 3510: Ascend950.")] = Npu.a2,
    as_json: Json = False,
) -> None:
    """Compile a program written as Catlass's examples are, and run it on the CPU model with all checks."""

    def run() -> Outcome:
        from .cpu import Program, run

        program = Program(
            file, tuple(arguments or ()), catlass, tuple(include or ()), cxx, std.value, int(npu_arch.value), as_json
        )
        return run(program)

    outcome = _call(run, as_json=as_json)
    if as_json:
        _print_json(outcome.to_json())
    else:
        from .cpu import describe

        for line in describe(outcome):
            print(line, file=sys.stderr)
    raise typer.Exit(outcome.exit_status)
