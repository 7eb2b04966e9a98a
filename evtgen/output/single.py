"""A file that stands alone: it ends in its own hash, so that no manifest has to lie beside it."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from ..diagnostics import files as codes
from ..system.translation import tr
from .replaced import digest
from .staging import stage, there, unwritable

_MARK = "<!-- evtgen: everything above has the SHA-256 {} -->\n"
_MARKED = re.compile(re.escape(_MARK).replace(r"\{\}", "([0-9a-f]{64})").encode() + rb"\Z")


def write_file(path: Path, text: str, *, force: bool = False) -> None:
    """Write HTML or XML to ``path``, whole or not at all; its directory is made if need be.

    Raises EvtgenError: EVT080 where a file is there that evtgen did not write, or that was edited since, unless by
    ``force``; EVT081 where something else than a file is, or a file in the place of a directory; EVT095 where the
    system refuses.
    """
    may_write(path, force=force)
    try:
        temporary = stage(path, signed(text).encode())
        try:
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise unwritable(path, error) from error


def may_write(path: Path, *, force: bool = False) -> None:
    """Raises EvtgenError as :func:`write_file` does for what is at ``path``; reads only."""
    above = next((parent for parent in path.parents if os.path.exists(parent)), None)
    if above is not None and not os.path.isdir(above):
        message = tr("{file} is a file; a directory has to be there", file=above)
        raise codes.IN_THE_WAY.error(message, help=tr("move it away, or name another place"))
    before = there(path)
    if before is None or force or _is_ours(before):
        return
    edited = b"<!-- evtgen: " in before
    message = (
        tr("{path} was edited since evtgen wrote it", path=path)
        if edited
        else tr("{path} exists and was not written by evtgen", path=path)
    )
    help_ = tr("keep your copy elsewhere and remove it, or overwrite it with --force")
    raise codes.NOT_OURS.error(message, help=help_)


def signed(text: str) -> str:
    """The text with the line that says its hash."""
    text = text if text.endswith("\n") else f"{text}\n"
    return text + _MARK.format(digest(text))


def _is_ours(data: bytes) -> bool:
    found = _MARKED.search(data)
    return found is not None and digest(data[: found.start()]) == found[1].decode()
