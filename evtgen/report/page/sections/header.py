"""The emitted header, with highlighted syntax."""

from __future__ import annotations

import re

from markupsafe import Markup
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers.c_cpp import CppLexer

from ....emit.places import epilogue_path
from ....pipeline.report import Subject
from ..html import Fragment, join, tag


def section(subject: Subject) -> Fragment:
    """The emitted header of an epilogue; the id of line 12 is ``subject.id("line-12")``."""
    path = epilogue_path(subject.name)
    code = tag("pre", highlighted(subject.headers[path], subject.id("line")), class_="code")
    text = tag("p", tag("code", path), ", as evtgen build writes it.")
    return Fragment("Emitted header", "header", join([text, tag("div", code, class_="wide")]))


def highlighted(text: str, lines: str) -> Markup:
    """C++ with a class for each kind of token; the id of each line is ``lines``, a hyphen and its number."""
    numbered = enumerate(highlighted_lines(text), 1)
    return join([tag("span", line, id=f"{lines}-{number}") for number, line in numbered], by="\n")


def highlighted_lines(text: str) -> list[Markup]:
    """The same line by line."""
    formatter = HtmlFormatter(nowrap=True, classprefix="hl-")
    lexer = CppLexer(stripnl=False)
    made = highlight(text, lexer, formatter).removesuffix("\n")
    # No token goes over the end of a line: pygments closes its element there.
    return [Markup(line) for line in _BLANK.sub(r"\1", made).split("\n")]


_BLANK = re.compile(r'<span class="hl-w">(\s*)</span>')
"""Spaces need no class."""
