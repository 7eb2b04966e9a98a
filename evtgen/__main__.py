"""``python -m evtgen`` and the ``evtgen`` command."""

from __future__ import annotations

import os
import sys
from itertools import zip_longest


def main() -> None:
    """Run the command line; exits with its status. Signals may come at any moment, even while modules are loaded."""
    # verify has a worker for each core; threads of BLAS within these would mostly wait for each other, at full load.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        _speak(sys.argv[1:])
        from .model.processes import end_on_signals

        end_on_signals()
        from .cli.streams import claim, finish

        out = claim()
        from .cli.app import main as run

        status = finish(out, run())
    except KeyboardInterrupt as signal:
        print("interrupted", file=sys.stderr)
        status = getattr(signal, "status", 130)
    except BaseException as error:
        if os.environ.get("EVTGEN_DEBUG") == "1":
            raise
        print(f"error[EVT099]: internal error: {type(error).__name__}", file=sys.stderr)
        status = 3
    sys.exit(status)


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


if __name__ == "__main__":
    main()
