"""The end of a command: its exit status and its diagnostics, never a traceback."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable
from enum import Enum
from typing import Any, TypeVar

from ..diagnostics.diagnostic import Diagnostic, EvtgenError, render
from ..diagnostics.files import INTERNAL, NO_DIRECTORY
from ..frontend.errors import words
from ..report.annotations import github, sarif
from ..report.console import clear, color, wrapped
from ..system.translation import tr

Result = TypeVar("Result")


class Form(str, Enum):
    """How diagnostics are printed where they are not part of ``--json``."""

    text = "text"
    sarif = "sarif"
    github = "github"


OK, FAILED, WRONG_INPUT, WRONG_ENVIRONMENT, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit statuses; 130 is the shell's own for Ctrl-C, and other signals have theirs, 128 plus the number."""


def call(
    function: Callable[..., Result],
    *args: Any,
    as_json: bool,
    as_array: bool = False,
    stdout: bool = False,
    form: Form = Form.text,
    **kwargs: Any,
) -> Result:
    """Call ``function`` and return its result. An exception becomes diagnostics and an exit status, not a traceback.

    What it prints goes to stderr, with ``stdout`` to stdout.
    """
    try:
        _require_directory()
        with contextlib.nullcontext() if stdout else contextlib.redirect_stdout(sys.stderr):
            return function(*args, **kwargs)
    except EvtgenError as error:
        _print_failure(error.diagnostics, as_json, as_array, form)
        raise SystemExit(error.status) from None
    except KeyboardInterrupt as signal:
        print(tr("interrupted"), file=sys.stderr)
        raise SystemExit(getattr(signal, "status", INTERRUPTED)) from None
    except BaseException as error:
        raise SystemExit(unexpected(error, as_json, as_array, form)) from None


def unexpected(error: BaseException, as_json: bool, as_array: bool = False, form: Form = Form.text) -> int:
    """Print EVT099; returns its exit status. With EVTGEN_DEBUG set, raises the exception instead."""
    if os.environ.get("EVTGEN_DEBUG") == "1":
        raise error
    _print_failure([internal_error(error)], as_json, as_array, form)
    return WRONG_ENVIRONMENT


def _require_directory() -> None:
    """Raise EVT074 if the working directory was removed: relative paths, and most of Python's own functions on paths,
    have no meaning then."""
    try:
        os.getcwd()
    except OSError as error:
        raise NO_DIRECTORY.refusal(strerror=error.strerror) from error


def internal_error(error: BaseException) -> Diagnostic:
    """EVT099: the message for a fault in evtgen itself."""
    return INTERNAL.of(name=type(error).__name__, error=words(error))


def _print_failure(diagnostics: list[Diagnostic], as_json: bool, as_array: bool, form: Form) -> None:
    if as_json:
        failure = {"ok": False, "diagnostics": [d.to_json() for d in diagnostics]}
        print_json([failure] if as_array else failure)
    else:
        print_diagnostics(diagnostics, form)


def print_diagnostics(diagnostics: list[Diagnostic], form: Form = Form.text) -> None:
    """Print them: as text on stderr, in colour if that is a terminal; as annotations, or one SARIF log, on stdout."""
    if form is Form.sarif:
        print_json(sarif(diagnostics))
    elif form is Form.github and diagnostics:
        print(github(diagnostics))
    elif diagnostics:
        clear()
        print(wrapped(render(diagnostics, color=color(sys.stderr)), sys.stderr), file=sys.stderr)


def print_json(value: Any) -> None:
    """In ASCII: half a surrogate pair, which JSON specs and file names can hold, could not be printed."""
    print(json.dumps(value, indent=2, default=str))
