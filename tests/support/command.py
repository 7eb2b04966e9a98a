"""The command line as a process of its own."""

from __future__ import annotations

import atexit
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from .paths import CHECKOUT


def environment(**more: str) -> dict[str, str]:
    """This process's environment, with this checkout's evtgen, and more."""
    return {**os.environ, "PYTHONPATH": str(CHECKOUT), **more}


def run(*args: str | Path, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the command in ``cwd``, in a copy of a process that has imported evtgen; whatever it does, it prints no
    traceback."""
    # What a process reads of its environment when it starts is not that of one that was started before.
    if sys.platform != "linux" or any(name.startswith(("PYTHON", "LC_", "LANG", "EVTGEN_LANG")) for name in more):
        return started(*args, cwd=cwd, **more)
    return _without_traceback(_copies().run([*map(str, args)], cwd, more))


def started(*args: str | Path, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """As :func:`run`, in a process that starts as a user's does: for tests of how it starts and ends."""
    done = subprocess.run(
        [sys.executable, "-m", "evtgen", *map(str, args)],
        cwd=cwd,
        env=environment(**more),
        capture_output=True,
        text=True,
        check=False,
    )
    return _without_traceback(done)


def _without_traceback(done: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    assert "Traceback" not in done.stderr + done.stdout
    assert "\033" not in done.stderr + done.stdout
    return done


class _Copies:
    """The process of ``forks.py``."""

    def __init__(self) -> None:
        self._commands, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            command = [sys.executable, str(Path(__file__).with_name("forks.py")), str(theirs.fileno())]
            self._process = subprocess.Popen(command, env=environment(), pass_fds=[theirs.fileno()])
        atexit.register(self._end, os.getpid())

    def run(self, words: Sequence[str], cwd: Path, more: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """Run a command in a copy."""
        out, into_out = os.pipe()
        err, into_err = os.pipe()
        message = json.dumps([words, str(cwd), environment(**more)]).encode()
        socket.send_fds(self._commands, [message], [into_out, into_err])
        os.close(into_out)
        os.close(into_err)
        with ThreadPoolExecutor(1) as pool, open(out) as stdout, open(err) as stderr:
            said = pool.submit(stderr.read)
            text = stdout.read()
            return subprocess.CompletedProcess(words, int(self._commands.recv(100)), text, said.result())

    def _end(self, owner: int) -> None:
        if os.getpid() == owner:
            self._commands.close()
            self._process.wait()


_copies = cache(_Copies)


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
