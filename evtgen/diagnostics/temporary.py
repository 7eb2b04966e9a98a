"""What goes wrong with temporary files, as diagnostics."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from ..system.limits import FULL
from .diagnostic import EvtgenError
from .machine import DISK_FULL, NO_SCRATCH

_ROOM = 64 * 1024
"""Bytes below which a disk counts as full: less than the smallest buffer that a program flushes."""


def place() -> Path:
    """Where compilers put their temporary files; Python turns to another directory when this one is full."""
    named = os.environ.get("TMPDIR", "")
    return Path(named) if os.path.isdir(named) else Path(tempfile.gettempdir())


def full() -> EvtgenError:
    """EVT098 for the disk that holds temporary files."""
    return DISK_FULL.refusal("temporary", place=place())


def is_full() -> bool:
    """Whether no room is left for temporary files."""
    try:
        return shutil.disk_usage(place()).free < _ROOM
    except OSError:
        return False


def cannot_write(error: OSError) -> EvtgenError:
    """EVT098 or EVT068, by the system's error."""
    if error.errno in FULL:
        return full()
    return NO_SCRATCH.refusal(strerror=error.strerror or error)
