"""The changes that a build made to files, or would make."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..emit.output.files import State
from ..system.translation import tr
from ..system.words import number

if TYPE_CHECKING:
    from ..emit.output.files import Difference, Written

FILES = tr("{count} file{s}")

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


def below(result: Written, root: Path) -> Written:
    """The same with paths below a root that was named."""
    named = {name: [os.path.relpath(path, root) for path in paths] for name, paths in vars(result).items()}
    return replace(result, **{**named, "repaired": result.repaired})


def written(result: Written, every: bool = False) -> None:
    """The files that a build wrote, replaced, restored, removed and kept; ``every`` one, or many of one directory in a
    line."""
    repaired(result)
    for path in result.written if every else _crowds(result.written):
        print(tr("wrote    {path}", path=path))
    for path in result.replaced:
        print(tr("replaced {path}", path=path))
    for path in result.restored:
        print(tr("restored {path}", path=path))
    removed(result)
    for path in result.kept:
        print(tr("kept     {path} (no longer produced, but edited)", path=path))
    changed = len(result.written) + len(result.replaced)
    files = number(changed, FILES)
    print(tr("{files} written, {same} unchanged", files=files, same=len(result.unchanged)))


def removed(result: Written) -> None:
    """The files that were removed, many of one directory in a line."""
    for path in _crowds(result.removed):
        print(tr("removed  {path}", path=path))


def _crowds(paths: Sequence[str]) -> list[str]:
    """The paths, but a directory with many of them, and all below it, as one with their number."""
    count = Counter(str(Path(path).parent) for path in paths)
    lines: dict[str, int] = {}
    for path in paths:
        crowd = next((str(at) for at in reversed(Path(path).parents) if count[str(at)] > _MOST), path)
        lines[crowd] = lines.get(crowd, 0) + 1
    return [line if line in paths else f"{line}: {number(files, FILES)}" for line, files in lines.items()]


_MOST = 12
"""Files of one directory that have a line each."""


def repaired(result: Written) -> None:
    """The directories in which a build was killed, and which this build has put right."""
    for path in result.repaired:
        print(tr("repaired {path}, in which a build was killed", path=path))


def differences(found: Sequence[Difference]) -> None:
    """The differences that ``build --check`` found."""
    for difference in found:
        print(tr("{path} {state}", path=difference.path, state=STATES[difference.state]))
    print(tr("run evtgen build to bring it up to date") if found else tr("up to date"))
