"""What lies on disk, read with care: never through a link, and never for ever; and what is said where that fails."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from pathlib import Path

from ...diagnostics import files as codes
from ...diagnostics.diagnostic import Diagnostic, EvtgenError
from ...system.translation import tr

NO_FILE = ""
"""The hash of what is there and is neither a regular file nor a link."""

_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def content(path: Path) -> bytes | None:
    """The bytes of a regular file; None when nothing is there. Raises FileExistsError for anything else."""
    if (mode := mode_of(path)) is None:
        return None
    if not stat.S_ISREG(mode):
        raise FileExistsError(errno.EEXIST, tr("it is not a regular file"), str(path))
    with os.fdopen(os.open(path, _FLAGS), "rb") as file:
        return file.read()


def sha256(path: Path) -> str | None:
    """Hash of a regular file, or of a link's target path; None when nothing is there, NO_FILE for anything else."""
    try:
        data = os.fsencode(os.readlink(path)) if path.is_symlink() else content(path)
        return None if data is None else digest(data)
    except FileExistsError:
        return NO_FILE


def digest(data: bytes) -> str:
    """The hash of a file with this content."""
    return hashlib.sha256(data).hexdigest()


def mode_of(path: Path) -> int | None:
    """The mode of what is there itself, be it a link; None when nothing is."""
    try:
        return os.lstat(path).st_mode
    except FileNotFoundError:
        return None


def parents(root: Path, path: str) -> list[Path]:
    """The directories between ``root`` and a file below it, outermost first."""
    return [root.joinpath(*path.split("/")[:depth]) for depth in range(1, path.count("/") + 1)]


def detour(root: Path, path: str) -> Path | None:
    """The first of :func:`parents` that is there and no directory of its own: a link, or a file."""
    modes = ((parent, mode_of(parent)) for parent in parents(root, path))
    return next((parent for parent, mode in modes if mode is not None and not stat.S_ISDIR(mode)), None)


def require_own(root: Path, path: str) -> None:
    """The check of every path that is written or removed, of each directory in it: a link anywhere leads elsewhere.
    Raises EvtgenError (EVT082, or EVT081 for a file in the place of a directory)."""
    if (wrong := detour(root, path)) is None:
        return
    if wrong.is_symlink():
        message = tr("{wrong} is a link; files below it would be changed elsewhere", wrong=wrong)
        help_ = tr("remove the link, or build into the directory that it leads to")
        raise codes.LEAVES_ROOT.error(message, help=help_)
    raise refused(NotADirectoryError(errno.ENOTDIR, tr("it is not a directory"), str(wrong)))


def refused(error: OSError, place: object = "") -> EvtgenError:
    """The exception for what the system refuses, at ``place`` if it says no other: EVT081 where something is in the
    way, else EVT095."""
    where, what = error.filename2 or error.filename or place, error.strerror or str(error)
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        given = Path(str(where))
        where = next((path for path in (given, *given.parents) if path.is_file()), where)
        message = tr("{where} is in the way: {what}", where=where, what=what)
        return codes.IN_THE_WAY.error(message, help=tr("move it away, or name another place"))
    message = tr("cannot read or write {where}: {what}", where=where, what=what)
    return codes.CANNOT_WRITE.error(message, help=tr("check permissions and free space, then try again"), status=3)


def not_ours(path: Path, *, edited: bool = False, remedy: str | None = None) -> Diagnostic:
    """EVT080: a file is not overwritten."""
    why = tr("was edited since evtgen wrote it") if edited else tr("exists and was not written by evtgen")
    help_ = remedy or tr("keep your copy elsewhere and remove it, or overwrite it with --force")
    return codes.NOT_OURS(f"{path} {why}", help=help_)
