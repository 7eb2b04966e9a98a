"""Locations in the user's files."""

from __future__ import annotations

import os
import sys
import traceback
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

_PACKAGE = str(Path(__file__).parent.parent) + os.sep

_COMMANDS = _PACKAGE + "cli" + os.sep
"""The command line: what calls it is no user's code."""

_LIBRARIES = ("numpy", "torch")
"""Packages whose functions ask a value what they mean on it: the line that called them is the user's."""


@dataclass(frozen=True)
class Location:
    """A line of the user's spec. ``line`` counts from 1; 0 when only the file is known."""

    file: str
    line: int
    text: str = ""


def users_frame() -> FrameType | None:
    """The innermost frame on the stack that is neither evtgen's own nor of a library that called it; None below the
    command line, if no spec runs."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not _is_users(frame):
        frame = None if frame.f_code.co_filename.startswith(_COMMANDS) else frame.f_back
    return frame


def _is_users(frame: FrameType) -> bool:
    """Whether it runs a user's code. Code without a file of its own is typed, as at a prompt, or generated, as the
    methods of dataclasses and the import system are."""
    file = frame.f_code.co_filename
    if file.startswith("<"):
        return file.startswith("<doctest ") or (
            frame.f_globals.get("__name__") == "__main__" and not file.startswith("<frozen ")
        )
    package = str(frame.f_globals.get("__name__")).partition(".")[0]
    return not file.startswith(_PACKAGE) and package not in _LIBRARIES


instead: ContextVar[Location | None] = ContextVar("instead", default=None)
"""The line that stands for the caller's, while something is made that the user wrote elsewhere."""


def caller() -> Location | None:
    """The innermost line on the stack that is not evtgen's own, or the one that stands for it."""
    if there := instead.get():
        return there
    frame = users_frame()
    if frame is None:
        return None
    file = frame.f_code.co_filename
    # From 3.14 on, what is typed (in <stdin-1> or <string>) is found by its frame alone.
    typed = traceback.StackSummary.extract([(frame, frame.f_lineno)])[0].line if file.startswith("<st") else ""
    return Location(file, frame.f_lineno, typed or "")
