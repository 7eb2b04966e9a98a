"""The progress of long work, as short texts for whoever shows them."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

Progress = Callable[[str], None]
"""A callback that takes a short description of the current step."""


class Notice(str):
    """A text about long work that is said even where progress is not shown."""


def silent(message: str) -> None:
    """A progress that says nothing."""


class Steps:
    """Counts the steps of a piece of work; threads may share it.

    ``text`` is a format with the fields ``count`` and ``of``, and ``name`` for the name of each step.
    """

    def __init__(self, progress: Progress, text: str, of: int) -> None:
        self._progress, self._text, self._of = progress, text, of
        self._count = 0
        self._lock = Lock()

    def next(self, name: str = "") -> None:
        """One step more."""
        with self._lock:
            self._count += 1
            self._progress(self._text.format(count=self._count, of=self._of, name=name))
