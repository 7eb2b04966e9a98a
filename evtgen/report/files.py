"""The changes that a build made to files, or would make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..emit.output.files import State

if TYPE_CHECKING:
    from ..emit.output.files import Difference, Written

STATES = {
    State.MISSING: "is missing",
    State.STALE: "is out of date",
    State.EDITED: "was edited since evtgen wrote it",
    State.FOREIGN: "was not written by evtgen",
    State.REPLACED: "is in the place of one of evtgen's",
    State.RESTORED: "has to give its place back",
    State.LEFTOVER: "is no longer produced",
    State.INTERRUPTED: "holds a build that was killed",
}
"""The words of ``build --check`` for each state."""


def written(result: Written) -> None:
    """The files that a build wrote, replaced, restored, removed and kept."""
    repaired(result)
    for path in result.written:
        print(f"wrote    {path}")
    for path in result.replaced:
        print(f"replaced {path}")
    for path in result.restored:
        print(f"restored {path}")
    for path in result.removed:
        print(f"removed  {path}")
    for path in result.kept:
        print(f"kept     {path} (no longer produced, but edited)")
    changed = len(result.written) + len(result.replaced)
    print(f"{changed} {'file' if changed == 1 else 'files'} written, {len(result.unchanged)} unchanged")


def repaired(result: Written) -> None:
    """The directories in which a build was killed, and which this build has put right."""
    for path in result.repaired:
        print(f"repaired {path}, in which a build was killed")


def differences(found: Sequence[Difference]) -> None:
    """The differences that ``build --check`` found."""
    for difference in found:
        print(f"{difference.path} {STATES[difference.state]}")
    print("run evtgen build to bring it up to date" if found else "up to date")
