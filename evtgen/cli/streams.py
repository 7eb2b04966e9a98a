"""The standard streams of a command: a fault in one is said and becomes the exit status, at the end and in one place.

A stream that is full or closed, or whose reader went away, can fail at any write and at any flush, also at those that
Python makes after the last line of the program. So a write never raises here: its first failure is kept for
:func:`finish`.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import io
import os
import select
import sys
from collections.abc import Iterator
from typing import Any

from ..diagnostics.diagnostic import render
from ..diagnostics.files import NO_STDOUT
from ..system.translation import tr

BROKEN_PIPE = 141
"""Exit status when the reader of stdout went away: the shell's own for SIGPIPE."""


class _File(io.FileIO):
    """A file descriptor, not closed with this object; what cannot be written is lost."""

    failure: OSError | None = None

    def write(self, data: Any) -> int:
        while self.failure is None:
            try:
                written = super().write(data)
                if written is not None:
                    return written
                select.select([], [self], [])  # It does not block: another process has set it so.
            except OSError as error:
                self.failure = error
        return len(data)


class _Stream(io.TextIOWrapper):
    """Text to a file descriptor. A spec that closes it only flushes it."""

    def __init__(self, descriptor: int, like: Any) -> None:
        self.file = _File(descriptor, "w", closefd=False)
        super().__init__(
            io.BufferedWriter(self.file),
            encoding=getattr(like, "encoding", None) or "utf-8",
            errors="backslashreplace",
            line_buffering=like is sys.stderr or self.file.isatty(),
        )

    def close(self) -> None:
        self.flush()


_out: _Stream | None = None
"""Standard output; None until :func:`claim`."""


def claim() -> None:
    """Take over the standard streams.

    One that is closed becomes the null device, so that no file of evtgen's gets its number; stdout then opened for
    reading, so that writing to it still fails.
    """
    global _out  # noqa: PLW0603
    modes = ((sys.stdin, os.O_RDONLY), (sys.stdout, os.O_RDONLY), (sys.stderr, os.O_WRONLY))
    for number, (stream, mode) in enumerate(modes):
        if stream is None:
            opened = os.open(os.devnull, mode)
            if opened == number:
                os.set_inheritable(number, True)
            else:
                os.dup2(opened, number)
                os.close(opened)
    _out = _Stream(1, sys.stdout)
    sys.stdout, sys.stderr = _out, _Stream(2, sys.stderr)


@contextlib.contextmanager
def aside(for_good: bool) -> Iterator[None]:
    """Keep stdout for evtgen's own words while other code runs: ``sys.stdout`` is stderr, ``for_good`` also afterwards.

    From now on file descriptor 1 is stderr as well, to the end: child processes, libraries, threads and what runs at
    exit write to it too.
    """
    if _out is not None and _out.fileno() == 1:
        _out.flush()
        own, failure = _duplicate(1), _out.file.failure
        os.dup2(2, 1)
        _claimed(own).file.failure = failure
    before = sys.stdout
    sys.stdout = sys.stderr
    try:
        yield
    finally:
        if not for_good:
            sys.stdout = before if _out is None else _out


def _duplicate(descriptor: int) -> int:
    """A copy of the descriptor, of a high number where the limit allows it: other code may write to low ones that it
    takes for its own."""
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    except OSError:
        return os.dup(descriptor)


_HIGH = 100


def _claimed(descriptor: int) -> _Stream:
    global _out  # noqa: PLW0603
    _out = _Stream(descriptor, _out)
    return _out


def own() -> Any:
    """Where evtgen's own words go, whatever ``sys.stdout`` is now."""
    return sys.stdout if _out is None else _out


def finish(status: int) -> int:
    """Write what is buffered; returns the exit status: ``status``, or 3 if stdout could not be written (EVT072), or 141
    if its reader went away."""
    if _out is None:
        return status
    _out.flush()
    failure = _out.file.failure
    if failure is not None and failure.errno == errno.EPIPE:
        status = BROKEN_PIPE
    elif failure is not None:
        wrong = NO_STDOUT(tr("standard output cannot be written: {strerror}", strerror=failure.strerror))
        print(render([wrong]), file=sys.stderr)
        status = NO_STDOUT.status
    sys.stdout = sys.stderr
    sys.stderr.flush()
    return status
