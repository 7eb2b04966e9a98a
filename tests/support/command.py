"""The command line as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .paths import CHECKOUT

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(CHECKOUT), "PYTHONDONTWRITEBYTECODE": "1"}


def run(*args: str | Path, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in ``cwd``; whatever it does, it prints no traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "evtgen", *map(str, args)],
        cwd=cwd,
        env={**ENVIRONMENT, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr + done.stdout
    assert "\033" not in done.stderr + done.stdout
    return done


def python(code: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a piece of Python in ``cwd``."""
    env = {**ENVIRONMENT, **environment}
    return subprocess.run([sys.executable, "-c", code], cwd=cwd, env=env, capture_output=True, text=True, check=False)
