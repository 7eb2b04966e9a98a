"""Cutting off a process before each of its system calls in turn."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

SYSTEM_CALLS = ("os.mkdir", "os.link", "os.rename", "os.remove", "os.rmdir", "open")


def die_at(step: int, how: Callable[[], None], base: Path) -> None:
    """From now on, call ``how`` in this process just before its ``step``-th system call below ``base``."""
    me, count = os.getpid(), 0

    def hook(event: str, args: tuple[object, ...]) -> None:
        nonlocal count
        if event in SYSTEM_CALLS and os.getpid() == me and str(args[0]).startswith(str(base)):
            count += 1
            if count == step:
                how()

    sys.addaudithook(hook)


def in_child(work: Callable[[], None]) -> int:
    """Run ``work`` in a forked process and wait for it; 0 if it came to its end, else its wait status."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1]


def interrupt() -> None:
    raise KeyboardInterrupt


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
