"""The process that a spec shares with evtgen: what it may have changed is put back, and it cannot end it."""

from __future__ import annotations

import builtins
import contextlib
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NoReturn


class ProcessEnd(BaseException):
    """A spec called what would end the process; its message is the name of that."""


_ENDS = ("_exit", "abort", "execv", "execve")
"""Functions of ``os``, and of the module it has them from, that do not return; all others of its exec family call one
of these."""


@contextlib.contextmanager
def restored() -> Iterator[None]:
    """Undo, at the end, what the code within did to the process: working directory, environment, standard streams,
    arguments, import path, warnings, signals and timers, recursion limit, umask, numpy's error handling.

    A call that would end the process raises :class:`ProcessEnd`, but a signal that the code sends to it is not held
    off; a child of ``os.fork`` that gets to the end, which
    would do all of evtgen's work a second time, ends there.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        pid = os.getpid()
        for module in (os, sys.modules[os.name]):
            for name in _ENDS:
                function = getattr(module, name)
                stack.callback(setattr, module, name, function)
                setattr(module, name, _refusing(f"{module.__name__}.{name}", function, pid))
        for undo in (_directory(), _environment(), _interpreter(), _signals(), _numpy()):
            stack.callback(undo)
        try:
            yield
        finally:
            if os.getpid() != pid:
                _end(0)


_end = os._exit


@contextlib.contextmanager
def builtins_restored() -> Iterator[None]:
    """Undo, at the end, what the code within did to Python's built-in names, which the undoing of all else needs."""
    names, kept = vars(builtins), dict(vars(builtins))
    try:
        yield
    finally:
        names.update(kept)  # first, and by a method: no built-in name may be used before
        for name in set(names) - set(kept):
            del names[name]


def _refusing(name: str, function: Callable[..., Any], pid: int) -> Callable[..., Any]:
    """The function for child processes, and an exception for this one."""

    def refuse(*args: Any) -> NoReturn:
        if os.getpid() != pid:
            function(*args)
        raise ProcessEnd(name)

    return refuse


def _directory() -> Callable[[], None]:
    # By its descriptor: it may have been renamed meanwhile.
    try:
        descriptor = os.open(".", os.O_RDONLY)
    except OSError:  # gone before, or not readable: nothing to come back to
        return lambda: None

    def undo() -> None:
        with contextlib.suppress(OSError):
            os.chdir(descriptor)
        with contextlib.suppress(OSError):
            os.close(descriptor)

    return undo


def _environment() -> Callable[[], None]:
    environ, kept = os.environ, dict(os.environ)

    def undo() -> None:
        vars(os)["environ"] = environ  # the object that os.getenv and child processes look at
        if dict(environ) != kept:
            environ.clear()
            environ.update(kept)

    return undo


def _interpreter() -> Callable[[], None]:
    stdout, stderr, argv, path = sys.stdout, sys.stderr, sys.argv, sys.path
    contents = [(argv, list(argv)), (path, list(path))]
    depth, trace, mask = sys.getrecursionlimit(), sys.gettrace(), os.umask(0o077)
    os.umask(mask)

    def undo() -> None:
        sys.stdout, sys.stderr, sys.argv, sys.path = stdout, stderr, argv, path
        for thing, content in contents:
            thing[:] = content
        sys.settrace(trace)
        sys.setrecursionlimit(depth)
        os.umask(mask)

    return undo


def _signals() -> Callable[[], None]:
    if threading.current_thread() is not threading.main_thread():
        return lambda: None  # Only the main thread can set them.
    kept = {number: signal.getsignal(number) for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}}
    timers = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
    idle = [timer for timer in timers if signal.getitimer(timer) == (0, 0)]
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())

    def undo() -> None:
        for timer in idle:
            signal.setitimer(timer, 0)
        for number, handler in kept.items():
            # None is a handler of other than Python's; one that is the same may hide such a handler, too.
            if handler is not None and signal.getsignal(number) is not handler:
                signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    return undo


def _numpy() -> Callable[[], None]:
    """Only if it is loaded: evtgen itself needs it for verification alone."""
    before = sys.modules.get("numpy")
    kept = before.geterr() if before is not None else None

    def undo() -> None:
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            numpy.seterr(**(kept or {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}))

    return undo
