"""The page: fragments set into the template."""

from __future__ import annotations

import platform
import shlex
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from ...pipeline.report import Subject
from ...system.translation import LANGUAGE, tr
from ...version import __version__
from .assets import ASSETS, asset
from .html import Fragment
from .sections import SECTIONS, verdict

if TYPE_CHECKING:
    import jinja2

STYLES = ("palette.css", "page.css", "graph.css", "runs.css", "timeline.css")
"""The style sheets, one behind the other; a standalone SVG has the palette and the graph's."""

SCRIPTS = ("timeline.js", "page.js")
"""The scripts: the widgets, then the page, which uses them."""


def page(
    subjects: Sequence[Subject],
    *,
    title: str | None = None,
    overview: Markup | None = None,
    more: Mapping[str, Fragment] = MappingProxyType({}),
) -> str:
    """The HTML page about these epilogues; it needs no other file.

    Args:
        subjects: all that is known of each.
        title: of the page, by default the number of epilogues.
        overview: what stands above all, by default the verdicts on them if there are several.
        more: a section for some of them, by the names of the epilogues, which stands before the others.
    """
    if overview is None and len(subjects) > 1:
        overview = verdict.overview(subjects)
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            title=title or ", ".join(subject.name for subject in subjects),
            heading=title or tr("{count} epilogues", count=len(subjects)),
            articles=[
                (subject, [*filter(None, [more.get(subject.name)]), *_fragments(subject)]) for subject in subjects
            ],
            overview=overview,
            style=Markup("".join(map(asset, STYLES))),  # ours, and not to be escaped
            script=Markup("".join(map(asset, SCRIPTS))),
            version=__version__,
            language=LANGUAGE,
            made_with=_made_with(subjects),
        )
    )


def _made_with(subjects: Sequence[Subject]) -> str:
    """All that a page depends on, so that it can be made again."""
    import numpy as np

    runs = [run for subject in subjects for run in subject.results]
    compilers = {run.compiler: None for run in runs if run.compiler}
    seeds = {tr("seed {seed}", seed=run.seed): None for run in runs}
    command = f"evtgen {shlex.join(sys.argv[1:])}" if Path(sys.argv[0]).stem in ("evtgen", "__main__") else ""
    parts = [f"Python {platform.python_version()}", f"numpy {np.__version__}", *compilers, *seeds]
    return tr(", ").join(parts) + (tr(", by {command}", command=command) if command else "")


def _fragments(subject: Subject) -> list[Fragment]:
    return [fragment for section in SECTIONS if (fragment := section(subject)) is not None]


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(ASSETS),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
    )
    environment.filters["wrappable"] = _wrappable
    environment.globals["tr"] = tr
    return environment


def _wrappable(name: str) -> Markup:
    """A name that may break after an underscore."""
    return Markup("_<wbr>").join(escape(part) for part in name.split("_"))
