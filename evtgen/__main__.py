"""``python -m evtgen`` and the ``evtgen`` command."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from itertools import zip_longest
from os import _exit
from typing import NoReturn


def main() -> None:
    """Run the command line; exits with its status. Signals may come at any moment, even while modules are loaded."""
    try:
        _speak(sys.argv[1:])
        from .model.processes import end_on_signals

        end_on_signals()
        from .cli.streams import claim, finish

        claim()
        from .cli.app import main as run

        status = finish(run())
    except KeyboardInterrupt as signal:
        _say("interrupted")
        status = getattr(signal, "status", 130)
    except BaseException as error:
        if os.environ.get("EVTGEN_DEBUG") == "1":
            raise
        _say(f"error[EVT099]: internal error: {type(error).__name__}")
        status = 3
    _end(status)


def _speak(arguments: list[str]) -> None:
    """Start again in the language that ``--lang``, in front of the command, names if that is another: modules have
    messages in the language in which they were loaded."""
    from .system.translation import LANGUAGE, LANGUAGES, VARIABLE

    for option, value in zip_longest(arguments, arguments[1:], fillvalue=""):
        if not option.startswith("-"):
            return
        name, _, given = option.partition("=")
        language = given or value
        if name == "--lang" and language in LANGUAGES and language != LANGUAGE:
            os.environ[VARIABLE] = language
            os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def _say(text: str) -> None:
    """On stderr itself: whatever went wrong, it may have been ``print`` or ``sys.stderr``."""
    with suppress(OSError):
        os.write(2, f"{text}\n".encode(errors="backslashreplace"))


def _end(status: int) -> NoReturn:
    """Exit. Threads that a spec left running are not waited for: they may have no end."""
    if any(not thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()):
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        _exit(status)
    sys.exit(status)


if __name__ == "__main__":
    main()
