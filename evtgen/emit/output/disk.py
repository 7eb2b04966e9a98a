"""Reading the disk with care, never through a link and never for ever; and the messages where it fails."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from pathlib import Path

from ...diagnostics import files as codes
from ...diagnostics.diagnostic import EvtgenError
from ...system.translation import tr

NO_FILE = ""
"""The hash of anything but a regular file or a link."""


def content(path: Path) -> bytes | None:
    """The bytes of a regular file; None when nothing is there. Raises FileExistsError for anything else."""
    if (mode := mode_of(path)) is None:
        return None
    if not stat.S_ISREG(mode):
        raise FileExistsError(errno.EEXIST, tr("it is not a regular file"), str(path))
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
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
    """The mode of a file or of a link itself; None when nothing is there."""
    try:
        return os.lstat(path).st_mode
    except FileNotFoundError:
        return None


def parents(root: Path, path: str) -> list[Path]:
    """The directories between ``root`` and a file below it, outermost first."""
    return [root.joinpath(*path.split("/")[:depth]) for depth in range(1, path.count("/") + 1)]


def detour(root: Path, path: str) -> Path | None:
    """The first of :func:`parents` that is a link or a file, not a directory."""
    modes = ((parent, mode_of(parent)) for parent in parents(root, path))
    return next((parent for parent, mode in modes if mode is not None and not stat.S_ISDIR(mode)), None)


def require_own(root: Path, path: str) -> None:
    """Raises EvtgenError where a directory of a path that is written or removed is a link (EVT082), because the file
    would be elsewhere, or a file (EVT081)."""
    if (wrong := detour(root, path)) is None:
        return
    if not wrong.is_symlink():
        raise refused(NotADirectoryError(errno.ENOTDIR, tr("it is not a directory"), str(wrong)))
    raise codes.LEAVES_ROOT.refusal(wrong=wrong)


def refused(error: OSError, place: object = "") -> EvtgenError:
    """The exception for a refusal of the system, at ``place`` if the error names none: EVT081 where something is in
    the way, else EVT095."""
    where, what = error.filename2 or error.filename or place, error.strerror or str(error)
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        given = Path(str(where))
        where = next((path for path in (given, *given.parents) if path.is_file()), where)
        return codes.IN_THE_WAY.refusal(where=where, what=what)
    return codes.CANNOT_WRITE.refusal(where=where, what=what)
