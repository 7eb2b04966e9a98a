"""The changes that a build made to files, or would make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..output.files import Difference, Written

STATES = {
    "missing": "is missing",
    "stale": "is out of date",
    "edited": "was edited since evtgen wrote it",
    "foreign": "was not written by evtgen",
    "leftover": "is no longer produced",
    "interrupted": "holds a build that was interrupted",
}
"""The words of ``build --check`` for each state."""


def written(result: Written) -> None:
    """The files that a build wrote, removed and kept."""
    for path in result.written:
        print(f"wrote    {path}")
    for path in result.removed:
        print(f"removed  {path}")
    for path in result.kept:
        print(f"kept     {path} (no longer produced, but edited)")
    changed = len(result.written)
    print(f"{changed} {'file' if changed == 1 else 'files'} written, {len(result.unchanged)} unchanged")


def differences(found: Sequence[Difference]) -> None:
    """The differences that ``build --check`` found."""
    for difference in found:
        print(f"{difference.path} {STATES[difference.state]}")
    print("run evtgen build to bring it up to date" if found else "up to date")
