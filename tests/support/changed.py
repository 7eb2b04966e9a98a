"""Emitted files that are changed on purpose."""

from __future__ import annotations

from pathlib import Path

from evtgen.emit.framework import Framework
from evtgen.emit.render import header_files
from evtgen.planner.plan import Plan
from evtgen.verify import Options, Result, verify_plans

from .cpp import write


def changed(plan: Plan, root: Path, path: str, old: str, new: str, times: int | None = None) -> Path:
    """An include root with the plan's headers, changed where ``old`` stands first, or in all of so many places."""
    files = header_files([plan], Framework())
    found = files[path].count(old)
    assert found == times if times else found, (path, old)
    write(root, {**files, path: files[path].replace(old, new, times or 1)})
    return root


def verify_changed(
    plan: Plan, root: Path, change: tuple[str, str, str], times: int | None = None, **options: object
) -> list[Result]:
    """What a verification of the changed headers says."""
    return verify_plans([plan], Options(headers=changed(plan, root, *change, times), **options))  # type: ignore[arg-type]
