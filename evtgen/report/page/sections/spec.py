"""The function that an epilogue was traced from."""

from __future__ import annotations

import inspect
import textwrap

from markupsafe import Markup
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers.python import PythonLexer

from ....pipeline.report import Subject
from ..html import Fragment, tag


def section(subject: Subject) -> Fragment | None:
    """The spec as it was written; None for a graph that no function made, or whose file is gone."""
    function = subject.plan.written.function
    try:
        text = textwrap.dedent(inspect.getsource(function)) if function is not None else ""
    except (OSError, TypeError):
        return None
    if not text:
        return None
    made = Markup(highlight(text, PythonLexer(), HtmlFormatter(nowrap=True, classprefix="hl-")))
    return Fragment("Spec", "spec", tag("div", tag("pre", made, class_="code"), class_="wide"))
