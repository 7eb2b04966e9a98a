"""What a report prints, as HTML for a notebook: tables as tables, the rest as text with the terminal's colours."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING

from markupsafe import Markup

from ..report.page import html as page
from ..report.page.html import tag

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_WIDTH = 140
"""Columns of text, which a cell scrolls if it is narrower."""

_COLOURS = {"green": "#1a9c4a", "red": "#dc3b3b"}
"""Colours that can be read on white and on black."""

_TERMINAL = [
    (128, 128, 128),
    (220, 59, 59),
    (26, 156, 74),
    (176, 125, 0),
    (70, 130, 220),
    (165, 90, 190),
    (0, 145, 160),
]
"""The same for the terminal's, from black to cyan."""


def text(report: Callable[[Console], None], *, wrap: bool = False) -> str:
    """What a report prints, its lines as they are or wrapped; nothing if that is nothing."""
    from rich.console import Console
    from rich.terminal_theme import TerminalTheme

    out = Console(
        file=io.StringIO(), width=_WIDTH, record=True, force_terminal=True, force_jupyter=False, highlight=False
    )
    report(out)
    colours = [*_TERMINAL, (128, 128, 128)]
    theme = TerminalTheme((255, 255, 255), (0, 0, 0), colours, colours)
    made = out.export_html(theme=theme, inline_styles=True, code_format="{code}")
    style = f"white-space: {'pre-wrap' if wrap else 'pre'}; line-height: 1.3; overflow-x: auto"
    pre = tag("pre", Markup(made.rstrip("\n")), style=style)
    return str(pre) if made.strip() else ""


def table(grid: Table) -> str:
    """A table of a report."""
    from rich.text import Text

    def cell(content: object) -> object:
        said = Text.from_markup(str(content))
        colour = next(
            (shade for name, shade in _COLOURS.items() if any(name in str(s.style) for s in said.spans)), None
        )
        return said.plain if colour is None else tag("b", said.plain, style=f"color: {colour}")

    right = [i for i, column in enumerate(grid.columns) if column.justify == "right"]
    rows = zip(*([cell(content) for content in column.cells] for column in grid.columns), strict=True)
    return str(page.table([str(column.header) for column in grid.columns], rows, numbers=right))
