"""The end of a command: its exit status and its diagnostics, never a traceback."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn, TypeVar

from ..diagnostics.diagnostic import Diagnostic, EvtgenError, render
from ..diagnostics.files import INTERNAL
from ..report.console import color

Result = TypeVar("Result")

OK, FAILED, WRONG_INPUT, WRONG_ENVIRONMENT, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit statuses; 130 is the shell's own for Ctrl-C, and other signals have theirs, 128 plus the number."""


def call(function: Callable[..., Result], *args: Any, as_json: bool, as_array: bool = False, **kwargs: Any) -> Result:
    """Call ``function`` and return its result. An exception becomes diagnostics and an exit status, not a traceback."""
    try:
        return function(*args, **kwargs)
    except EvtgenError as error:
        _fail(error.diagnostics, error.status, as_json, as_array)
    except KeyboardInterrupt as signal:
        with suppress(OSError):
            print("interrupted", file=sys.stderr)
        raise SystemExit(getattr(signal, "status", INTERRUPTED)) from None
    except BaseException as error:
        if os.environ.get("EVTGEN_DEBUG") == "1":
            raise
        _fail([internal_error(error)], WRONG_ENVIRONMENT, as_json, as_array)


def internal_error(error: BaseException) -> Diagnostic:
    """EVT099: the message for a fault in evtgen itself."""
    return INTERNAL(
        f"internal error: {type(error).__name__}: {error}",
        help="this is a fault in evtgen, not in your spec; run again with EVTGEN_DEBUG=1, and report spec and output",
    )


def _fail(diagnostics: list[Diagnostic], status: int, as_json: bool, as_array: bool) -> NoReturn:
    if as_json:
        failure = {"ok": False, "diagnostics": [d.to_json() for d in diagnostics]}
        print_json([failure] if as_array else failure)
    else:
        print_diagnostics(diagnostics)
    raise SystemExit(status)


def print_diagnostics(diagnostics: list[Diagnostic]) -> None:
    """Print them on stderr, in colour if that is a terminal."""
    if diagnostics:
        print(render(diagnostics, color=color(sys.stderr)), file=sys.stderr)


def print_json(value: Any) -> None:
    """In ASCII: half a surrogate pair, which JSON specs and file names can hold, could not be printed."""
    print(json.dumps(value, indent=2, default=str))
