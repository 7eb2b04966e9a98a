"""What goes wrong in the user's own code, as diagnostics at the user's own line."""

from __future__ import annotations

import os
import re
import sys
import traceback
from contextvars import ContextVar
from pathlib import Path

from ..diagnostics import aliases
from ..diagnostics import reading as codes
from ..diagnostics.diagnostic import Diagnostic, EvtgenError, printable
from ..diagnostics.suggestions import nearest, suggest
from ..graph.location import Location
from ..system.translation import tr

_PACKAGE = str(Path(__file__).parent.parent) + os.sep

collecting: ContextVar[list[Diagnostic] | None] = ContextVar("collecting", default=None)
"""While a spec is loaded: where the diagnostics of its functions go, so that each function has its say."""


def diagnostics_of(error: BaseException, file: str) -> list[Diagnostic]:
    """What stopped a spec: the diagnostics that an EvtgenError carries, or else the exception as one."""
    return error.diagnostics if isinstance(error, EvtgenError) else [user_error(error, file)]


def user_error(error: BaseException, file: str) -> Diagnostic:
    """An exception of a spec as a diagnostic: its own words, at the innermost line of the user's files."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return codes.SYNTAX(f"{type(error).__name__}: {error.msg}", Location(error.filename, error.lineno))
    directory = str(Path(file).resolve().parent)
    location = Location(file, 0)
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.lineno and (frame.filename == file or is_users(frame.filename, directory)):
            location = Location(frame.filename, frame.lineno)
    name, text = type(error).__name__, words(error)
    return codes.RAISED(f"{name}: {text}" if text else name, location, help_of(error))


def words(error: BaseException) -> str:
    """The message of an exception in one line, without control characters, shortened if it is long. Its ``__str__`` is
    the user's, and may fail itself."""
    try:
        text = str(error)
    except Exception as failed:
        return tr("(its __str__ raises {name})", name=type(failed).__name__)
    return printable(text if len(text) <= _WORDS else f"{text[:_WORDS]}…", lines=False)


_WORDS = 2000
"""Characters of an exception's message that are shown."""


def help_of(error: BaseException) -> str | None:
    """What to write instead, for mistakes that Python notices before evtgen can."""
    text = words(error)
    refused = r"(max|min)\(\) got an unexpected keyword|'\w+' is an invalid keyword argument for (max|min)"
    called = re.match(refused, text)
    if called:
        return aliases.OPERATORS[called[1] or called[2]]
    missing = re.match(r"cannot import name '(\w+)' from 'evtgen'|module 'evtgen' has no attribute '(\w+)'", text)
    if missing:
        return suggest(missing[1] or missing[2], sys.modules["evtgen"].__all__, aliases.EXPORTS)
    # Any other name may be the user's own: only what is known elsewhere, or nearly one that there is, is explained.
    undefined = re.match(r"name '(\w+)' is not defined", text)
    known = [*_names_at(error), *sys.modules["evtgen"].__all__]
    if undefined and (undefined[1].lower() in aliases.EXPORTS or nearest(undefined[1], known)):
        return suggest(undefined[1], known, aliases.EXPORTS)
    return None


def _names_at(error: BaseException) -> list[str]:
    """The names that there are where it was raised: of the function, and of its module."""
    *_, frame = [None, *(frame for frame, _ in traceback.walk_tb(error.__traceback__))]
    return [] if frame is None else [*frame.f_locals, *frame.f_globals]


def is_users(file: str, directory: str) -> bool:
    """Whether a file is below the spec's directory and neither evtgen's nor an installed package's."""
    file = str(Path(file).resolve())
    if file.startswith(_PACKAGE) or "site-packages" in file or "dist-packages" in file:
        return False
    return file.startswith(directory + os.sep)
