"""``evtgen data``: what example programs read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from ..options import DataOptions
from ..system.translation import tr
from .options import Json, Specs, directory
from .outcome import call, print_json
from .records import takes


@takes(DataOptions)
def data(
    specs: Specs,
    output: Annotated[
        Path, typer.Option("-o", "--output", parser=directory, metavar="DIR", help=tr("Directory to write into."))
    ],
    options: Callable[[], DataOptions],
    as_json: Json = False,
) -> None:
    """Write what an example program reads: its inputs, and what numpy computes of them."""

    def run() -> list[Path]:
        from ..pipeline.data import data
        from ..pipeline.specs import load_and_check

        return data(load_and_check(specs), options(), output)

    written = call(run, as_json=as_json)
    if as_json:
        print_json({"ok": True, "written": [str(path) for path in written]})
    else:
        for path in written:
            print(tr("wrote    {path}", path=path))
