"""The terminal: its colours, its width, its progress line."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from typing import IO, TYPE_CHECKING, TextIO

from ..system.columns import broken, columns, cut, padded
from ..system.progress import Notice
from ..system.translation import tr

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

LINE = 200
"""Columns of what is not printed to a terminal, which is the text on a terminal as wide: enough for most messages with
two paths."""


def color(stream: TextIO) -> bool:
    """Whether to write colours to ``stream``: only to a terminal, and never with NO_COLOR set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def progress() -> Callable[[str], None]:
    """Progress: a line on stderr that each text replaces; if stderr is not a terminal, a line for each notice."""
    return _show if sys.stderr.isatty() else _say_notices


def _show(text: str) -> None:
    # A line that wraps could not be replaced.
    sys.stderr.write(f"\r\033[K{cut(text, shutil.get_terminal_size().columns - 2)}")
    sys.stderr.flush()


def _say_notices(text: str) -> None:
    if isinstance(text, Notice):
        print(text, file=sys.stderr, flush=True)


def fine(names: Sequence[str]) -> str:
    """The sentence that the epilogues of these names have no fault."""
    joined = ", ".join(names)
    if len(names) == 1:
        return tr("1 epilogue fine: {name}", name=joined)
    return tr("{count} epilogues fine: {names}", count=len(names), names=joined)


def clear() -> None:
    """Remove the progress line."""
    progress()("")


def console(stream: TextIO | None = None) -> Console:
    """Standard output, or another stream, with colours if the user wants them."""
    from rich.console import Console

    stream = stream or sys.stdout
    if color(stream):
        return Console(file=stream, highlight=False, force_jupyter=False)
    width = None if stream.isatty() else LINE
    return Console(file=stream, highlight=False, no_color=True, width=width, force_jupyter=False)


def begun(out: Console | None) -> Console:
    """The stream of a report: the given one, or the terminal, whose progress line is removed."""
    if out is None:
        clear()
        return console()
    return out


def printed(report: Callable[[Console], None]) -> str:
    """The text that a report prints, without colours and without the newline at its end, as wide as the terminal if
    there is one."""
    from rich.console import Console

    stream = io.StringIO()
    width = shutil.get_terminal_size().columns if sys.stdout is not None and sys.stdout.isatty() else LINE
    report(Console(file=stream, highlight=False, no_color=True, width=width, force_jupyter=False))
    return stream.getvalue().rstrip("\n")


def show(out: Console, grid: Table, spare: Sequence[str] = ()) -> None:
    """Print a table. Where a row would take several lines, the columns of the titles ``spare`` go, the first one first.
    If it is too narrow for a word of a cell, each row becomes a paragraph, so that no name and no number is broken."""
    from rich.console import Console
    from rich.measure import Measurement
    from rich.text import Text

    for count in range(len(spare) + 1) if spare else ():
        less = _without(grid, spare[:count])
        if Measurement.get(out, out.options.update(width=10 * LINE), less).maximum <= out.width:
            out.print(less)
            if count:
                hidden = tr("more columns on a wider terminal: {titles}", titles=tr(", ").join(spare[:count]))
                say(out, hidden, style="dim")
            return
    cells = [[Text.from_markup(str(cell)) for cell in column.cells] for column in grid.columns]
    plain = Console(file=io.StringIO(), width=out.width, color_system=None, force_jupyter=False)
    with plain.capture() as printed:
        plain.print(grid)
    words = {word for column in cells for cell in column for word in cell.plain.split()}
    if words <= set(printed.get().split()):
        out.print(grid)
        return
    titles = [str(column.header) for column in grid.columns]
    for row in zip(*cells, strict=True):
        for title, cell in zip(titles, row, strict=True):
            if cell.plain:
                out.print(Text(f"{padded(title + ':', 10)} " if title else "").append_text(cell), soft_wrap=True)
        out.print()


def _without(grid: Table, titles: Sequence[str]) -> Table:
    """A table without the columns of these titles."""
    less = copy(grid)
    kept = [column for column in grid.columns if column.header not in titles]
    less.columns = [replace(column, _index=index) for index, column in enumerate(kept)]
    return less


def say(out: Console, text: str, style: str | None = None) -> None:
    """Print prose, broken between words."""
    out.print(_broken(text, min(out.width, LINE)), style=style, markup=False, soft_wrap=True)


def note(text: str) -> str:
    """A remark, as such."""
    return tr("note: {text}", text=text)


def wrapped(text: str, stream: IO[str]) -> str:
    """``text`` with its long lines broken between words, unless ``stream`` is a terminal, which breaks them itself: so
    what is copied from it is whole."""
    return text if stream.isatty() else _broken(text, LINE)


def _broken(text: str, width: int) -> str:
    lines = []
    for line in text.replace("。 ", "。").split("\n"):
        title = re.match(r"(?:[A-Z]\w+|[\u4e00-\u9fff]\w*) {2,}", line)
        indent = " " * (columns(title[0]) if title else len(line) - len(line.lstrip()) + 4)
        lines += broken(line, width, indent) if columns(line) > width else [line]
    return "\n".join(lines)


def table(*titles: str) -> Table:
    """An empty table with these columns."""
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(box=SIMPLE, show_edge=False, pad_edge=False)
    for title in titles:
        table.add_column(title, overflow="fold")
    return table
