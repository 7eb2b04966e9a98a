"""Files without a manifest: new ones that are the user's from then on, and pages that end in their own hash."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from ...diagnostics.diagnostic import EvtgenError
from ...diagnostics.files import NOT_OURS
from ..places import OWN
from .disk import content, digest, refused
from .transaction import Changes, apply, clear, locked

_WORK = f"{OWN}new"
_MARK = "<!-- evtgen: everything above has the SHA-256 {} -->\n"
_MARKED = re.compile(_MARK.format("([0-9a-f]{64})").encode() + rb"\Z")


def write_new(
    files: Mapping[Path, str | Callable[[], str]],
    *,
    force: bool = False,
    remedies: Mapping[Path, str] = MappingProxyType({}),
) -> list[Path]:
    """Write text to each path, and make its directory; returns the paths whose content is new. A text that depends on
    what is there is a function, which is called while no other process writes.

    The help for a file that is there is the path's own remedy, or else to remove it or to force.

    Raises EvtgenError, and changes nothing then: EVT080 where a file with another content is, unless by ``force``;
    EVT081 where something else than a file is; EVT095 where the system refuses.
    """
    try:
        with locked({Path(os.path.realpath(path.parent)) for path in files}, make=True):
            before = {path: _there(path) for path in files}
            texts = {path: text if isinstance(text, str) else text() for path, text in files.items()}
            changed = {path: text.encode() for path, text in texts.items() if before[path] != text.encode()}
            if exist := [path for path in changed if before[path] is not None and not force]:
                raise EvtgenError([NOT_OURS.of("foreign", help=remedies.get(path), path=path) for path in exist])
            changes: dict[Path, Changes] = {}
            for path, data in changed.items():
                changes.setdefault(Path(os.path.realpath(path.parent)), []).append((path.name, data))
            clear(*changes, work=_WORK)
            apply(changes, _WORK)
    except OSError as error:
        raise refused(error, next(iter(files))) from error
    return list(changed)


def write_file(path: Path, text: str, *, force: bool = False) -> None:
    """Write HTML or XML to ``path``, whole or not at all, with a line that says its hash, and make its directory.
    Raises EvtgenError as :func:`write_new` does, and EVT080 for a page that was edited."""
    may_write(path, force=force)
    text = text if text.endswith("\n") else f"{text}\n"
    write_new({path: text + _MARK.format(digest(text.encode()))}, force=True)


def may_write(path: Path, *, force: bool = False) -> None:
    """Raises EvtgenError as :func:`write_file` does for a file at ``path``; reads only."""
    if (data := _there(path)) is not None and not force:
        found = _MARKED.search(data)
        if found is None or digest(data[: found.start()]) != found[1].decode():
            raise EvtgenError(NOT_OURS.of("edited" if b"<!-- evtgen: " in data else "foreign", path=path))


def _there(path: Path) -> bytes | None:
    try:
        return content(path)
    except OSError as error:
        raise refused(error) from error
