"""Emitted files that are changed on purpose."""

from __future__ import annotations

from pathlib import Path

from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.planner.plan import Plan
from evtgen.verify import Options, Result, verify_plans


def changed(plan: Plan, root: Path, path: str, old: str, new: str) -> Path:
    """An include root with the plan's headers, with one change."""
    framework = Framework()
    files = {**framework_files(framework), **epilogue_files(plan, framework)}
    assert old in files[path]
    files[path] = files[path].replace(old, new, 1)
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def verify_changed(plan: Plan, root: Path, change: tuple[str, str, str], **options: object) -> list[Result]:
    """What a verification of the changed headers says."""
    return verify_plans([plan], Options(headers=changed(plan, root, *change), **options))  # type: ignore[arg-type]
