"""What builds of the examples and of the gallery write."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from evtgen.emit.framework import Framework
from evtgen.emit.render import common_files, epilogue_files, example_files, framework_files
from evtgen.frontend.load import load
from evtgen.planner.plan import lower

from .paths import CHECKOUT

SPECS = sorted((CHECKOUT / "examples").rglob("*.py"))


@cache
def shared() -> dict[str, str]:
    """What it writes for all of them."""
    return {**framework_files(Framework()), **common_files()}


def emitted(spec: Path) -> dict[str, str]:
    """What it writes for the epilogues of a spec alone."""
    files: dict[str, str] = {}
    for epilogue in load([spec]):
        plan = lower(epilogue)
        files |= epilogue_files(plan, Framework()) | example_files(plan)
    return files
