"""Diagnostics: a fault, its place in the user's spec, and advice."""

from __future__ import annotations

import contextlib
import linecache
import os
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from ..graph.location import Location

_BOLD, _RED, _YELLOW, _BLUE, _RESET = "\033[1m", "\033[31m", "\033[33m", "\033[34m", "\033[0m"

_TEXT = 160
"""Characters of a source line that are shown."""

WRONG_INPUT = 2
"""Exit status: the user's input is wrong."""

WRONG_ENVIRONMENT = 3
"""Exit status: something the machine should have is missing."""


class Severity(str, Enum):
    """How bad a diagnostic is: an error stops the command, a warning does not."""

    ERROR = "error"
    WARNING = "warning"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Diagnostic:
    """One finding.

    Attributes:
        code: stable, ``EVT`` and three digits; see :mod:`evtgen.diagnostics.table`.
        message: one sentence in the user's words.
        location: the user's line; None when there is none.
        help: advice on how to fix it; may have several lines.
        case: which of the messages of its code it is, where they are declared.
    """

    code: str
    severity: Severity
    message: str
    location: Location | None = None
    help: str | None = None
    case: str = field(default="", compare=False)

    def to_json(self) -> dict[str, Any]:
        """As plain data; ``file`` and ``line`` are None where unknown, ``text`` is the line (or the JSON path)."""
        location = self.location
        return {
            "code": self.code,
            "severity": self.severity.value,
            "message": self.message,
            "file": location.file if location else None,
            "line": location.line if location and location.line else None,
            "text": source_text(location) if location else None,
            "help": self.help,
        }


class EvtgenError(Exception):
    """Stops a command; carries its diagnostics and the exit status (2 wrong input, 3 environment).

    Its text is what the terminal shows: each diagnostic with its line and its help.
    """

    def __init__(self, diagnostics: Diagnostic | Sequence[Diagnostic], status: int = WRONG_INPUT) -> None:
        self.diagnostics = [diagnostics] if isinstance(diagnostics, Diagnostic) else list(diagnostics)
        self.status = status
        if not all(isinstance(diagnostic, Diagnostic) for diagnostic in self.diagnostics):
            raise TypeError("an EvtgenError carries diagnostics")
        super().__init__(self.diagnostics, status)

    def __str__(self) -> str:
        return render(self.diagnostics)

    def _render_traceback_(self) -> list[str]:
        """What IPython shows of it: the diagnostics name the user's lines, and frames of evtgen's say nothing more."""
        if os.environ.get("EVTGEN_DEBUG") == "1":
            raise NotImplementedError  # then it shows the traceback
        return [render(self.diagnostics, color=True)]


# Tracebacks name it as users import it.
EvtgenError.__module__ = __package__.partition(".")[0]


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any of them is an error, not a warning."""
    return any(d.severity is Severity.ERROR for d in diagnostics)


def source_text(location: Location) -> str:
    """The source line at ``location`` without its indentation, shortened if it is long; for a spec without lines, the
    place in it."""
    if location.text or not location.line:
        return location.text
    text = linecache.getline(location.file, location.line).strip()
    return text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"


def printable(text: str, lines: bool = True) -> str:
    """The text with its control characters, which could command a terminal, as escapes of Python; tabs stay, and
    newlines if it may have several ``lines``."""
    kept = "\t\n" if lines else "\t"
    return "".join(
        c.encode("unicode_escape").decode() if c not in kept and unicodedata.category(c) in _CONTROL else c
        for c in text
    )


_CONTROL = ("Cc", "Cf", "Zl", "Zp")
"""Categories of Unicode: control, format (such as the direction of writing), line and paragraph separators."""


def render(diagnostics: Iterable[Diagnostic], color: bool = False) -> str:
    """The diagnostics as text for people, one after the other, each with its line of the spec and its help; control
    characters are escaped."""

    def paint(text: str, style: str) -> str:
        return f"{style}{text}{_RESET}" if color else text

    blocks = []
    for d in diagnostics:
        style = _RED if d.severity is Severity.ERROR else _YELLOW
        lines = [paint(f"{d.severity}[{d.code}]", _BOLD + style) + paint(f": {printable(d.message)}", _BOLD)]
        if d.location is not None:
            at, text = printable(_place(d.location), lines=False), printable(source_text(d.location), lines=False)
            lines.append(f"  {paint('-->', _BLUE)} {at}" + (f"    {text}" if text else ""))
        if d.help:
            first, *rest = printable(d.help).splitlines()
            lines.append(f"  {paint('help', _BLUE)}: {first}")
            lines += [f"        {more}" for more in rest]
        blocks.append("\n".join(lines))
    return "\n".join(blocks)


def _place(location: Location) -> str:
    """The file and the line; of a notebook the cell, as its own tracebacks name it."""
    if cell := _cell(location.file):
        return f"{cell}, line {location.line}" if location.line else cell
    return display_path(location.file) + (f":{location.line}" if location.line else "")


def _cell(file: str) -> str | None:
    """The cell that IPython calls ``file``; None if it is none."""
    with contextlib.suppress(AttributeError):  # older ones do not say
        shell: Any = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
        named = shell.compile.format_code_name(file)
        return " ".join(named) if named else None
    return None


def display_path(file: str) -> str:
    """Relative to the working directory when the file is below it."""
    try:
        relative = os.path.relpath(file)
    except ValueError:  # another drive
        return file
    return file if relative.startswith("..") else relative
