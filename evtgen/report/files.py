"""The changes that a build made to files, or would make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..emit.output.files import State
from ..system.translation import tr
from ..system.words import number

if TYPE_CHECKING:
    from ..emit.output.files import Difference, Written

STATES = {
    State.MISSING: tr("is missing"),
    State.STALE: tr("is out of date"),
    State.EDITED: tr("was edited since evtgen wrote it"),
    State.FOREIGN: tr("was not written by evtgen"),
    State.REPLACED: tr("is in the place of one of evtgen's"),
    State.RESTORED: tr("has to give its place back"),
    State.LEFTOVER: tr("is no longer produced"),
    State.INTERRUPTED: tr("holds a build that was killed"),
}
"""The words of ``build --check`` for each state."""


def written(result: Written) -> None:
    """The files that a build wrote, replaced, restored, removed and kept."""
    repaired(result)
    for path in result.written:
        print(tr("wrote    {path}", path=path))
    for path in result.replaced:
        print(tr("replaced {path}", path=path))
    for path in result.restored:
        print(tr("restored {path}", path=path))
    for path in result.removed:
        print(tr("removed  {path}", path=path))
    for path in result.kept:
        print(tr("kept     {path} (no longer produced, but edited)", path=path))
    changed = len(result.written) + len(result.replaced)
    files = number(changed, tr("{count} file{s}"))
    print(tr("{files} written, {same} unchanged", files=files, same=len(result.unchanged)))


def repaired(result: Written) -> None:
    """The directories in which a build was killed, and which this build has put right."""
    for path in result.repaired:
        print(tr("repaired {path}, in which a build was killed", path=path))


def differences(found: Sequence[Difference]) -> None:
    """The differences that ``build --check`` found."""
    for difference in found:
        print(tr("{path} {state}", path=difference.path, state=STATES[difference.state]))
    print(tr("run evtgen build to bring it up to date") if found else tr("up to date"))
