"""Exclusive locks on files, which end with the process that holds them, however it ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def held(path: Path, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold the lock ``path``, a file that stays. ``waiting`` is called once if another process or thread holds it.

    Raises OSError if the file cannot be made.
    """
    with open(path, "ab") as file:
        os.utime(file.fileno())  # the age of the file is the age of its last use
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
