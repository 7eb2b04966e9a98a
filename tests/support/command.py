"""The command line as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .paths import CHECKOUT


def environment(**more: str) -> dict[str, str]:
    """This process's environment, with this checkout's evtgen, and more."""
    return {**os.environ, "PYTHONPATH": str(CHECKOUT), "PYTHONDONTWRITEBYTECODE": "1", **more}


def run(*args: str | Path, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the command in ``cwd``; whatever it does, it prints no traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "evtgen", *map(str, args)],
        cwd=cwd,
        env=environment(**more),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr + done.stdout
    assert "\033" not in done.stderr + done.stdout
    return done


def python(code: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a piece of Python in ``cwd``."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd,
        env=environment(**more),
        capture_output=True,
        text=True,
        check=False,
    )
