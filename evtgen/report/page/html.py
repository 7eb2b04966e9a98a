"""HTML and SVG as nested calls; every text is escaped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

VOID = frozenset({"br", "col", "hr", "img", "input", "link", "meta", "wbr"})
"""Elements of HTML that have no end tag."""


@dataclass(frozen=True)
class Fragment:
    """A part of the page.

    Attributes:
        title: its heading.
        anchor: one word for links; the id is the epilogue's name and this word.
        html: the part below the heading.
        lead: whether it stands above the table of contents, without a heading.
    """

    title: str
    anchor: str
    html: Markup
    lead: bool = False


def tag(name: str, /, *children: object, **attributes: object) -> Markup:
    """An element. Children are Markup, or text (or numbers), which is escaped; None is nothing.

    An underscore in an attribute's name is a hyphen, one at its end is dropped (``class_``, ``stroke_width``). An
    attribute of None or False is left out, one of True has no value.
    """
    # Texts are joined, not formatted: a page has thousands of elements, and Markup formats slowly.
    written = "".join(
        f" {_name(key)}" if value is True else f' {_name(key)}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Markup(f"<{name}{written}>" if name in VOID else f"<{name}{written}>{join(children)}</{name}>")


def join(children: Iterable[object], by: str = "") -> Markup:
    """Children one behind the other."""
    return Markup(str(escape(by)).join(escape(child) for child in children if child is not None))


def data(element: str, value: Any) -> Markup:
    """Plain data for the script, as JSON in an element of this id."""
    # In a script element no entity is read, so "<" is escaped as JSON can.
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False).replace("<", "\\u003c")
    return Markup('<script type="application/json" id="{}">{}</script>').format(element, Markup(text))


def tabs(element: str, panels: Sequence[tuple[str, Markup]], *, shown: int = 0, label: str = "") -> Markup:
    """Panels with titles. The script shows one at a time, ``shown`` first.

    ``element`` is the id of the whole, ``label`` names the choice. One panel alone is not a choice.
    """
    if len(panels) == 1:
        return panels[0][1]
    made = [
        tag("section", tag("h4", title), html, class_="panel", id=f"{element}-{number}", data_title=title)
        for number, (title, html) in enumerate(panels)
    ]
    return tag("div", *made, class_="tabs", id=element, data_widget="tabs", data_shown=shown, data_label=label)


def table(
    head: Sequence[str], rows: Iterable[Sequence[object]], *, numbers: Iterable[int] = (), sentences: Iterable[int] = ()
) -> Markup:
    """A table in its own scrolling box; the columns ``numbers`` are aligned to the right, and ``sentences`` have room
    for some words on a line."""
    of = {**dict.fromkeys(numbers, "number"), **dict.fromkeys(sentences, "sentence")}

    def cells(kind: str, row: Sequence[object]) -> Markup:
        return tag("tr", *(tag(kind, cell, class_=of.get(i)) for i, cell in enumerate(row)))

    grid = tag("table", tag("thead", cells("th", head)), tag("tbody", *(cells("td", row) for row in rows)))
    return tag("div", grid, class_="wide")


def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")
