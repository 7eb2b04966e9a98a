"""The kernel in front, and its memory."""

from __future__ import annotations

from ....pipeline.report import Subject
from ....system.translation import tr
from ...plans import catlass_text, crossing_texts, kernel_texts, order_text, rewritten_text, workspace_text
from ..html import Fragment, join, tag


def section(subject: Subject) -> Fragment:
    """The lines of ``evtgen explain`` about an epilogue as a whole."""
    described = subject.described
    lines = [*kernel_texts(**described["kernel"]), (tr("Workspace"), workspace_text(**described["workspace"]))]
    if described["crossing"] is not None:
        crossing = dict(described["crossing"])
        lines += crossing_texts(crossing.pop("values"), **crossing)
    if described["order"]:
        lines.append((tr("Order"), order_text(described["order"])))
    if described["catlass"] is not None:
        lines.append(("Catlass", catlass_text(**described["catlass"])))
    if described["rewritten"]:
        lines.append((tr("Rewritten"), rewritten_text(described["rewritten"])))
    rows = [join([tag("dt", title), tag("dd", text)]) for title, text in lines]
    return Fragment(tr("Kernel and workspace"), "kernel", tag("dl", *rows, class_="facts"))
