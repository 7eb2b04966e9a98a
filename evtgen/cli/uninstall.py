"""``evtgen uninstall``: remove evtgen's files from a Catlass checkout."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Catlass, Json
from .outcome import call, print_json


def uninstall(
    catlass: Catlass,
    force: Annotated[bool, typer.Option("--force", help="Also remove files that were edited.")] = False,
    as_json: Json = False,
) -> None:
    """Remove from a Catlass checkout the files that evtgen added."""
    from ..pipeline.install import uninstall as out_of

    done = call(out_of, catlass, force=force, as_json=as_json)
    if as_json:
        print_json(done.to_json())
        return
    for path in done.written.removed:
        print(f"removed  {path}")
    count = len(done.written.removed)
    print(f"{count} {'file' if count == 1 else 'files'} removed" if count else "evtgen has added nothing there")
