"""Specs to a page on disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..diagnostics.diagnostic import Diagnostic
from ..output.single import write_file
from ..pipeline.subjects import Request, gather
from ..system.progress import Progress, silent
from .document import page

PAGE = "index.html"


def report(
    paths: Sequence[Path], output: Path, request: Request, progress: Progress = silent, *, force: bool = False
) -> tuple[Path, list[Diagnostic]]:
    """Write the page about the epilogues of the specs into ``output``; returns its path and the warnings.

    Raises EvtgenError, EVT080 where a file is there that is not evtgen's or was edited, unless by ``force``.
    """
    found, warnings = gather(paths, request, progress)
    path = output / PAGE
    write_file(path, page(found), force=force)
    return path, warnings
