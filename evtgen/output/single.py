"""A file that stands alone: it ends in its own hash, so that no manifest has to lie beside it."""

from __future__ import annotations

import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path

from ..diagnostics import files as codes
from ..system.translation import tr
from .disk import NotAFile, content
from .replaced import digest

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
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(signed(text))
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        message = tr("cannot write {path}: {strerror}", path=path, strerror=error.strerror or error)
        raise codes.CANNOT_WRITE.error(message, help=tr("check permissions and free space"), status=3) from error


def may_write(path: Path, *, force: bool = False) -> None:
    """Raises EvtgenError as :func:`write_file` does for what is at ``path``; reads only."""
    above = next((parent for parent in path.parents if os.path.exists(parent)), None)
    if above is not None and not os.path.isdir(above):
        message = tr("{file} is a file; a directory has to be there", file=above)
        raise codes.IN_THE_WAY.error(message, help=tr("move it away, or name another place"))
    try:
        there = content(path)
    except NotAFile as error:
        message = tr("{path} is {error}; a file has to go there", path=path, error=error)
        raise codes.IN_THE_WAY.error(message, help=tr("move it away, or name another place")) from None
    except OSError as error:
        message = tr("cannot read {path}: {strerror}", path=path, strerror=error.strerror or error)
        raise codes.CANNOT_WRITE.error(message, help=tr("check permissions"), status=3) from error
    if there is None or force or _is_ours(there):
        return
    edited = b"<!-- evtgen: " in there
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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
