"""Files without a manifest: new ones that are the user's from then on, and pages that end in their own hash."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from ...diagnostics.diagnostic import EvtgenError
from .disk import content, digest, not_ours, refused
from .transaction import Move, all_or_none

_MARK = "<!-- evtgen: everything above has the SHA-256 {} -->\n"
_MARKED = re.compile(re.escape(_MARK).replace(r"\{\}", "([0-9a-f]{64})").encode() + rb"\Z")


def write_new(
    files: Mapping[Path, str], *, force: bool = False, remedies: Mapping[Path, str] = MappingProxyType({})
) -> list[Path]:
    """Write text to each path, making directories if need be; returns those of which the content was another or none.

    Where a file is there, its user is told the path's own remedy, or else to remove it or to force.

    Raises EvtgenError, and changes nothing then: EVT080 where a file with another content is, unless by ``force``;
    EVT081 where something else than a file is; EVT095 where the system refuses.
    """
    before = {path: _there(path) for path in files}
    changed = {path: text.encode() for path, text in files.items() if before[path] != text.encode()}
    if exist := [path for path in changed if before[path] is not None and not force]:
        raise EvtgenError([not_ours(path, remedy=remedies.get(path)) for path in exist])
    staged = [Move(p.parent, p.name, p.with_name(f".{p.name}.{os.getpid()}")) for p in changed]

    def clear() -> None:
        for path in (move.at(suffix) for move in staged for suffix in ("part", "new", "old")):
            path.unlink(missing_ok=True)

    try:
        with all_or_none(clear) as moves:
            for move in staged:
                move.root.mkdir(parents=True, exist_ok=True)
                moves.append(move.stage(changed[move.root / move.path]))
    except OSError as error:
        raise refused(error, next(iter(files))) from error
    return list(changed)


def write_file(path: Path, text: str, *, force: bool = False) -> None:
    """Write HTML or XML to ``path``, whole or not at all, with a line that says its hash; its directory is made if need
    be. Raises EvtgenError as :func:`write_new` does, and EVT080 for a page that was edited."""
    may_write(path, force=force)
    text = text if text.endswith("\n") else f"{text}\n"
    write_new({path: text + _MARK.format(digest(text.encode()))}, force=True)


def may_write(path: Path, *, force: bool = False) -> None:
    """Raises EvtgenError as :func:`write_file` does for what is at ``path``; reads only."""
    data = _there(path)
    found = None if data is None else _MARKED.search(data)
    if data is None or force or (found and digest(data[: found.start()]) == found[1].decode()):
        return
    raise EvtgenError([not_ours(path, edited=b"<!-- evtgen: " in data)])


def _there(path: Path) -> bytes | None:
    """The content of a file that may be written over; None where nothing is. Raises EvtgenError: EVT081 for something
    else than a file, EVT095 where the system refuses."""
    try:
        return content(path)
    except OSError as error:
        raise refused(error) from error
