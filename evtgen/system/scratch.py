"""Directories for the files of one piece of work, in the system's place for temporary files.

A process that is killed leaves its directories behind. Each holds a file that its process has locked, so a later one
can tell whether anybody still needs it.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import TracebackType

from .locks import lock

PREFIX = "evtgen-"

_LOCK = ".lock"
_LOCKLESS_DAYS = 7
"""Age at which a directory without a lock counts as left behind: nothing runs that long."""


class Scratch:
    """An empty directory of its own; a context manager that removes it. Raises OSError if there can be none."""

    def __init__(self, purpose: str = "") -> None:
        _sweep_once(tempfile.gettempdir())
        self.path = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{purpose}"))
        try:
            # Locked before it has its name: whoever finds the name finds it locked.
            unnamed = self.path / f"{_LOCK}.new"
            self._descriptor = os.open(unnamed, os.O_RDWR | os.O_CREAT, 0o600)
            lock(self._descriptor, wait=True)
            unnamed.rename(self.path / _LOCK)
        except BaseException:
            shutil.rmtree(self.path, ignore_errors=True)
            raise

    def remove(self) -> None:
        """Remove the directory with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._descriptor)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.remove()


@cache
def _sweep_once(root: str) -> None:
    sweep(Path(root))


def sweep(root: Path) -> None:
    """Remove the scratch directories in ``root`` that dead processes of this user left behind."""
    try:
        found = [entry for entry in os.scandir(root) if entry.name.startswith(PREFIX)]
    except OSError:
        return
    for entry in found:
        with suppress(OSError):
            status = entry.stat(follow_symlinks=False)
            if (
                stat.S_ISDIR(status.st_mode)
                and status.st_uid == os.geteuid()
                and _left_behind(Path(entry.path), status)
            ):
                shutil.rmtree(entry.path, ignore_errors=True)


def _left_behind(directory: Path, status: os.stat_result) -> bool:
    try:
        descriptor = os.open(directory / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return status.st_mtime < time.time() - _LOCKLESS_DAYS * 24 * 3600
    try:
        return lock(descriptor, wait=False)
    finally:
        os.close(descriptor)
