"""The function that an epilogue was traced from."""

from __future__ import annotations

import inspect
import textwrap

from pygments.lexers.python import PythonLexer

from ....pipeline.report import Subject
from ....system.translation import tr
from ..html import Fragment
from .header import code


def section(subject: Subject) -> Fragment | None:
    """The spec as it was written; None for a graph that no function made, or whose file is gone."""
    function = subject.plan.written.function
    try:
        text = textwrap.dedent(inspect.getsource(function)) if function is not None else ""
    except (OSError, TypeError):
        return None
    if not text:
        return None
    return Fragment(tr("Spec"), "spec", code(text, subject.id("spec-line"), PythonLexer(stripnl=False)))
