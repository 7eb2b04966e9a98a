"""``evtgen uninstall``: out of a Catlass checkout."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Catlass, Json
from .outcome import call, print_json


def uninstall(
    catlass: Catlass,
    force: Annotated[bool, typer.Option("--force", help="Remove files that were edited since, too.")] = False,
    as_json: Json = False,
) -> None:
    """Take away from a Catlass checkout what evtgen put there."""
    from ..pipeline.install import uninstall as out_of

    done = call(out_of, catlass, force=force, as_json=as_json)
    if as_json:
        print_json(done.to_json())
        return
    for path in done.written.removed:
        print(f"removed  {path}")
    count = len(done.written.removed)
    print(f"{count} {'file' if count == 1 else 'files'} removed" if count else "evtgen has put nothing there")
