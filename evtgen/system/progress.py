"""The progress of long work, as short texts for whoever shows them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Lock

from .translation import tr

Progress = Callable[[str], None]
"""A callback that takes a short description of the current step."""


class Notice(str):
    """A text about long work that is said even where progress is not shown."""


def silent(message: str) -> None:
    """A progress that says nothing."""


def together(progress: Progress, parts: int) -> list[Progress]:
    """A progress for each of some parts of work that go on at once: the one text says what each of them does. A part
    that has ended says nothing, the empty text."""
    texts, lock = [""] * parts, Lock()

    def said(part: int, message: str) -> None:
        with lock:
            if isinstance(message, Notice):
                progress(message)
                return
            texts[part] = message
            progress(tr("; ").join(filter(None, texts)))

    return [partial(said, part) for part in range(parts)]


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
