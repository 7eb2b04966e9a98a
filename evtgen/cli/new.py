"""``evtgen new``: files to start from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from ..options import NewOptions
from ..report import files as report
from ..system.translation import tr
from .options import Json, directory
from .outcome import call, print_json
from .records import takes


def _entries() -> list[tuple[str, str]]:
    """For the shell to complete, with what they are for."""
    from ..pipeline.gallery import PREFIX, entries

    return [(f"{PREFIX}{name}", entry.kind) for name, entry in entries().items()]


@takes(NewOptions)
def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help=tr("The name of the epilogue, and of the file that it is in."))
    ],
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="gallery/ENTRY",
            autocompletion=_entries,
            help=tr("Start from this epilogue of the gallery. Default: a small one with comments."),
        ),
    ] = None,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", parser=directory, metavar="DIR", help=tr("Where the spec and its test go.")),
    ] = Path(),
    options: Callable[[], NewOptions] = NewOptions,
    as_json: Json = False,
) -> None:
    """Write a spec to start from, a test of it for pytest, and a job for CI."""
    from ..pipeline.new import new as write

    written = call(lambda: write(name, source, output, options()), as_json=as_json)
    if as_json:
        print_json({"ok": True, **vars(written), "diagnostics": []})
    else:
        report.written(written)
