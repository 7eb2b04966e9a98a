"""The emitted header, with highlighted syntax."""

from __future__ import annotations

import re

from markupsafe import Markup
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers.c_cpp import CppLexer

from ....emit.places import epilogue_path
from ....pipeline.report import Subject
from ....system.translation import tr
from ..html import Fragment, join, tag


def section(subject: Subject) -> Fragment:
    """The emitted header of an epilogue; the id of line 12 is ``subject.id("line-12")``."""
    path = epilogue_path(subject.name)
    text = subject.headers[path]
    lines = tr(", as evtgen build writes it: {count:,} lines", count=len(text.splitlines()))
    summary = tag("summary", tag("code", path), lines)
    return Fragment(tr("Emitted header"), "header", tag("details", summary, code(text, subject.id("line"))))


def code(text: str, lines: str, lexer: Lexer | None = None) -> Markup:
    """Code with a class for each kind of token; the id of each line is ``lines``, a hyphen and its number."""
    numbered = enumerate(highlighted_lines(text, lexer), 1)
    spans = join([tag("span", line, id=f"{lines}-{number}") for number, line in numbered], by="\n")
    return tag("div", tag("pre", spans, class_="code"), class_="wide")


def highlighted_lines(text: str, lexer: Lexer | None = None) -> list[Markup]:
    """The same line by line; C++, if no other language is named."""
    formatter = HtmlFormatter(nowrap=True, classprefix="hl-")
    made = highlight(text, lexer or CppLexer(stripnl=False), formatter).removesuffix("\n")
    # No token goes over the end of a line: pygments closes its element there.
    return [Markup(line) for line in _BLANK.sub(r"\1", made).split("\n")]


_BLANK = re.compile(r'<span class="hl-w">(\s*)</span>')
"""Spaces need no class."""
