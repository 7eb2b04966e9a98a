"""clang-format over a set of files, in Catlass's style or a checkout's own.

The pinned wheel is part of the output: same version, same bytes.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..diagnostics import temporary
from ..system.limits import says_full

STYLE = """\
BasedOnStyle: Google
AccessModifierOffset: -4
AlignAfterOpenBracket: AlwaysBreak
AllowShortFunctionsOnASingleLine: None
AllowShortIfStatementsOnASingleLine: Never
AllowShortLoopsOnASingleLine: false
BraceWrapping:
  AfterEnum: true
  AfterFunction: true
  SplitEmptyFunction: false
BreakBeforeBraces: Custom
BreakBeforeTernaryOperators: false
ColumnLimit: 120
DerivePointerAlignment: false
IndentWidth: 4
SortIncludes: Never
SpacesBeforeTrailingComments: 1
TabWidth: 4
"""
"""The settings of Catlass v1.6.3, as differences from Google's; Catlass's formatter does not change the result."""

SUFFIXES = (".hpp", ".cpp")

TIMEOUT = 60
"""Seconds for all files; a hundred take less than one."""

_MOST = 4096
"""Texts that are remembered: the framework's in every style and namespace that one process emits, and more."""

_done: dict[tuple[str, str, str], str] = {}
"""Style, name and text of a file → the text as it is formatted. Most files of each build are the framework's."""


class StyleRefused(Exception):
    """clang-format rejects a style; the text is its message."""


def executable() -> Path:
    """The clang-format of the wheel."""
    import clang_format

    return Path(clang_format.__file__).parent / "data" / "bin" / "clang-format"


def format_files(files: Mapping[str, str], style: str = STYLE) -> dict[str, str]:
    """Format the C++ among ``files`` (relative path → text), in one run; the rest comes back as it is.

    ``style`` is the text of a ``.clang-format``. Raises StyleRefused when clang-format does not take it,
    EvtgenError (EVT068, EVT098) when its temporary files cannot be written.
    """
    keys = {path: (style, Path(path).name, text) for path, text in files.items() if path.endswith(SUFFIXES)}
    # Other threads format, too, and may empty what is remembered at any time.
    known = {path: text for path, key in keys.items() if (text := _done.get(key)) is not None}
    new = _formatted({path: files[path] for path in keys if path not in known}, style)
    if len(_done) > _MOST:
        _done.clear()
    _done.update({keys[path]: text for path, text in new.items()})
    return {**files, **known, **new}


def _formatted(sources: Mapping[str, str], style: str) -> dict[str, str]:
    if not sources:
        return {}
    try:
        with tempfile.TemporaryDirectory(prefix="evtgen-format-") as scratch:
            root = Path(scratch)
            (root / ".clang-format").write_text(style, encoding="utf-8")
            for path, text in sources.items():
                target = root / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8")
            # Other styles may move a comment in the first pass, and only then find its place
            for _ in range(1 if style == STYLE else 2):
                _format(root, sources)
            return {path: (root / path).read_text(encoding="utf-8") for path in sources}
    except OSError as error:
        raise temporary.cannot_write(error) from error


def _format(root: Path, paths: Iterable[str]) -> None:
    """Format files below ``root`` in place, by the style that is there."""
    command = [str(executable()), "-i", "--style=file", "--fallback-style=none", *paths]
    try:
        done = subprocess.run(command, cwd=root, check=False, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired as expired:
        raise StyleRefused(f"clang-format is not done after {TIMEOUT} seconds") from expired
    if says_full(done.stderr):
        raise temporary.full()
    if done.returncode != 0 or done.stderr:
        raise StyleRefused(done.stderr.replace(f"{root}/", "").strip() or f"it ended with {done.returncode}")
