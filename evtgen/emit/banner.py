"""The user's licence or copyright text at the top of every emitted file, as a comment in the file's own syntax."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ..diagnostics import files as codes
from ..diagnostics.diagnostic import Diagnostic, EvtgenError
from ..system.translation import tr

COLUMNS = 116
"""The longest line of the text: with a comment mark before it, a line of C++ stays within 120 columns."""

_DELIMITERS = ("/*", "*/", "<!--", "-->")
"""The marks that begin or end a comment in C++ and in Markdown. Compilers warn about a nested beginning."""


_MOST = 100_000
"""Characters of the longest file."""


def read_banner(path: Path) -> str:
    """The text in a file, trimmed at the ends of its lines and of the whole. Raises EvtgenError (EVT076)."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(_MOST + 1)  # a device has no end
        if len(text) > _MOST:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    except UnicodeDecodeError as error:
        raise codes.BANNER.refusal("not UTF-8", path=path, reason=error.reason, start=error.start) from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else tr("not the name of a file")
        raise codes.BANNER.refusal("unreadable", path=path, reason=reason) from error
    lines = [line.rstrip() for line in text.expandtabs(4).splitlines()]
    problems = [problem for number, line in enumerate(lines, 1) for problem in _wrong(path, number, line)]
    if not any(lines):
        problems.append(codes.BANNER.of("empty", path=path))
    if problems:
        raise EvtgenError(problems, 2)
    return "\n".join(lines).strip("\n")


def _wrong(path: Path, number: int, line: str) -> Iterator[Diagnostic]:
    """The reasons why a line cannot be part of a comment (EVT076)."""
    for mark in _DELIMITERS:
        if mark in line:
            yield codes.BANNER.of("mark", path=path, line=number, mark=mark)
    if not line.isprintable():
        yield codes.BANNER.of("unprintable", path=path, line=number)
    if len(line) > COLUMNS:
        yield codes.BANNER.of("long", path=path, line=number, columns=len(line), most=COLUMNS)


def with_banner(path: str, text: str, banner: str) -> str:
    """A file's text below the banner; unchanged if the banner is empty."""
    if not banner:
        return text
    suffix = PurePosixPath(path).suffix
    if suffix == ".md":
        return f"<!--\n{banner}\n-->\n\n{text}"
    if suffix == ".txt":
        return f"{_marked(banner, '#')}\n\n{text}"
    return f"/*\n{_marked(banner, ' *')}\n */\n\n{text}"


def _marked(banner: str, mark: str) -> str:
    return "\n".join(f"{mark} {line}".rstrip() for line in banner.splitlines())
