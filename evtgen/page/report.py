"""Specs to pictures on disk: the page, and the graphs alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ..diagnostics.diagnostic import Diagnostic
from ..diagnostics.page import SEVERAL
from ..output.single import may_write, write_file
from ..pipeline.specs import load_and_check
from ..pipeline.subjects import Request, gather
from ..planner.plan import Plan, lower
from ..system.progress import Progress, silent
from .document import page
from .extra import required
from .graph import drawing_of, laid_out, standalone

PAGE = "index.html"


def report(
    paths: Sequence[Path], output: Path, request: Request, progress: Progress = silent, *, force: bool = False
) -> tuple[Path, list[Diagnostic]]:
    """Write the page about the epilogues of the specs into ``output``; returns its path and the warnings.

    Raises EvtgenError: EVT080 where a file is there that is not evtgen's or was edited, unless by ``force``; EVT210
    without the libraries that it takes.
    """
    path = output / PAGE
    # Before work that takes long.
    for library in ("igraph", "pygments"):
        required(library)
    may_write(path, force=force)
    found, warnings = gather(paths, request, progress)
    write_file(path, page(found), force=force)
    return path, warnings


def draw(paths: Sequence[Path], place: str, *, force: bool = False) -> tuple[list[Path], list[Diagnostic]]:
    """Write the graphs of the specs' epilogues as SVG; returns the files and the warnings.

    ``place`` is a file for one epilogue, or a directory, which exists or is named with a slash at the end. Raises
    EvtgenError: EVT211 where several epilogues would go into one file, otherwise as :func:`report` does.
    """
    checked = load_and_check(paths).require()
    in_directory = os.path.isdir(place) or place.endswith(os.sep)
    if len(checked.epilogues) > 1 and not in_directory:
        message = f"the specs have {len(checked.epilogues)} epilogues, and {place} is one file"
        raise SEVERAL.error(message, help=f"name a directory, with a slash at the end: --svg {place}{os.sep}")
    files = {
        Path(place, f"{epilogue.name}.svg") if in_directory else Path(place): epilogue for epilogue in checked.epilogues
    }
    for path in files:
        may_write(path, force=force)
    for path, text in {path: graph_of(lower(epilogue)) for path, epilogue in files.items()}.items():
        write_file(path, text, force=force)
    return list(files), checked.diagnostics


def graph_of(plan: Plan) -> str:
    """The graph of a plan as an SVG that stands alone. Raises EvtgenError (EVT210) without igraph."""
    return standalone(laid_out(drawing_of(plan)))
