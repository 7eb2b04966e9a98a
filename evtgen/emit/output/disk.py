"""Reading the disk with care, never through a link; and the messages where it fails."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

from ...diagnostics import files as codes
from ...diagnostics.diagnostic import EvtgenError
from ...system.translation import tr

NO_FILE = ""
"""The hash of anything but a regular file."""


def content(path: Path) -> bytes | None:
    """The bytes of a regular file; None when nothing is there. Raises FileExistsError for anything else."""
    if not os.path.lexists(path):
        return None
    if path.is_symlink() or not path.is_file():
        raise FileExistsError(errno.EEXIST, tr("it is not a regular file"), str(path))
    return path.read_bytes()


def sha256(path: Path) -> str | None:
    """Hash of a regular file; None when nothing is there, NO_FILE for anything else."""
    try:
        data = content(path)
        return None if data is None else digest(data)
    except FileExistsError:
        return NO_FILE


def digest(data: bytes) -> str:
    """The hash of a file with this content."""
    return hashlib.sha256(data).hexdigest()


def parents(root: Path, path: str) -> list[Path]:
    """The directories between ``root`` and a file below it, outermost first."""
    return [root.joinpath(*path.split("/")[:depth]) for depth in range(1, path.count("/") + 1)]


def detour(root: Path, path: str) -> Path | None:
    """The first of :func:`parents` that is a link or a file, not a directory."""
    there = filter(os.path.lexists, parents(root, path))
    return next((parent for parent in there if parent.is_symlink() or not parent.is_dir()), None)


def require_own(root: Path, path: str) -> None:
    """Raises EvtgenError where a directory of a path is a link, because the file would be elsewhere (EVT082), or a file
    (EVT081)."""
    if (wrong := detour(root, path)) is not None:
        if wrong.is_symlink():
            raise codes.LEAVES_ROOT.refusal(wrong=wrong)
        raise refused(NotADirectoryError(errno.ENOTDIR, tr("it is not a directory"), str(wrong)))


def refused(error: OSError, place: object = "") -> EvtgenError:
    """The exception for a refusal of the system, at ``place`` if the error names none: EVT081 where something is in
    the way, else EVT095."""
    where, what = error.filename2 or error.filename or place, error.strerror or str(error)
    if not isinstance(error, (FileExistsError, NotADirectoryError)):
        return codes.CANNOT_WRITE.refusal(where=where, what=what)
    given = Path(str(where))
    return codes.IN_THE_WAY.refusal(where=next(filter(Path.is_file, (given, *given.parents)), where), what=what)
