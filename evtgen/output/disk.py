"""What lies on disk, read with care: never through a link, never for ever, and never more than fits."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

LIMIT = 64 * 1024 * 1024
"""Bytes of the largest file of its own that evtgen reads; a build of ten thousand epilogues stays far below."""

NO_FILE = ""
"""The hash of what is there and is neither a regular file nor a link."""

_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class NotAFile(Exception):
    """Something is in the place of a file that evtgen reads; the message completes "it is"."""


def content(path: Path) -> bytes | None:
    """The bytes of a regular file; None when nothing is there. Raises NotAFile for anything else or too much."""
    mode = _mode(path)
    if mode is None:
        return None
    if not stat.S_ISREG(mode):
        raise NotAFile("not a regular file")
    with os.fdopen(os.open(path, _FLAGS), "rb") as file:
        data = file.read(LIMIT + 1)
    if len(data) > LIMIT:
        raise NotAFile(f"larger than {LIMIT >> 20} MiB")
    return data


def sha256(path: Path) -> str | None:
    """Hash of a regular file, or of a link's target path; None when nothing is there, NO_FILE for anything else."""
    mode = _mode(path)
    if mode is None:
        return None
    if stat.S_ISLNK(mode):
        return hashlib.sha256(os.fsencode(os.readlink(path))).hexdigest()
    if not stat.S_ISREG(mode):
        return NO_FILE
    digest = hashlib.sha256()
    with os.fdopen(os.open(path, _FLAGS), "rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def parents(root: Path, path: str) -> list[Path]:
    """The directories between ``root`` and a file below it, outermost first."""
    return [root.joinpath(*path.split("/")[:depth]) for depth in range(1, path.count("/") + 1)]


def detour(root: Path, path: str) -> Path | None:
    """The first of :func:`parents` that is there and no directory of its own: a link, or a file. The check of every
    path that is written, removed or put back; each component is looked at, because a link anywhere leads elsewhere."""
    for parent in parents(root, path):
        mode = _mode(parent)
        if mode is None:
            return None
        if not stat.S_ISDIR(mode):
            return parent
    return None


def is_directory(path: Path) -> bool:
    """Whether there is a directory, not a link to one."""
    mode = _mode(path)
    return mode is not None and stat.S_ISDIR(mode)


def _mode(path: Path) -> int | None:
    try:
        return os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
