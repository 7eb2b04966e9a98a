"""Epilogues to pictures on disk: the page, and the graphs alone."""

from __future__ import annotations

import os
from pathlib import Path

from ...diagnostics.diagnostic import Diagnostic
from ...diagnostics.page import NOT_A_PICTURE
from ...emit.output.standalone import may_write, write_file
from ...options import ReportOptions
from ...pipeline.report import subjects
from ...pipeline.specs import Checked
from ...planner.plan import Plan
from ...system.progress import Progress, silent
from .document import page
from .graph import drawing_of, laid_out, standalone

PAGE = "index.html"


def report(
    checked: Checked, output: Path, options: ReportOptions, progress: Progress = silent
) -> tuple[Path, list[Diagnostic]]:
    """Write the page about epilogues into ``output``; returns its path and the warnings.

    Raises EvtgenError if one of the epilogues has an error, and EVT080 if there is a file that is not evtgen's or was
    edited, unless by ``options.force``.
    """
    checked, path = checked.require(), output / PAGE
    may_write(path, force=options.force)
    write_file(path, page(subjects(checked, options, progress)), force=options.force)
    return path, checked.diagnostics


def draw(checked: Checked, place: str, *, force: bool = False) -> tuple[list[Path], list[Diagnostic]]:
    """Write the graphs of epilogues as SVG; returns the files and the warnings.

    ``place`` is a file for one epilogue, or a directory, which exists or is named with a slash at the end. Raises
    EvtgenError: EVT211 if several epilogues would go into one file, or the file is not an .svg; otherwise as
    :func:`report` does.
    """
    plans = checked.require().plans
    in_directory = os.path.isdir(place) or place.endswith(os.sep)
    if len(plans) > 1 and not in_directory:
        raise NOT_A_PICTURE.refusal("several", count=len(plans), place=place)
    if not in_directory and Path(place).suffix.lower() != ".svg":
        raise NOT_A_PICTURE.refusal("name", place=place)
    files = {Path(place, f"{plan.name}.svg") if in_directory else Path(place): plan for plan in plans}
    for path in files:
        may_write(path, force=force)
    for path, text in {path: graph_of(plan) for path, plan in files.items()}.items():
        write_file(path, text, force=force)
    return list(files), checked.diagnostics


def graph_of(plan: Plan) -> str:
    """The graph of a plan as an SVG that stands alone."""
    return standalone(laid_out(drawing_of(plan)))
