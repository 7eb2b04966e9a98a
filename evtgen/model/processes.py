"""The processes that evtgen starts: compilers, and programs on the CPU model. None of them outlives it.

Each leads a session of its own, so that whatever it starts ends with it, and Ctrl-C reaches evtgen alone. A program on
the CPU model also watches a pipe that evtgen holds open, and so ends even when evtgen is killed.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ..system.limits import TIMEOUT

if TYPE_CHECKING:
    import subprocess

MOST_OUTPUT = 64 * 2**20
"""Bytes on stdout and stderr after which a program whose output is kept is ended."""

_GRACE = 2.0
"""Seconds between asking a program to end, when it still writes the model's report, and ending it."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_alive: set[subprocess.Popen[bytes]] = set()
_ending = threading.Event()

_number = int(signal.SIGINT)
"""The signal that ends evtgen, once `_ending` is set."""

_starting = False
"""Whether the main thread is starting a process, which `_alive` does not have yet."""


@dataclass(frozen=True)
class Done:
    """The end of a process.

    Attributes:
        status: its exit status; as in a shell 128 plus the number of the signal that ended it.
        stdout, stderr: its output, empty where it was passed through.
        signal: the name of that signal, such as ``"SIGSEGV"``.
        given_up: why it was ended before it was done; None if it was not.
    """

    status: int
    stdout: str
    stderr: str
    signal: str | None = None
    given_up: str | None = None


class Ended(KeyboardInterrupt):
    """A signal that ends evtgen. Like Ctrl-C it may come at any moment, and whatever cleans up after that cleans up."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.status = 128 + number
        """Exit status, as a shell has it."""


def end_on_signals() -> None:
    """From now on SIGINT, SIGTERM and SIGHUP end all processes and raise :class:`Ended` in the main thread.

    SIGCHLD gets its default: where the parent of evtgen ignores it, each child would seem to end with status 0.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)

    def end(number: int, _frame: object) -> None:
        global _number  # noqa: PLW0603
        _number = number
        for one in _SIGNALS:
            signal.signal(one, signal.SIG_IGN)  # a second one would interrupt the cleaning up
        _ending.set()
        for process in list(_alive):
            _kill(process, signal.SIGKILL)
        if not _starting:
            raise Ended(number)

    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup wants it
            signal.signal(number, end)


def run(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    at: Path | None = None,
    timeout: float = TIMEOUT,
    capture: bool = True,
) -> Done:
    """Run ``command`` in the directory ``at`` to its end; what it has started itself ends with it.

    ``capture`` keeps its output instead of passing it through. Raises OSError if it cannot be started.
    """
    import tempfile

    if _ending.is_set():
        raise KeyboardInterrupt
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        # Files, not pipes: a pipe stays open as long as anything that the process has started.
        streams: dict[str, Any] = {"stdout": out, "stderr": err} if capture else {"stdout": sys.stdout}
        with _started(command, environment, at, streams) as process:
            watch = _Watch(process, timeout, (out, err))
            try:
                watch.start()
                process.wait()
            finally:
                watch.end()
        stdout, stderr = _text(out), _text(err)
    code = process.returncode
    name = signal.Signals(-code).name if code < 0 else None
    return Done(code if code >= 0 else 128 - code, stdout, stderr, name, watch.reason)


@contextmanager
def _started(
    command: Sequence[str], environment: Mapping[str, str], at: Path | None, streams: Mapping[str, Any]
) -> Iterator[subprocess.Popen[bytes]]:
    """The process, in a session of its own, which is empty afterwards."""
    read, held = os.pipe()
    try:
        try:
            process = _start(
                command, cwd=at, env={**environment, "EVTGEN_MODEL_PARENT": str(read)}, pass_fds=(read,),
                start_new_session=True, **streams,
            )  # fmt: skip
        finally:
            os.close(read)
        try:
            if _ending.is_set():  # The signal's handler may not have found the process.
                raise Ended(_number)
            yield process
        finally:
            _kill(process, signal.SIGKILL)
            process.wait()
            _alive.discard(process)
    finally:
        os.close(held)


def _start(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Start a process that leads a session, and note that it is alive; a signal's exception does not come in between.

    The signals are not blocked meanwhile, for the process would inherit that.
    """
    import subprocess

    global _starting  # noqa: PLW0603
    main = threading.current_thread() is threading.main_thread()
    if main:
        _starting = True
    try:
        process = subprocess.Popen(command, **options)
        _alive.add(process)
    finally:
        if main:
            _starting = False
    return process


class _Watch(threading.Thread):
    """Ends a process that takes too long or says too much."""

    def __init__(self, process: subprocess.Popen[bytes], timeout: float, output: Sequence[IO[bytes]]) -> None:
        super().__init__(daemon=True)
        self.reason: str | None = None
        self._process, self._timeout, self._output = process, timeout, output
        self._done = threading.Event()

    def end(self) -> None:
        self._done.set()
        if self.is_alive():
            self.join()

    def run(self) -> None:
        deadline = time.monotonic() + self._timeout
        while not self._done.wait(max(0.0, min(0.2, deadline - time.monotonic()))):
            if time.monotonic() >= deadline:
                self.reason = f"not done after {self._timeout:g} seconds"
            elif sum(os.fstat(file.fileno()).st_size for file in self._output) > MOST_OUTPUT:
                self.reason = f"more than {MOST_OUTPUT >> 20} MB of output"
            else:
                continue
            _kill(self._process, signal.SIGTERM)
            self._done.wait(_GRACE)
            _kill(self._process, signal.SIGKILL)
            return


def _kill(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Signal the process and whatever it has started."""
    with suppress(OSError):
        os.killpg(process.pid, number)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(MOST_OUTPUT).decode(errors="replace").replace("\r\n", "\n")
