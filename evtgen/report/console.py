"""The terminal: its colours, its width, its progress line."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDTH = 160
"""Columns of a table that is not printed to a terminal."""


def color(stream: TextIO) -> bool:
    """Whether to write colours to ``stream``: only to a terminal, and never with NO_COLOR set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def progress() -> Callable[[str], None]:
    """Progress: a line on stderr that each text replaces; nothing if stderr is not a terminal."""
    return _show if sys.stderr.isatty() else _hide


def _show(text: str) -> None:
    # A line that wraps could not be replaced.
    columns = shutil.get_terminal_size().columns
    line = text if len(text) < columns else f"{text[: max(0, columns - 2)]}…"
    sys.stderr.write(f"\r\033[K{line}")
    sys.stderr.flush()


def _hide(text: str) -> None:
    pass


def clear() -> None:
    """Remove the progress line."""
    progress()("")


def console(stream: TextIO | None = None) -> Console:
    """Standard output, or another stream, with colours if they are wanted."""
    from rich.console import Console

    stream = stream or sys.stdout
    if color(stream):
        return Console(file=stream, highlight=False)
    width = None if stream.isatty() else WIDTH
    return Console(file=stream, highlight=False, no_color=True, width=width)


def table(*columns: str) -> Table:
    """An empty table with these columns."""
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(box=SIMPLE, show_edge=False, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table
