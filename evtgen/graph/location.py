"""Where in the user's files something was written."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

_PACKAGE = str(Path(__file__).parent.parent) + os.sep


@dataclass(frozen=True)
class Location:
    """A line of the user's spec. ``line`` counts from 1; 0 when only the file is known."""

    file: str
    line: int
    text: str = ""


def caller() -> Location | None:
    """The innermost line on the stack that is not evtgen's own."""
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        # Frames of generated methods (dataclass __init__) and of the import system have no file of their own.
        if not file.startswith((_PACKAGE, "<")):
            return Location(file, frame.f_lineno)
        frame = frame.f_back  # type: ignore[assignment]
    return None
