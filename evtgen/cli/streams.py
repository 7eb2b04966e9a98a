"""The standard streams of a command: a fault in one is said and becomes the exit status, at the end and in one place.

A stream can fail at any write and any flush. So a write never raises; its first failure is kept for :func:`finish`.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any

from ..diagnostics.diagnostic import render
from ..diagnostics.files import NO_STDOUT

BROKEN_PIPE = 141
"""Exit status when the reader of stdout went away: the shell's own for SIGPIPE."""


class _File(io.FileIO):
    """A file whose first failure is kept; what cannot be written is lost."""

    failure: OSError | None = None

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            self.failure = self.failure or error
            return len(data)


def claim() -> _File:
    """Take over the standard streams; returns the file of stdout, for :func:`finish`.

    ``sys.stdout`` alone leads there: what child processes and libraries write to file descriptor 1 goes to stderr.
    """
    # A closed stream becomes the null device, or a file of evtgen's would get its number; writing to it still fails.
    while (number := os.open(os.devnull, os.O_RDONLY)) < 3:
        os.set_inheritable(number, True)
    os.close(number)
    out, err = _File(os.dup(1), "w"), _File(2, "w", closefd=False)
    os.dup2(2, 1)
    for name, file in (("stdout", out), ("stderr", err)):
        encoding = getattr(getattr(sys, name), "encoding", None)
        lines = file is err or file.isatty()
        text = io.TextIOWrapper(io.BufferedWriter(file), encoding, "backslashreplace", line_buffering=lines)
        setattr(sys, name, text)
    return out


def finish(out: _File, status: int) -> int:
    """Write what is buffered; returns the exit status: ``status``, or 3 if stdout could not be written (EVT072), or 141
    if its reader went away."""
    sys.stdout.flush()
    if out.failure is None:
        return status
    if out.failure.errno == errno.EPIPE:
        return BROKEN_PIPE
    wrong = NO_STDOUT.of(strerror=out.failure.strerror)
    print(render([wrong]), file=sys.stderr)
    return NO_STDOUT.status
