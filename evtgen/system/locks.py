"""Exclusive locks on files, which end with the process that holds them, however it ends."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def held(path: Path, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold the lock ``path``, a file that exists only while somebody holds it or waits for it.

    ``waiting`` is called once if another process or thread holds it. Raises OSError if the file cannot be made.
    """
    descriptor = attempt(path)
    if descriptor is None:
        waiting()
        descriptor = _take(path, wait=True)
        assert descriptor is not None
    try:
        yield
    finally:
        release(path, descriptor)


def attempt(path: Path) -> int | None:
    """The lock ``path`` as a descriptor for :func:`release`; None if somebody else holds it."""
    return _take(path, wait=False)


def release(path: Path, descriptor: int) -> None:
    """Give up a lock. Its file goes first: those who wait for it notice, and make another."""
    with suppress(OSError):
        path.unlink()
    os.close(descriptor)


def _take(path: Path, *, wait: bool) -> int | None:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        try:
            if not lock(descriptor, wait=wait):
                os.close(descriptor)
                return None
            # The file may have been removed between the two calls; a lock on it would exclude nobody.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), os.lstat(path)):
                    return descriptor
        except BaseException:
            with suppress(OSError):
                os.close(descriptor)
            raise
        os.close(descriptor)


def lock(descriptor: int, *, wait: bool) -> bool:
    """Lock an open file, on systems that can; False if somebody else holds it and we do not wait."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True
