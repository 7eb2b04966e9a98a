"""The formula, and the graph as a picture."""

from __future__ import annotations

from ....emit.formula import spoken
from ....pipeline.report import Subject
from ....system.translation import tr
from ..graph import drawing_of, laid_out, picture
from ..html import Fragment, join, tag


@spoken()
def section(subject: Subject) -> Fragment:
    """The formula and the picture."""
    lines = [subject.described["product"], *subject.described["formula"]]
    formula = tag("pre", "\n".join(lines), class_="formula wide")
    drawn = picture(laid_out(drawing_of(subject.plan)))
    return Fragment(tr("Formula and graph"), "graph", join([formula, tag("div", drawn, class_="wide")]))
