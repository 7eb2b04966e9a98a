"""The command line as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from .paths import CHECKOUT


def environment(**more: str) -> dict[str, str]:
    """This process's environment, with this checkout's evtgen, and more."""
    return {**os.environ, "PYTHONPATH": str(CHECKOUT), **more}


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


def gone(pid: int) -> bool:
    """Whether a process has ended, within a few seconds, be it that nobody has asked for its status yet."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
            if "State:\tZ" in Path(f"/proc/{pid}/status").read_text():
                return True
        except (OSError, ValueError):
            return not Path("/proc/self").exists() or not Path(f"/proc/{pid}").exists()
        time.sleep(0.05)
    return False


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
